#include "ulna/derivatives/derivatives_impl.hpp"

namespace ulna {
template class DerivativeWorkspace<double>;
template void inverse_dynamics_derivatives(const Plant<double>&, const Kinematics<double>&,
                                           DerivativeWorkspace<double>&,
                                           InverseDynamicsDerivatives<double>&,
                                           ExternalWrenches<double>);
template bool forward_dynamics_derivatives(const Plant<double>&, const Kinematics<double>&,
                                           In<double>, DerivativeWorkspace<double>&,
                                           ForwardDynamicsDerivatives<double>&,
                                           ExternalWrenches<double>);
}  // namespace ulna
