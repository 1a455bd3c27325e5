#include "ulna/derivatives/second_derivatives_impl.hpp"

namespace ulna {
template class SecondDerivativeWorkspace<double>;
template void inverse_dynamics_second_derivatives(const Plant<double>&, const Kinematics<double>&,
                                                  SecondDerivativeWorkspace<double>&,
                                                  InverseDynamicsSecondDerivatives<double>&,
                                                  ExternalWrenches<double>);
template bool forward_dynamics_second_derivatives(const Plant<double>&, const Kinematics<double>&,
                                                  In<double>, SecondDerivativeWorkspace<double>&,
                                                  ForwardDynamicsSecondDerivatives<double>&,
                                                  ExternalWrenches<double>);
}  // namespace ulna
