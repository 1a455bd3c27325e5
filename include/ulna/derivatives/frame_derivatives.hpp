#pragma once

#include "ulna/dynamics/kinematics.hpp"

/// Derivatives of where frames are and how they move. By q along the tangent space, as everywhere.
namespace ulna {

/// dJ/dt along the motion (6 x nv): frame_acceleration = J a + dJ/dt v.
template <Scalar T>
void frame_jacobian_rate(const Kinematics<T>& at, const Frame& frame, Axes axes,
                         OutMatrix<T> J_rate);

/// The kinematic Hessian (6 x nv nv): columns [k nv, (k + 1) nv) are the change of the Jacobian per
/// unit displacement along k.
template <Scalar T>
void frame_hessian(const Kinematics<T>& at, const Frame& frame, Axes axes, OutMatrix<T> H);

/// The slopes (6 x nv each) of frame_velocity by q, and of frame_acceleration by q and v. Those by v
/// of the velocity and by a of the acceleration are the Jacobian.
template <Scalar T>
void frame_motion_derivatives(const Kinematics<T>& at, const Frame& frame, Axes axes,
                              OutMatrix<T> velocity_dq, OutMatrix<T> acceleration_dq,
                              OutMatrix<T> acceleration_dv);

}  // namespace ulna
