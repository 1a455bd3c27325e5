#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_factor.hpp"

namespace ulna {

/// a with inverse_dynamics(q, v, a) = tau: how the robot accelerates under its torques, gravity,
/// friction and the wrenches. False, and a untouched, if the mass matrix is not positive
/// definite, as where a joint moves nothing that has inertia. By articulated bodies, or by the mass matrix where joints mimic others. Writes a (nv).
template <Scalar T>
[[nodiscard]] bool forward_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                                    Workspace<T>& ws, Out<T> a, ExternalWrenches<T> wrenches = {});

/// The same by articulated bodies [Featherstone 1983; 2008, ch. 7], O(n). Throws
/// std::invalid_argument for robots with mimicking joints.
template <Scalar T>
[[nodiscard]] bool articulated_body_dynamics(const Plant<T>& plant, const Kinematics<T>& at,
                                             In<T> tau, Workspace<T>& ws, Out<T> a,
                                             ExternalWrenches<T> wrenches = {});

/// The same by M^-1 (tau - bias).
template <Scalar T>
[[nodiscard]] bool mass_matrix_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                                        MassFactor<T>& factor, Workspace<T>& ws, Out<T> a,
                                        ExternalWrenches<T> wrenches = {});

/// The change of velocity that an impulse at a frame causes, M^-1 J'F, with the mass matrix factored.
template <Scalar T>
void impulse_response(const MassFactor<T>& factor, const Kinematics<T>& at,
                      const ExternalWrench<T>& impulse, Out<T> change);

}  // namespace ulna
