#include "dynamics/state_kernel.hpp"
#include "num/processor.hpp"
#include "ulna/dynamics/instantiate.hpp"

namespace ulna {

#if ULNA_STATE_KERNELS

using detail::StateAt, detail::StateMotion, detail::StatePlant, detail::StateWorkspace;

static const detail::StateKernel& widest() {
  static const detail::StateKernel& kernel =
      detail::has_avx2() ? ulna_state_kernel_avx2() : ulna_state_kernel_baseline();
  return kernel;
}

template <>
void Motion<double>::set(In<double> q) {
  (this->*widest().motion_q)(q);
}
template <>
void Motion<double>::set(In<double> q, In<double> v) {
  (this->*widest().motion_qv)(q, v);
}
template <>
void Motion<double>::set(In<double> q, In<double> v, In<double> a) {
  (this->*widest().motion_qva)(q, v, a);
}
template <>
void Kinematics<double>::set(In<double> q) {
  (this->*widest().at_q)(q);
}
template <>
void Kinematics<double>::set(In<double> q, In<double> v) {
  (this->*widest().at_qv)(q, v);
}
template <>
void Kinematics<double>::set(In<double> q, In<double> v, In<double> a) {
  (this->*widest().at_qva)(q, v, a);
}
template <>
void inverse_dynamics(StatePlant plant, StateMotion motion, StateWorkspace ws, Out<double> tau,
                      ExternalWrenches<double> wrenches) {
  widest().inverse_dynamics(plant, motion, ws, tau, wrenches);
}
template <>
void bias_torque(StatePlant plant, StateMotion motion, StateWorkspace ws, Out<double> tau) {
  widest().bias_torque(plant, motion, ws, tau);
}
template <>
void gravity_torque(StatePlant plant, StateMotion motion, StateWorkspace ws, Out<double> tau,
                    ExternalWrenches<double> wrenches) {
  widest().gravity_torque(plant, motion, ws, tau, wrenches);
}
template <>
void mass_matrix(StatePlant plant, StateAt at, StateWorkspace ws, OutMatrix<double> M) {
  widest().mass_matrix(plant, at, ws, M);
}
template <>
bool inverse_mass_matrix(StatePlant plant, StateAt at, StateWorkspace ws, OutMatrix<double> M) {
  return widest().inverse_mass_matrix(plant, at, ws, M);
}
template <>
bool forward_dynamics(StatePlant plant, StateAt at, In<double> tau, StateWorkspace ws,
                      Out<double> a, ExternalWrenches<double> wrenches) {
  return widest().forward_dynamics(plant, at, tau, ws, a, wrenches);
}
template <>
void frame_jacobian(StateAt at, const Frame& frame, Axes axes, OutMatrix<double> J) {
  widest().frame_jacobian(at, frame, axes, J);
}
template <>
void detail::newton_euler_rates(StatePlant plant, const Motion<double>& motion, const double* jerk,
                                const double* snap, DriveWorkspace<double>& ws,
                                double* const (&tau)[3]) {
  widest().newton_euler_rates(plant, motion, jerk, snap, ws, tau);
}

#endif

ULNA_INSTANTIATE_DYNAMICS(, double)

}  // namespace ulna
