#pragma once

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"
#include "ulna/dynamics/inverse_mass_matrix_impl.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"

namespace ulna {
namespace detail {

/// Inertia, bias force p = V x* I V and bias acceleration c = V x V_J of each body alone.
template <Scalar T>
void set_rigid_bodies(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                      ExternalWrenches<T> wrenches) {
  const std::span<const Joint> joints = plant.model().joints();
  for (int b = 1; b < static_cast<int>(joints.size()); ++b) {
    auto& B = ws.articulated[b];
    auto& C = ws.composites[b];
    carry_to_world(plant.body(b), at.R(b), at.p(b), C);
    B.I.set_inertia(C.mass, C.first, C.second);
    const V3<T>&w = at.w(b), &u = at.u(b);
    V3<T> moment, force;
    momentum(C, w, u, moment, force);
    B.p = {cross(w, moment) + cross(u, force), cross(w, force)};
    // V_J is what the parent does not have
    const V3<T> wJ = w - at.w(joints[b].parent), uJ = u - at.u(joints[b].parent);
    B.c = {cross(w, wJ), cross(w, uJ) + cross(u, wJ)};
  }
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = at_origin(at, given);
    ws.articulated[given.frame->body].p -= V6<T>{V3<T>(F.moment), V3<T>(F.force)};
  }
}

/// The recursion. A joint of several degrees of freedom is as many joints of one, with nothing between.
template <Scalar T>
bool articulated_bodies(const Plant<T>& plant, const Kinematics<T>& at, const T* tau,
                        Workspace<T>& ws, ExternalWrenches<T> wrenches, T* a) {
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(joints.size());
  set_rigid_bodies(plant, at, ws, wrenches);

  // inward: inertia and bias force that the parent meets, the joint being free to move
  Mask<T> possible = T(0) < T(1);
  for (int b = n - 1; b > 0; --b) {
    auto& B = ws.articulated[b];
    const auto own = at.directions(b);
    for (int i = static_cast<int>(own.size()) - 1; i >= 0; --i) {
      const V6<T> S = own[i].axis();
      const int dof = own[i].dof;
      B.U[i] = B.I * S;
      const T D = dot(S, B.U[i]) + plant.armature(dof);
      possible = possible && D > T(0);
      B.D_inverse[i] = T(1) / D;
      B.u[i] = tau[dof] - friction_torque<T>(plant, dof, at.v()(dof)) - dot(S, B.p);
      const V6<T> UD = B.U[i] * B.D_inverse[i];
      B.I.subtract_outer(UD, B.U[i]);
      B.p += UD * B.u[i];
    }
    if (joints[b].parent == 0) continue;  // nothing moves the ground
    auto& P = ws.articulated[joints[b].parent];
    P.I += B.I;
    P.p += B.p + B.I * B.c;
  }
  if (!all(possible)) return false;

  // outward: accelerations
  ws.articulated[0].A = world_acceleration<T>(plant.model());
  for (int b = 1; b < n; ++b) {
    auto& B = ws.articulated[b];
    B.A = ws.articulated[joints[b].parent].A + B.c;
    for (int i = 0; const auto& S : at.directions(b)) {
      a[S.dof] = B.D_inverse[i] * (B.u[i] - dot(B.U[i], B.A));
      B.A += S.axis() * a[S.dof], ++i;
    }
  }
  return true;
}

template <Scalar T>
void require_forward(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau, Eigen::Index a_size,
                     ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  require_same_robot<T>(plant, at);
  require<T>("tau", tau, model.nv(), model);
  require_size("a", a_size, model.nv(), model);
  check_wrenches(wrenches, model);
}

}  // namespace detail

template <Scalar T>
bool articulated_body_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                               Workspace<T>& ws, Out<T> a, ExternalWrenches<T> wrenches) {
  detail::require_forward<T>(plant, at, tau, a.size(), wrenches);
  if (plant.model().has_mimics())
    throw std::invalid_argument(
        "articulated bodies cannot have mimicking joints; use forward_dynamics");
  return detail::articulated_bodies(plant, at, tau.data(), ws, wrenches, a.data());
}

template <Scalar T>
bool mass_matrix_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                          MassFactor<T>& factor, Workspace<T>& ws, Out<T> a,
                          ExternalWrenches<T> wrenches) {
  detail::require_forward<T>(plant, at, tau, a.size(), wrenches);
  if (!factor.factor(plant, at, ws)) return false;
  detail::newton_euler_torque<T>(plant, at, at.motion().tree_v(), nullptr, ws, wrenches,
                                 ws.bias.data());
  for (Eigen::Index i = 0; i < a.size(); ++i)
    a(i) = tau(i) - ws.bias(i) - detail::friction_torque<T>(plant, i, at.v()(i));
  factor.solve(a);
  return true;
}

template <Scalar T>
bool forward_dynamics(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau, Workspace<T>& ws,
                      Out<T> a, ExternalWrenches<T> wrenches) {
  return plant.model().has_mimics()
             ? mass_matrix_dynamics<T>(plant, at, tau, ws.factor, ws, a, wrenches)
             : articulated_body_dynamics<T>(plant, at, tau, ws, a, wrenches);
}

template <Scalar T>
void impulse_response(const MassFactor<T>& factor, const Kinematics<T>& at,
                      const ExternalWrench<T>& impulse, Out<T> change) {
  detail::require_size("change", change.size(), at.model().nv(), at.model());
  change.setZero();
  add_wrench_torque<T>(at, impulse, change);
  factor.solve(change);
}

}  // namespace ulna
