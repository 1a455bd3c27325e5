#pragma once

#include "ulna/dynamics/external_wrench.hpp"
#include "ulna/dynamics/motion.hpp"
#include "ulna/dynamics/workspace.hpp"

namespace ulna {

/// tau = M(q) a + C(q, v) v + g(q) + friction(v) - Σ J'F: the torques of a motion. Newton-Euler
/// recursion in body frames [Luh, Walker, Paul 1980; Featherstone 2008, ch. 5; Fu 1987, sec. 3.3; Cărămizaru 2023,
/// Alg. 1]. Writes tau (nv). O(n).
template <Scalar T>
void inverse_dynamics(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau,
                      ExternalWrenches<T> wrenches = {});

/// The same, and what each joint transmits: joint_wrenches[b] is what the parent exerts on body b, in
/// the user's frame of b, as a 6-axis sensor there would read it. [0] is what the ground exerts on
/// the base.
template <Scalar T>
void inverse_dynamics(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau,
                      std::span<Wrench<T>> joint_wrenches, ExternalWrenches<T> wrenches = {});

/// C(q, v) v + g(q): inverse dynamics without acceleration, friction or wrenches.
template <Scalar T>
void bias_torque(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau);

/// g(q) - Σ J'F: the torques that hold the robot still, against gravity and the wrenches.
template <Scalar T>
void gravity_torque(const Plant<T>& plant, SameMotion<T> motion, Workspace<T>& ws, Out<T> tau,
                    ExternalWrenches<T> wrenches = {});

/// What the joints resist with at v: damping v, and the Coulomb level by the sign of v.
template <Scalar T>
void add_friction(const Plant<T>& plant, In<T> v, Out<T> tau);

}  // namespace ulna
