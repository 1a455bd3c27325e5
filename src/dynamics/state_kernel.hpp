#pragma once

#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

/// The dynamics of one state in doubles, compiled for several sets of instructions and chosen at run time,
/// where the library itself is not compiled for AVX2. Both work on the same objects: their layout in memory
/// is the same (lanes.hpp).
#if ULNA_WIDE_KERNELS && !defined(__AVX2__)
#define ULNA_STATE_KERNELS 1
#endif

namespace ulna::detail {

using StatePlant = const Plant<double>&;
using StateMotion = SameMotion<double>;
using StateAt = const Kinematics<double>&;
using StateWorkspace = Workspace<double>&;

/// Declared here, defined in newton_euler_rates_impl.hpp.
template <Scalar T>
void newton_euler_rates(const Plant<T>& plant, const Motion<T>& motion, const T* jerk,
                        const T* snap, DriveWorkspace<T>& ws, T* const (&tau)[3]);

struct StateKernel {
  void (Motion<double>::*motion_q)(In<double>);
  void (Motion<double>::*motion_qv)(In<double>, In<double>);
  void (Motion<double>::*motion_qva)(In<double>, In<double>, In<double>);
  void (Kinematics<double>::*at_q)(In<double>);
  void (Kinematics<double>::*at_qv)(In<double>, In<double>);
  void (Kinematics<double>::*at_qva)(In<double>, In<double>, In<double>);
  void (*inverse_dynamics)(StatePlant, StateMotion, StateWorkspace, Out<double>,
                           ExternalWrenches<double>);
  void (*bias_torque)(StatePlant, StateMotion, StateWorkspace, Out<double>);
  void (*gravity_torque)(StatePlant, StateMotion, StateWorkspace, Out<double>,
                         ExternalWrenches<double>);
  void (*mass_matrix)(StatePlant, StateAt, StateWorkspace, OutMatrix<double>);
  bool (*inverse_mass_matrix)(StatePlant, StateAt, StateWorkspace, OutMatrix<double>);
  bool (*forward_dynamics)(StatePlant, StateAt, In<double>, StateWorkspace, Out<double>,
                           ExternalWrenches<double>);
  void (*frame_jacobian)(StateAt, const Frame&, Axes, OutMatrix<double>);
  void (*newton_euler_rates)(StatePlant, const Motion<double>&, const double*, const double*,
                             DriveWorkspace<double>&, double* const (&)[3]);
};

}  // namespace ulna::detail

extern "C" {
const ulna::detail::StateKernel& ulna_state_kernel_baseline();
const ulna::detail::StateKernel& ulna_state_kernel_avx2();
}

#if ULNA_STATE_KERNELS && !defined(ULNA_KERNEL)
namespace ulna {
template <>
void Motion<double>::set(In<double>);
template <>
void Motion<double>::set(In<double>, In<double>);
template <>
void Motion<double>::set(In<double>, In<double>, In<double>);
template <>
void Kinematics<double>::set(In<double>);
template <>
void Kinematics<double>::set(In<double>, In<double>);
template <>
void Kinematics<double>::set(In<double>, In<double>, In<double>);
template <>
void inverse_dynamics(const Plant<double>&, SameMotion<double>, Workspace<double>&, Out<double>,
                      ExternalWrenches<double>);
template <>
void bias_torque(const Plant<double>&, SameMotion<double>, Workspace<double>&, Out<double>);
template <>
void gravity_torque(const Plant<double>&, SameMotion<double>, Workspace<double>&, Out<double>,
                    ExternalWrenches<double>);
template <>
void mass_matrix(const Plant<double>&, const Kinematics<double>&, Workspace<double>&,
                 OutMatrix<double>);
template <>
bool inverse_mass_matrix(const Plant<double>&, const Kinematics<double>&, Workspace<double>&,
                         OutMatrix<double>);
template <>
bool forward_dynamics(const Plant<double>&, const Kinematics<double>&, In<double>,
                      Workspace<double>&, Out<double>, ExternalWrenches<double>);
template <>
void frame_jacobian(const Kinematics<double>&, const Frame&, Axes, OutMatrix<double>);
namespace detail {
template <>
void newton_euler_rates(const Plant<double>&, const Motion<double>&, const double*, const double*,
                        DriveWorkspace<double>&, double* const (&)[3]);
}
}  // namespace ulna
#endif
