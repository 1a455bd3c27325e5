#pragma once

#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/energy_impl.hpp"
#include "ulna/dynamics/forward_dynamics_impl.hpp"

/// Makes the dynamics of another scalar, in one .cpp file of a program:
///
///     #include <ulna/dynamics/instantiate.hpp>
///     ULNA_INSTANTIATE_DYNAMICS(, MyScalar)
///
/// The library holds those of double, float, Counted, Dual<double, 1> and Dual<double, 4>.
// clang-format off
#define ULNA_INSTANTIATE_DYNAMICS(EXTERN, ...) \
  EXTERN template class ulna::Kinematics<__VA_ARGS__>; \
  EXTERN template class ulna::Motion<__VA_ARGS__>; \
  EXTERN template class ulna::MassFactor<__VA_ARGS__>; \
  EXTERN template void ulna::inverse_dynamics(const Plant<__VA_ARGS__>&, SameMotion<__VA_ARGS__>, Workspace<__VA_ARGS__>&, Out<__VA_ARGS__>, ExternalWrenches<__VA_ARGS__>); \
  EXTERN template void ulna::inverse_dynamics(const Plant<__VA_ARGS__>&, SameMotion<__VA_ARGS__>, Workspace<__VA_ARGS__>&, Out<__VA_ARGS__>, std::span<Wrench<__VA_ARGS__>>, ExternalWrenches<__VA_ARGS__>); \
  EXTERN template void ulna::bias_torque(const Plant<__VA_ARGS__>&, SameMotion<__VA_ARGS__>, Workspace<__VA_ARGS__>&, Out<__VA_ARGS__>); \
  EXTERN template void ulna::gravity_torque(const Plant<__VA_ARGS__>&, SameMotion<__VA_ARGS__>, Workspace<__VA_ARGS__>&, Out<__VA_ARGS__>, ExternalWrenches<__VA_ARGS__>); \
  EXTERN template void ulna::add_friction(const Plant<__VA_ARGS__>&, In<__VA_ARGS__>, Out<__VA_ARGS__>); \
  EXTERN template ulna::Twist<__VA_ARGS__> ulna::frame_velocity(const Kinematics<__VA_ARGS__>&, const Frame&, Axes); \
  EXTERN template ulna::Twist<__VA_ARGS__> ulna::frame_acceleration(const Kinematics<__VA_ARGS__>&, const Frame&, Axes); \
  EXTERN template ulna::Twist<__VA_ARGS__> ulna::frame_drift(const Kinematics<__VA_ARGS__>&, const Frame&, Axes); \
  EXTERN template void ulna::frame_jacobian(const Kinematics<__VA_ARGS__>&, const Frame&, Axes, OutMatrix<__VA_ARGS__>); \
  EXTERN template void ulna::add_wrench_torque(const Kinematics<__VA_ARGS__>&, const ExternalWrench<__VA_ARGS__>&, Out<__VA_ARGS__>); \
  EXTERN template void ulna::mass_matrix(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&, OutMatrix<__VA_ARGS__>); \
  EXTERN template bool ulna::inverse_mass_matrix(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&, OutMatrix<__VA_ARGS__>); \
  EXTERN template bool ulna::forward_dynamics(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, In<__VA_ARGS__>, Workspace<__VA_ARGS__>&, Out<__VA_ARGS__>, ExternalWrenches<__VA_ARGS__>); \
  EXTERN template bool ulna::articulated_body_dynamics(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, In<__VA_ARGS__>, Workspace<__VA_ARGS__>&, Out<__VA_ARGS__>, ExternalWrenches<__VA_ARGS__>); \
  EXTERN template bool ulna::mass_matrix_dynamics(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, In<__VA_ARGS__>, MassFactor<__VA_ARGS__>&, Workspace<__VA_ARGS__>&, Out<__VA_ARGS__>, ExternalWrenches<__VA_ARGS__>); \
  EXTERN template void ulna::impulse_response(const MassFactor<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, const ExternalWrench<__VA_ARGS__>&, Out<__VA_ARGS__>); \
  EXTERN template void ulna::coriolis_matrix(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&, OutMatrix<__VA_ARGS__>); \
  EXTERN template void ulna::mass_matrix_rate(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&, OutMatrix<__VA_ARGS__>); \
  EXTERN template __VA_ARGS__ ulna::kinetic_energy(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&); \
  EXTERN template __VA_ARGS__ ulna::potential_energy(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&); \
  EXTERN template __VA_ARGS__ ulna::total_mass(const Plant<__VA_ARGS__>&); \
  EXTERN template ulna::Vec3<__VA_ARGS__> ulna::center_of_mass(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&); \
  EXTERN template void ulna::center_of_mass_jacobian(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&, OutMatrix<__VA_ARGS__>); \
  EXTERN template ulna::Vec3<__VA_ARGS__> ulna::center_of_mass_velocity(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&); \
  EXTERN template ulna::Vec3<__VA_ARGS__> ulna::center_of_mass_acceleration(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&); \
  EXTERN template ulna::Wrench<__VA_ARGS__> ulna::momentum(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&); \
  EXTERN template ulna::Wrench<__VA_ARGS__> ulna::centroidal_momentum(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&); \
  EXTERN template void ulna::centroidal_momentum_matrix(const Plant<__VA_ARGS__>&, const Kinematics<__VA_ARGS__>&, Workspace<__VA_ARGS__>&, OutMatrix<__VA_ARGS__>);
// clang-format on
