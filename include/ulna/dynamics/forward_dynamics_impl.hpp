#pragma once

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna {
namespace detail {

/// D^-1 of a symmetric positive matrix of up to 6 x 6. False if it is not positive.
template <Scalar T>
Mask<T> invert_small(const Mat6<T>& D, int n, Mat6<T>& inverse) {
  Mask<T> positive = T(0) < T(1);
  if (n == 1) {
    inverse(0, 0) = T(1) / D(0, 0);
    return D(0, 0) > T(0);
  }
  // D = C C', then the inverse by columns
  Mat6<T> C = Mat6<T>::Zero();
  for (int j = 0; j < n; ++j) {
    T d = D(j, j);
    for (int k = 0; k < j; ++k) d -= C(j, k) * C(j, k);
    positive = positive && d > T(0);
    C(j, j) = sqrt(d);
    for (int i = j + 1; i < n; ++i) {
      T s = D(i, j);
      for (int k = 0; k < j; ++k) s -= C(i, k) * C(j, k);
      C(i, j) = s / C(j, j);
    }
  }
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < n; ++i) {
      T s(i == c ? 1.0 : 0.0);
      for (int k = 0; k < i; ++k) s -= C(i, k) * inverse(k, c);
      inverse(i, c) = s / C(i, i);
    }
    for (int i = n - 1; i >= 0; --i) {
      T s = inverse(i, c);
      for (int k = i + 1; k < n; ++k) s -= C(k, i) * inverse(k, c);
      inverse(i, c) = s / C(i, i);
    }
  }
  return positive;
}

}  // namespace detail

template <Scalar T>
bool articulated_body_dynamics(const Plant<T>& plant, const State<T>& state, In<T> tau,
                               Workspace<T>& ws, Out<T> a, ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  const int n = model.body_count();
  detail::require<T>("tau", tau, model.nv(), model);
  detail::require_size("a", a.size(), model.nv(), model);
  for (const Joint& j : model.joints())
    if (j.mimics)
      throw std::invalid_argument(
          "articulated bodies cannot have mimicking joints; use ForwardDynamics");
  if (!wrenches.empty()) detail::check_wrenches(wrenches, model);

  using lanes::V3;
  using lanes::V6;
  const std::span<const Joint> joints = model.joints();

  // outward: inertia and bias force of each body alone, V x* I V
  for (int b = 1; b < n; ++b) {
    auto& B = ws.articulated[b];
    detail::carry_to_world(plant.body(b), state.R(b), state.p(b), ws.composites[b]);
    const auto& C = ws.composites[b];
    B.I.set_inertia(C.mass, C.first, C.second);
    const V3<T>&w = state.w(b), &u = state.u(b);
    V3<T> moment, force;
    detail::momentum(C, w, u, moment, force);
    B.p = {cross(w, moment) + cross(u, force), cross(w, force)};
    // V x V_J, and V_J is what the parent does not have
    const V3<T> wJ = w - state.w(joints[b].parent), uJ = u - state.u(joints[b].parent);
    B.c = {cross(w, wJ), cross(w, uJ) + cross(u, wJ)};
  }
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = detail::at_origin(state, given);
    ws.articulated[given.frame->body].p.angular -= V3<T>(F.moment);
    ws.articulated[given.frame->body].p.linear -= V3<T>(F.force);
  }

  // inward: what a body feels like to its parent once its joint is free to move
  Mask<T> possible = T(0) < T(1);
  for (int b = n - 1; b > 0; --b) {
    auto& B = ws.articulated[b];
    const auto directions = state.directions(b);
    const int k = static_cast<int>(directions.size());
    Mat6<T> D;
    for (int i = 0; i < k; ++i) B.U[i] = B.I * V6<T>{directions[i].w, directions[i].v};
    for (int i = 0; i < k; ++i) {
      const auto& S = directions[i];
      for (int j = 0; j < k; ++j) D(i, j) = dot2(S.w, B.U[j].angular, S.v, B.U[j].linear);
      D(i, i) += plant.armature(S.dof);
      B.u[i] = tau(S.dof) - detail::friction_torque<T>(plant, S.dof, state.v()(S.dof)) -
               dot2(S.w, B.p.angular, S.v, B.p.linear);
    }
    possible = possible && detail::invert_small<T>(D, k, B.D_inverse);
    const int parent = joints[b].parent;
    if (parent == 0) continue;
    auto& P = ws.articulated[parent];
    P.p += B.p + B.I * B.c;
    P.I += B.I;
    for (int i = 0; i < k; ++i) {
      V6<T> UD = B.U[0] * B.D_inverse(0, i);
      for (int j = 1; j < k; ++j) UD += B.U[j] * B.D_inverse(j, i);
      P.I.subtract_outer(UD, B.U[i]);
      P.p += UD * T(B.u[i] - dot(B.U[i], B.c));
    }
  }
  if (!all(possible)) return false;

  // outward: accelerations, the world's against gravity
  ws.articulated[0].A = {V3<T>::zero(), -V3<T>(Vec3<T>(model.gravity().template cast<T>()))};
  for (int b = 1; b < n; ++b) {
    auto& B = ws.articulated[b];
    const auto directions = state.directions(b);
    const int k = static_cast<int>(directions.size());
    const V6<T> A = ws.articulated[joints[b].parent].A + B.c;
    B.A = A;
    for (int i = 0; i < k; ++i) {
      T qdd(0);
      for (int j = 0; j < k; ++j) qdd += B.D_inverse(i, j) * (B.u[j] - dot(B.U[j], A));
      a(directions[i].dof) = qdd;
      B.A += V6<T>{directions[i].w, directions[i].v} * qdd;
    }
  }
  return true;
}

template <Scalar T>
bool mass_matrix_dynamics(const Plant<T>& plant, const Configuration<T>& at, In<T> v, In<T> tau,
                          MassFactor<T>& factor, Workspace<T>& ws, Out<T> a,
                          ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require<T>("v", v, model.nv(), model);
  detail::require<T>("tau", tau, model.nv(), model);
  detail::require_size("a", a.size(), model.nv(), model);
  if (!wrenches.empty()) detail::check_wrenches(wrenches, model);
  if (!factor.factor(plant, at, ws)) return false;
  detail::newton_euler<T>(plant, at.q().data(), v.data(), nullptr, ws, wrenches, ws.bias.data());
  for (Eigen::Index i = 0; i < a.size(); ++i)
    a(i) = tau(i) - ws.bias(i) - detail::friction_torque<T>(plant, i, v(i));
  factor.solve(a);
  return true;
}

template <Scalar T>
void impulse_response(const MassFactor<T>& factor, const Configuration<T>& at,
                      const ExternalWrench<T>& impulse, Out<T> change) {
  detail::require_size("change", change.size(), at.model().nv(), at.model());
  change.setZero();
  add_wrench_torque<T>(at, impulse, change);
  factor.solve(change);
}

template <Scalar T>
ForwardDynamics<T>::ForwardDynamics(const Model& model) : state_(model), ws_(model) {
  for (const Joint& j : model.joints())
    if (j.mimics && !factor_) factor_.emplace(model);
}

template <Scalar T>
bool ForwardDynamics<T>::operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau, Out<T> a,
                                    ExternalWrenches<T> wrenches) {
  state_.set(q, v);
  return factor_ ? mass_matrix_dynamics<T>(plant, state_, v, tau, *factor_, ws_, a, wrenches)
                 : articulated_body_dynamics<T>(plant, state_, tau, ws_, a, wrenches);
}

}  // namespace ulna
