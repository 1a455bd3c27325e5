#ifdef ULNA_KERNEL

#include "dynamics/state_kernel.hpp"
#include "ulna/dynamics/instantiate.hpp"
#include "ulna/dynamics/newton_euler_rates_impl.hpp"

extern "C" const ulna::detail::StateKernel& ULNA_KERNEL() {
  using namespace ulna;
  static constexpr detail::StateKernel kernel{
      .motion_q = &Motion<double>::set,
      .motion_qv = &Motion<double>::set,
      .motion_qva = &Motion<double>::set,
      .at_q = &Kinematics<double>::set,
      .at_qv = &Kinematics<double>::set,
      .at_qva = &Kinematics<double>::set,
      .inverse_dynamics = &inverse_dynamics<double>,
      .bias_torque = &bias_torque<double>,
      .gravity_torque = &gravity_torque<double>,
      .mass_matrix = &mass_matrix<double>,
      .inverse_mass_matrix = &inverse_mass_matrix<double>,
      .forward_dynamics = &forward_dynamics<double>,
      .frame_jacobian = &frame_jacobian<double>,
      .newton_euler_rates = &detail::newton_euler_rates<double>};
  return kernel;
}

#endif
