#include "derivatives/state_kernel.hpp"
#include "ulna/derivatives/forward_derivatives_impl.hpp"

namespace ulna {

#if ULNA_STATE_KERNELS
template <>
void inverse_dynamics_derivatives(const Plant<double>& plant, const Kinematics<double>& at,
                                  DerivativeWorkspace<double>& ws,
                                  InverseDynamicsDerivatives<double>& out,
                                  ExternalWrenches<double> wrenches) {
  detail::widest_derivatives().inverse_dynamics_derivatives(plant, at, ws, out, wrenches);
}
template <>
bool forward_dynamics_derivatives(const Plant<double>& plant, const Kinematics<double>& at,
                                  In<double> tau, DerivativeWorkspace<double>& ws,
                                  ForwardDynamicsDerivatives<double>& out,
                                  ExternalWrenches<double> wrenches) {
  return detail::widest_derivatives().forward_dynamics_derivatives(plant, at, tau, ws, out,
                                                                   wrenches);
}
#endif

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
