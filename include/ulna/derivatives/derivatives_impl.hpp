#pragma once

#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna {
namespace detail {

using lanes::V6;

/// result = -A X, with the rows of A padded to whole SIMD registers of four.
template <Scalar T>
void minus_product(const MatX<T>& A, const MatX<T>& X, MatX<T>& result) {
  const Eigen::Index n = X.rows(), rows = A.rows();
  for (Eigen::Index c = 0; c < X.cols(); ++c) {
    const T* const x = X.data() + c * n;
    T* const to = result.data() + c * result.rows();
    for (Eigen::Index r = 0; r < rows; r += 4) {
      using Four = Eigen::Matrix<T, 4, 1>;
      Four sum = Four::Constant(T(0));
      const T* from = A.data() + r;
      for (Eigen::Index k = 0; k < n; ++k, from += rows) sum -= Eigen::Map<const Four>(from) * x[k];
      if (r + 4 <= n) {
        Eigen::Map<Four>(to + r) = sum;
      } else {
        for (Eigen::Index i = 0; r + i < n; ++i) to[r + i] = sum(i);
      }
    }
  }
}

/// What a wrench changes by when its body is displaced along S, in world axes at `origin`.
template <Scalar T>
Wrench<T> wrench_moved(const ExternalWrench<T>& given, const Wrench<T>& F, const Vec3<T>& point,
                       const Twist<T>& S) {
  if (given.axes == Axes::local) return cross(S, F);
  if (given.axes == Axes::world) return {};
  // its point moves along, its axes do not
  const Vec3<T> moved = S.linear + cross(S.angular, point);
  return {cross(moved, F.force), Vec3<T>::Zero()};
}

}  // namespace detail

template <Scalar T>
InverseDynamicsDerivatives<T>::InverseDynamicsDerivatives(const Model& model)
    : tau(VecX<T>::Zero(model.nv())),
      dq(MatX<T>::Zero(model.nv(), model.nv())),
      dv(dq),
      da(dq),
      state_(model),
      ws_(model),
      bodies_(model.body_count()),
      rates_(state_.directions().size()) {}

template <Scalar T>
void InverseDynamicsDerivatives<T>::operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> a,
                                               ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require<T>("a", a, model.nv(), model);
  if (!wrenches.empty()) detail::check_wrenches(wrenches, model);
  set(plant, q, v);
  accelerate(plant, a.data(), wrenches);
  differentiate(plant, wrenches);
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::set(const Plant<T>& plant, In<T> q, In<T> v) {
  using lanes::V3;
  state_.set(q, v);
  const int n = plant.model().body_count();
  for (int b = 1; b < n; ++b) {
    Body& B = bodies_[b];
    detail::carry_to_world(plant.body(b), state_.R(b), state_.p(b), B);
    const lanes::V6<T> V = state_.motion(b);
    detail::set_coriolis<T>(B, V + V, B);
  }
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::accelerate(const Plant<T>& plant, const T* a,
                                               ExternalWrenches<T> wrenches) {
  using lanes::V3;
  const Model& model = plant.model();
  const std::span<const Joint> joints = model.joints();
  const int n = model.body_count(), nv = model.nv();
  bodies_[0].A = {V3<T>::zero(), -V3<T>(Vec3<T>(model.gravity().template cast<T>()))};
  for (int b = 1; b < n; ++b) {
    Body& B = bodies_[b];
    const int parent = joints[b].parent;
    const V3<T>&w = state_.w(b), &u = state_.u(b);
    B.A = bodies_[parent].A +
          cross(state_.motion(b), lanes::V6<T>{w - state_.w(parent), u - state_.u(parent)});
    if (a)
      for (const auto& d : state_.directions(b)) B.A += d.motion() * a[d.dof];
    // a point r accelerates by c + U r
    const V3<T> c = B.A.linear + cross(w, u);
    detail::newton_euler_equations<T>(B, c, detail::point_acceleration(w, B.A.angular), B.F.linear,
                                      B.F.angular);
  }
  for (int i = 0; i < nv; ++i) tau(i) = T(0);
  for (int b = n - 1; b > 0; --b) {
    const Body& B = bodies_[b];
    for (const auto& d : state_.directions(b))
      tau(d.dof) += dot2(d.w, B.F.angular, d.v, B.F.linear);
    if (joints[b].parent > 0) bodies_[joints[b].parent].F += B.F;
  }
  for (int i = 0; i < nv; ++i)
    tau(i) += detail::friction_torque<T>(plant, i, state_.v()(i)) +
              (a ? T(plant.armature(i) * a[i]) : T(0));
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = detail::at_origin(state_, given);
    detail::each_above(state_, given.frame->body,
                       [&](const auto& d) { tau(d.dof) -= dot(d.twist(), F); });
  }
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::differentiate(const Plant<T>& plant,
                                                  ExternalWrenches<T> wrenches) {
  using lanes::V3;
  using lanes::V6;
  const Model& model = plant.model();
  const std::span<const Joint> joints = model.joints();
  const auto directions = state_.directions();
  const int n = model.body_count(), nv = model.nv();
  dq.setZero(), dv.setZero(), da.setZero();

  for (std::size_t k = 0; k < directions.size(); ++k) {
    const auto& S = directions[k];
    const int parent = joints[S.body].parent;
    const V6<T> V = state_.motion(parent), motion = S.motion();
    Rates& rate = rates_[k];
    rate.first = cross(V, motion);
    rate.second = cross(bodies_[parent].A, motion) + cross(V, rate.first);
    rate.both = rate.first + cross(state_.motion(S.body), motion);
  }

  int k = static_cast<int>(directions.size()) - 1;
  for (int b = n - 1; b > 0; --b) {
    const Body& B = bodies_[b];
    const lanes::M3<T> Bt = B.B.transposed();
    const int first = k - static_cast<int>(state_.directions(b).size()) + 1;
    for (; k >= first; --k) {
      const auto& S = directions[k];
      const Rates& rate = rates_[k];
      const auto coriolis = [&](const V3<T>& w) { return V6<T>{B.B * w, cross(w, B.p)}; };
      // what all the bodies that S moves need when q or v of S changes
      const V6<T> by_q = coriolis(rate.first.angular) + detail::momentum<T>(B, rate.second);
      const V6<T> by_v = coriolis(S.w) + detail::momentum<T>(B, rate.both);
      // and S as it feels what is done to those bodies
      const V6<T> feels = detail::momentum<T>(B, S.motion());
      const V3<T> feels_turning = Bt * S.w + cross(B.p, S.v);

      // directions above, first those of the same joint, which turn with the body
      V6<T> moved = by_q;
      bool same_joint = true;
      for (int o = k; o >= 0; o = directions[o].above) {
        const auto& other = directions[o];
        const Rates& other_rate = rates_[o];
        if (same_joint && o < first) {
          // to the others, the wrenches themselves are displaced
          moved += cross_force(S.motion(), B.F);
          same_joint = false;
        }
        const int r = other.dof, c = S.dof;
        const V6<T> S_o = other.motion();
        const auto [q_rc, v_rc, m, q_cr] = sums(
            product(S_o, moved), product(S_o, by_v), product(S_o, feels),
            product(feels, other_rate.second) + product(feels_turning, other_rate.first.angular));
        dq(r, c) += q_rc;
        dv(r, c) += v_rc;
        da(r, c) += m;
        if (o == k) continue;
        da(c, r) += m;
        dq(c, r) += q_cr;
        dv(c, r) += dot(feels, other_rate.both) + dot(feels_turning, other.w);
      }
    }
    const int parent = joints[b].parent;
    if (parent == 0) continue;
    Body& P = bodies_[parent];
    detail::add_body(B, P);
    P.B += B.B;
    P.p += B.p;
  }
  for (int i = 0; i < nv; ++i) {
    da(i, i) += plant.armature(i);
    dv(i, i) += plant.damping(i);
  }
  for (const ExternalWrench<T>& given : wrenches) differentiate(given);
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::differentiate(const ExternalWrench<T>& given) {
  // tau has -S'F of each direction S above: F moves with the body, S with the directions above it
  const Wrench<T> F = detail::at_origin(state_, given);
  const Vec3<T> point = detail::place_from_origin(state_, *given.frame).vec();
  detail::each_above(state_, given.frame->body, [&](const auto& k) {
    const Wrench<T> moved = detail::wrench_moved(given, F, point, k.twist());
    detail::each_above(state_, given.frame->body, [&](const auto& o) {
      T change = dot(o.twist(), moved);
      if (detail::carries(k, o)) change += dot(cross(k.twist(), o.twist()), F);
      dq(o.dof, k.dof) -= change;
    });
  });
}

template <Scalar T>
ForwardDynamicsDerivatives<T>::ForwardDynamicsDerivatives(const Model& model)
    : a(VecX<T>::Zero(model.nv())),
      dq(MatX<T>::Zero(model.nv(), model.nv())),
      dv(dq),
      dtau(dq),
      inverse_(model),
      factor_(model),
      padded_(MatX<T>::Zero((model.nv() + 3) / 4 * 4, model.nv())) {}

template <Scalar T>
bool ForwardDynamicsDerivatives<T>::operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau,
                                               ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  const Eigen::Index nv = model.nv();
  detail::require<T>("tau", tau, nv, model);
  if (!wrenches.empty()) detail::check_wrenches(wrenches, model);
  inverse_.set(plant, q, v);
  if (!factor_.factor(plant, inverse_.state_, inverse_.ws_)) return false;
  inverse_.accelerate(plant, nullptr, wrenches);
  for (Eigen::Index i = 0; i < nv; ++i) a(i) = tau(i) - inverse_.tau(i);
  factor_.solve(a);
  inverse_.accelerate(plant, a.data(), wrenches);
  inverse_.differentiate(plant, wrenches);
  factor_.inverse(dtau);
  padded_.topRows(nv) = dtau;
  detail::minus_product(padded_, inverse_.dq, dq);
  detail::minus_product(padded_, inverse_.dv, dv);
  return true;
}

}  // namespace ulna
