#include "ulna/derivatives/forward_derivatives_impl.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {
using T = Dual<double, 1>;
template class DerivativeWorkspace<T>;
template void inverse_dynamics_derivatives(const Plant<T>&, const Kinematics<T>&,
                                           DerivativeWorkspace<T>&, InverseDynamicsDerivatives<T>&,
                                           ExternalWrenches<T>);
template bool forward_dynamics_derivatives(const Plant<T>&, const Kinematics<T>&, In<T>,
                                           DerivativeWorkspace<T>&, ForwardDynamicsDerivatives<T>&,
                                           ExternalWrenches<T>);
}  // namespace ulna
