#pragma once

#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna {
namespace detail {

using lanes::V6;

// Where a vector is one register, a product across its lanes is best taken by itself; where it is three
// numbers, sums of products are best one chain of multiply-and-adds.

/// to + a x b
template <class T>
[[gnu::always_inline]] inline V3<T> plus_cross(const V3<T>& to, const V3<T>& a, const V3<T>& b) {
  return {to.x + a.y * b.z - a.z * b.y, to.y + a.z * b.x - a.x * b.z, to.z + a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] inline V3<double> plus_cross(const V3<double>& to, const V3<double>& a,
                                                    const V3<double>& b) {
  return to + cross(a, b);
}

/// to + (w, u) x (s, v), of motions
template <class T>
[[gnu::always_inline]] inline V6<T> plus_cross(const V6<T>& to, const V3<T>& w, const V3<T>& u,
                                               const V3<T>& s, const V3<T>& v) {
  return {plus_cross(to.angular, w, s), plus_cross(plus_cross(to.linear, w, v), u, s)};
}

/// 2B x + I y: what a body needs, B being its Coriolis matrix, when its velocity changes by a motion
/// that turns with x, and its acceleration by y = (w, v), in axes that are carried along.
template <class T, class Body>
[[gnu::always_inline]] inline V6<T> answer(const Body& B, const V3<T>& x, const V3<T>& w,
                                           const V3<T>& v) {
  return {plus_cross(B.B * x + w * B.second.trace() - B.second * w, B.first, v),
          plus_cross(plus_cross(v * B.mass, x, B.p), w, B.first)};
}

/// The products of the motion (w, v) with three wrenches, and a'b + c'd.
template <class T>
[[gnu::always_inline]] inline std::array<T, 4> four_products(
    const V3<T>& w, const V3<T>& v, const V6<T>& first, const V6<T>& second, const V6<T>& third,
    const V6<T>& a, const V6<T>& b, const V3<T>& c, const V3<T>& d) {
  return {dot2(w, first.angular, v, first.linear), dot2(w, second.angular, v, second.linear),
          dot2(w, third.angular, v, third.linear), dot(a, b) + dot(c, d)};
}
[[gnu::always_inline]] inline std::array<double, 4> four_products(
    const V3<double>& w, const V3<double>& v, const V6<double>& first, const V6<double>& second,
    const V6<double>& third, const V6<double>& a, const V6<double>& b, const V3<double>& c,
    const V3<double>& d) {
  const auto with = [&](const V6<double>& F) {
    return product(w, F.angular) + product(v, F.linear);
  };
  return sums(with(first), with(second), with(third), product(a, b) + product(c, d));
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
  set_state(q, v);
  const std::span<const Joint> joints = model.joints();
  for (int b = 1; b < model.body_count(); ++b) {
    set_inertia(plant, b);
    accelerate(b, joints[b].parent, a.data());
    set_rates(b, joints[b].parent);
  }
  differentiate(plant, a.data(), wrenches);
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::set_state(In<T> q, In<T> v) {
  using lanes::V3;
  state_.set(q, v);
  const Vec3<T> g = state_.model().gravity().template cast<T>();
  bodies_[0].A = {V3<T>::zero(), -V3<T>(g)};
}

template <Scalar T>
[[gnu::always_inline]] inline void InverseDynamicsDerivatives<T>::set_inertia(const Plant<T>& plant,
                                                                              int b) {
  Body& B = bodies_[b];
  detail::carry_to_world(plant.body(b), state_.R(b), state_.p(b), B);
  const lanes::V3<T>&w = state_.w(b), &u = state_.u(b);
  detail::set_coriolis<T>(B, lanes::V6<T>{w + w, u + u}, B);
}

template <Scalar T>
[[gnu::always_inline]] inline void InverseDynamicsDerivatives<T>::accelerate(int b, int parent,
                                                                             const T* a) {
  Body& B = bodies_[b];
  B.A = detail::plus_cross(bodies_[parent].A, state_.w(parent), state_.u(parent), state_.w(b),
                           state_.u(b));
  if (a)
    for (const auto& d : state_.directions(b)) {
      B.A.angular += d.w * a[d.dof];
      B.A.linear += d.v * a[d.dof];
    }
  // I A + V x* I V, the latter by the Coriolis matrix
  B.F = detail::answer(B, state_.w(b) * T(0.5), B.A.angular, B.A.linear);
}

template <Scalar T>
[[gnu::always_inline]] inline void InverseDynamicsDerivatives<T>::set_rates(int b, int parent) {
  const lanes::V3<T>&w = state_.w(parent), &u = state_.u(parent);
  const lanes::V6<T>& A = bodies_[parent].A;
  const auto own = state_.directions(b);
  Rates* rate = rates_.data() + (own.data() - state_.directions().data());
  for (const auto& d : own) {
    const lanes::V6<T> zero = lanes::V6<T>::zero();
    rate->first = detail::plus_cross(zero, w, u, d.w, d.v);
    rate->second = detail::plus_cross(detail::plus_cross(zero, A.angular, A.linear, d.w, d.v), w, u,
                                      rate->first.angular, rate->first.linear);
    // the only direction of a joint is not moved by it: the body carries it as the parent does
    if (own.size() == 1)
      rate->both = rate->first + rate->first;
    else
      rate->both = detail::plus_cross(rate->first, state_.w(b), state_.u(b), d.w, d.v);
    ++rate;
  }
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::set_torque(const Plant<T>& plant, const T* a,
                                               ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  for (int i = 0; i < model.nv(); ++i) {
    tau(i) = detail::friction_torque<T>(plant, i, state_.v()(i));
    if (a) tau(i) += plant.armature(i) * a[i];
  }
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = detail::at_origin(state_, given);
    detail::each_above(state_, given.frame->body,
                       [&](const auto& d) { tau(d.dof) -= dot(d.twist(), F); });
  }
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::set_bias(const Plant<T>& plant, ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  const std::span<const Joint> joints = model.joints();
  for (int b = 1; b < model.body_count(); ++b) {
    set_inertia(plant, b);
    accelerate(b, joints[b].parent, nullptr);
  }
  set_torque(plant, nullptr, wrenches);
  for (int b = model.body_count() - 1; b > 0; --b) {
    const Body& B = bodies_[b];
    for (const auto& d : state_.directions(b))
      tau(d.dof) += dot2(d.w, B.F.angular, d.v, B.F.linear);
    if (joints[b].parent > 0) bodies_[joints[b].parent].F += B.F;
  }
}

template <Scalar T>
bool InverseDynamicsDerivatives<T>::factor_mass_matrix(const Plant<T>& plant,
                                                       MassFactor<T>& factor) {
  const std::span<const Joint> joints = plant.model().joints();
  for (std::size_t b = joints.size() - 1; b > 0; --b) {
    auto& C = ws_.composites[b];
    C.mass = bodies_[b].mass, C.first = bodies_[b].first, C.second = bodies_[b].second;
  }
  for (std::size_t b = joints.size() - 1; b > 0; --b)
    if (joints[b].parent > 0) detail::add_body(ws_.composites[b], ws_.composites[joints[b].parent]);
  detail::compose_mass_matrix<false, T>(state_, ws_, da);
  for (Eigen::Index i = 0; i < da.cols(); ++i) da(i, i) += plant.armature(i);
  return factor.factor(da);
}

template <Scalar T>
void InverseDynamicsDerivatives<T>::differentiate(const Plant<T>& plant, const T* a,
                                                  ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  const std::span<const Joint> joints = model.joints();
  const int n = model.body_count(), nv = model.nv();
  set_torque(plant, a, wrenches);
  dq.setZero(), dv.setZero(), da.setZero();

  int k = static_cast<int>(rates_.size()) - 1;
  for (int b = n - 1; b > 0; --b) {
    const int first = k - static_cast<int>(state_.directions(b).size()) + 1;
    for (; k >= first; --k) differentiate(k, first);
    const int parent = joints[b].parent;
    if (parent == 0) continue;
    const Body& B = bodies_[b];
    Body& P = bodies_[parent];
    P.F += B.F;
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
void InverseDynamicsDerivatives<T>::differentiate(int k, int first) {
  using lanes::V3;
  using lanes::V6;
  const auto directions = state_.directions();
  const auto& S = directions[k];
  const Body& B = bodies_[S.body];
  const Rates& rate = rates_[k];
  tau(S.dof) += dot2(S.w, B.F.angular, S.v, B.F.linear);
  // what all the bodies that S moves need when q or v of S changes
  const V6<T> by_q = detail::answer(B, rate.first.angular, rate.second.angular, rate.second.linear);
  const V6<T> by_v = detail::answer(B, S.w, rate.both.angular, rate.both.linear);
  // and S as it feels what is done to those bodies
  V6<T> feels;
  detail::momentum<T>(B, S.w, S.v, feels.angular, feels.linear);
  const V3<T> feels_turning = B.B.transposed() * S.w + cross(B.p, S.v);

  const Eigen::Index nv = dq.rows(), c = S.dof;
  T *const q_c = dq.data() + c * nv, *const v_c = dv.data() + c * nv,
           *const a_c = da.data() + c * nv;
  const auto feel = [&](int o, const V6<T>& moved) __attribute__((always_inline)) {
    const auto& other = directions[o];
    const Rates& other_rate = rates_[o];
    const Eigen::Index r = other.dof, cr = (r - c) * nv + c;
    const auto [q_rc, v_rc, m, q_cr] =
        detail::four_products(other.w, other.v, moved, by_v, feels, feels, other_rate.second,
                              feels_turning, other_rate.first.angular);
    q_c[r] += q_rc;
    v_c[r] += v_rc;
    a_c[r] += m;
    if (o == k) return;
    a_c[cr] += m;
    q_c[cr] += q_cr;
    v_c[cr] += dot(feels, other_rate.both) + dot(feels_turning, other.w);
  };
  // directions above, first those of the same joint, which turn with the body
  int o = k;
  for (; o >= first; o = directions[o].above) feel(o, by_q);
  // to the others, the wrenches themselves are displaced
  const V6<T> moved = {
      detail::plus_cross(detail::plus_cross(by_q.angular, S.w, B.F.angular), S.v, B.F.linear),
      detail::plus_cross(by_q.linear, S.w, B.F.linear)};
  for (; o >= 0; o = directions[o].above) feel(o, moved);
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
      padded_(MatX<T>::Zero(detail::whole_blocks(model.nv()), 2)) {}

template <Scalar T>
bool ForwardDynamicsDerivatives<T>::operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau,
                                               ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  const Eigen::Index nv = model.nv();
  detail::require<T>("tau", tau, nv, model);
  if (!wrenches.empty()) detail::check_wrenches(wrenches, model);
  inverse_.set_state(q, v);
  inverse_.set_bias(plant, wrenches);
  if (!inverse_.factor_mass_matrix(plant, factor_)) return false;
  const std::span<const Joint> joints = model.joints();
  for (Eigen::Index i = 0; i < nv; ++i) a(i) = tau(i) - inverse_.tau(i);
  factor_.solve(a);
  for (int b = 1; b < model.body_count(); ++b) {
    inverse_.accelerate(b, joints[b].parent, a.data());
    inverse_.set_rates(b, joints[b].parent);
  }
  inverse_.differentiate(plant, a.data(), wrenches);
  const MatX<T>& M_inverse = factor_.padded_inverse();
  dtau = M_inverse.topRows(nv);
  for (int k = 0; k < nv; ++k) {
    detail::sparse_product<2, T>(
        M_inverse, factor_.related(k), {inverse_.dq.data() + k * nv, inverse_.dv.data() + k * nv},
        {padded_.data(), padded_.data() + M_inverse.rows()}, 0, M_inverse.rows());
    for (int r = 0; r < nv; ++r) dq(r, k) = -padded_(r, 0), dv(r, k) = -padded_(r, 1);
  }
  return true;
}

}  // namespace ulna
