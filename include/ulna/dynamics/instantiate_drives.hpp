#pragma once

#include "ulna/dynamics/drive_dynamics_impl.hpp"

/// Makes the dynamics of drives of another scalar, as ULNA_INSTANTIATE_DYNAMICS does. The library holds those of double and
/// Dual<double, 4>.
// clang-format off
#define ULNA_INSTANTIATE_DRIVES(EXTERN, ...) \
  EXTERN template class ulna::DriveMotion<__VA_ARGS__>; \
  EXTERN template struct ulna::DriveTorques<__VA_ARGS__>; \
  EXTERN template class ulna::DriveWorkspace<__VA_ARGS__>; \
  EXTERN template void ulna::spring_torque(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, const DriveState<__VA_ARGS__>&, Out<__VA_ARGS__>); \
  EXTERN template void ulna::drive_inverse_dynamics(const Plant<__VA_ARGS__>&, const DriveMotion<__VA_ARGS__>&, DriveWorkspace<__VA_ARGS__>&, DriveTorques<__VA_ARGS__>&); \
  EXTERN template bool ulna::drive_forward_dynamics(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, const DriveState<__VA_ARGS__>&, In<__VA_ARGS__>, DriveWorkspace<__VA_ARGS__>&, Out<__VA_ARGS__>, Out<__VA_ARGS__>, ExternalWrenches<__VA_ARGS__>); \
  EXTERN template __VA_ARGS__ ulna::spring_energy(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, const DriveState<__VA_ARGS__>&); \
  EXTERN template __VA_ARGS__ ulna::rotor_energy(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, const DriveState<__VA_ARGS__>&);
// clang-format on
