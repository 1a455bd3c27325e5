#include "derivatives/state_kernel.hpp"
#include "ulna/derivatives/regressor_impl.hpp"

namespace ulna {

#if ULNA_STATE_KERNELS
template <>
void torque_regressor(const Kinematics<double>& at, RegressorWorkspace<double>& ws,
                      OutRows<double> Y) {
  detail::widest_derivatives().torque_regressor(at, ws, Y);
}
#endif

template class RegressorWorkspace<double>;
template void torque_regressor(const Kinematics<double>&, RegressorWorkspace<double>&,
                               OutRows<double>);
template void wrench_regressor(const Kinematics<double>&, int, RegressorWorkspace<double>&,
                               OutRows<double>);
template void energy_regressor(const Kinematics<double>&, RegressorWorkspace<double>&, Out<double>);
template void momentum_regressor(const Kinematics<double>&, RegressorWorkspace<double>&,
                                 OutRows<double>, OutRows<double>);
}  // namespace ulna
