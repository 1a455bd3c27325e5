#pragma once

#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/forward_dynamics_impl.hpp"

namespace ulna {
namespace detail {

/// 2B x + I y: the wrench a body needs, B being its Coriolis matrix, when its velocity changes by a
/// motion that turns with x, and its acceleration by y = (w, v), in axes that are carried along.
template <class T, class Body>
[[gnu::always_inline]] inline V6<T> needed_wrench(const Body& B, const V3<T>& x, const V3<T>& w,
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
template <lanes::Plain T>
[[gnu::always_inline]] inline std::array<T, 4> four_products(
    const V3<T>& w, const V3<T>& v, const V6<T>& first, const V6<T>& second, const V6<T>& third,
    const V6<T>& a, const V6<T>& b, const V3<T>& c, const V3<T>& d) {
  const auto with = [&](const V6<T>& F) { return product(w, F.angular) + product(v, F.linear); };
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

// --- of one body, parents first ---

template <Scalar T>
[[gnu::always_inline]] inline void set_inertia(const Plant<T>& plant, const Kinematics<T>& at,
                                               int b, DerivativeWorkspace<T>& ws) {
  auto& B = ws.bodies[b];
  carry_to_world(plant.body(b), at.R(b), at.p(b), B);
  set_coriolis<T>(B, at.velocity(b) + at.velocity(b), B);
}

/// Acceleration and wrench of the body alone: I A + V x* I V, the latter by the Coriolis matrix.
template <Scalar T>
[[gnu::always_inline]] inline void accelerate(const Kinematics<T>& at, int b, int parent,
                                              const T* a, DerivativeWorkspace<T>& ws) {
  auto& B = ws.bodies[b];
  B.A = accelerated(at, parent, b, ws.bodies[parent].A, a);
  B.F = needed_wrench(B, at.w(b) * T(0.5), B.A.angular, B.A.linear);
}

template <Scalar T>
[[gnu::always_inline]] inline void set_rates(const Kinematics<T>& at, int b, int parent,
                                             DerivativeWorkspace<T>& ws) {
  const V3<T>&w = at.w(parent), &u = at.u(parent);
  const V6<T>&A = ws.bodies[parent].A, zero = V6<T>::zero();
  const auto own = at.directions(b);
  auto* rate = ws.rates.data() + (own.data() - at.directions().data());
  for (const auto& d : own) {
    rate->first = plus_cross(zero, w, u, d.w, d.v);
    rate->second = plus_cross(plus_cross(zero, A.angular, A.linear, d.w, d.v), w, u,
                              rate->first.angular, rate->first.linear);
    // the only direction of a joint is not moved by it: the body carries it as the parent does
    rate->both = own.size() == 1 ? rate->first + rate->first
                                 : plus_cross(rate->first, at.w(b), at.u(b), d.w, d.v);
    ++rate;
  }
}

template <Scalar T>
void set_world(const Plant<T>& plant, DerivativeWorkspace<T>& ws) {
  const V3<T> zero = V3<T>::zero();
  ws.bodies[0] = {world_acceleration<T>(plant.gravity),
                  V6<T>::zero(),
                  T(0),
                  zero,
                  lanes::S3<T>::zero(),
                  M3<T>::zero(),
                  zero};
}

// --- of all ---

/// The torques of all but the bodies themselves: rotors, friction and wrenches.
template <Scalar T>
void set_other_torques(const Plant<T>& plant, const Kinematics<T>& at, const T* a,
                       ExternalWrenches<T> wrenches, VecX<T>& tau) {
  for (Eigen::Index i = 0; i < tau.size(); ++i) {
    tau(i) = friction_torque<T>(plant, i, at.v()(i));
    if (a) tau(i) += plant.armature(i) * a[i];
  }
  for (const ExternalWrench<T>& given : wrenches) {
    const Wrench<T> F = at_origin(at, given);
    each_above(at, given.frame->body, [&](const auto& d) { tau(d.dof) -= dot(d.twist(), F); });
  }
}

/// Inertias, accelerations and wrenches without a, and the torques tau they need.
template <Scalar T>
void set_bias(const Plant<T>& plant, const Kinematics<T>& at, DerivativeWorkspace<T>& ws,
              VecX<T>& tau, ExternalWrenches<T> wrenches) {
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(joints.size());
  for (int b = 1; b < n; ++b) {
    set_inertia(plant, at, b, ws);
    accelerate<T>(at, b, joints[b].parent, nullptr, ws);
  }
  set_other_torques<T>(plant, at, nullptr, wrenches, tau);
  for (int b = n - 1; b > 0; --b) {
    const V6<T>& F = ws.bodies[b].F;
    for (const auto& d : at.directions(b)) tau(d.dof) += dot2(d.w, F.angular, d.v, F.linear);
    ws.bodies[joints[b].parent].F += F;
  }
}

/// The coordinates that carry k, and those that k carries: before and after k in ws.related, which has
/// two marks for each.
template <Scalar T>
std::span<const int> above(const DerivativeWorkspace<T>& ws, int k) {
  return {ws.related.data() + ws.related_begin[2 * k],
          ws.related.data() + ws.related_begin[2 * k + 1]};
}
template <Scalar T>
std::span<const int> below(const DerivativeWorkspace<T>& ws, int k) {
  return {ws.related.data() + ws.related_begin[2 * k + 1],
          ws.related.data() + ws.related_begin[2 * k + 2]};
}

/// to[j] -= x from[j] for j <= i. Numbers after i may change, if they lie in the same block of four.
template <Scalar T>
[[gnu::always_inline]] inline void subtract_row(const T& x, const T* from, T* to, int i) {
  using Four = lanes::Four<T>;
  for (int j = 0; j <= i; j += 4) {
    Four rest = Four::load(to + j);
    rest.add_product(Four::load(from + j), -x);
    rest.store(to + j);
  }
}

/// M = L'D L from the inertias, as sparse as the tree [Featherstone 2008, sec. 6.5]: row k of L, with 1/D on
/// the diagonal, as a column of ws.dynamics.inverse. False if M is not positive definite.
template <Scalar T>
bool factor_mass_matrix(const Plant<T>& plant, const Kinematics<T>& at,
                        DerivativeWorkspace<T>& ws) {
  for (std::size_t b = 1; b < ws.bodies.size(); ++b) {
    auto& own = ws.dynamics.composites[b];
    own.mass = ws.bodies[b].mass;
    own.first = ws.bodies[b].first, own.second = ws.bodies[b].second;
  }
  compose_bodies(plant.model().joints(), ws.dynamics);
  MatX<T>& L = ws.dynamics.inverse;
  set_mass_matrix<false>(plant, at, ws.dynamics, L.data(), L.rows());
  Mask<T> positive = T(0) < T(1);
  for (int k = static_cast<int>(L.cols()) - 1; k >= 0; --k) {
    T* const row = L.data() + k * L.rows();
    positive = positive && row[k] > T(0);
    row[k] = T(1) / row[k];
    const std::span<const int> path = above(ws, k);
    for (std::size_t end = path.size(); end > 0; --end) {
      const int i = path[end - 1];
      const T x = row[i] * row[k];
      // what is no ancestor of k is zero in its row
      subtract_row(x, row, L.data() + i * L.rows(), i);
      row[i] = x;
    }
  }
  return all(positive);
}

/// x := M^-1 x
template <Scalar T>
void solve(const DerivativeWorkspace<T>& ws, VecX<T>& x) {
  const MatX<T>& L = ws.dynamics.inverse;
  const int n = static_cast<int>(L.cols());
  for (int k = n - 1; k >= 0; --k) {
    const T* const row = L.data() + k * L.rows();
    const T x_k = x(k);
    for (const int i : above(ws, k)) x(i) -= row[i] * x_k;
  }
  for (int k = 0; k < n; ++k) {
    const T* const row = L.data() + k * L.rows();
    T sum = x(k) * row[k];
    for (const int i : above(ws, k)) sum -= row[i] * x(i);
    x(k) = sum;
  }
}

/// Rows r to r + 4 B of the columns of R, what the registers hold: each target column, scaled, less
/// Σ x_k (column k). The second target has the first among its columns as well.
template <int B, std::size_t N, Scalar T>
[[gnu::always_inline]] inline void subtract_columns(
    MatX<T>& R, Eigen::Index r, const std::array<int, N>& targets, std::span<const int> columns,
    const std::array<const T*, N>& x, Eigen::Index stride, const std::array<T, N>& scale) {
  using Four = lanes::Four<T>;
  T* const data = R.data() + r;
  const Eigen::Index ld = R.rows();
  const auto rows = [&](int k) __attribute__((always_inline)) { return data + k * ld; };
  Four sum[N][B];
  for (std::size_t t = 0; t < N; ++t)
    for (int i = 0; i < B; ++i) sum[t][i] = Four::load(rows(targets[t]) + 4 * i) * scale[t];
  for (const int k : columns) {
    const T* const from = rows(k);
    T factor[N];
    for (std::size_t t = 0; t < N; ++t) factor[t] = -x[t][k * stride];
    for (int i = 0; i < B; ++i) {
      const Four column = Four::load(from + 4 * i);
      for (std::size_t t = 0; t < N; ++t) sum[t][i].add_product(column, factor[t]);
    }
  }
  for (std::size_t t = 0; t < N; ++t)
    for (int i = 0; i < B; ++i) {
      if (t == 1) sum[1][i].add_product(sum[0][i], -x[1][targets[0] * stride]);
      sum[t][i].store(rows(targets[t]) + 4 * i);
    }
}

/// The same of many right-hand sides, side by side in the columns of ws.columns, of which column k belongs
/// to coordinate k: 4 B of them, each computed in one go from those that it depends on, and two
/// coordinates at a time where one hangs on the other alone.
template <int B, Scalar T>
void solve_sides(DerivativeWorkspace<T>& ws, Eigen::Index r) {
  const MatX<T>& L = ws.dynamics.inverse;
  MatX<T>& R = ws.columns;
  const int n = static_cast<int>(L.cols());
  const auto parent = [&](int k) { return ws.dynamics.factor.parent(k); };
  const T one(1);
  for (int i = n - 1; i >= 0; --i) {
    const std::span<const int> depends = below(ws, i);
    if (i == 0 || parent(i) != i - 1 || below(ws, i - 1).size() != depends.size() + 1) {
      subtract_columns<B, 1, T>(R, r, {i}, depends, {&L(i, 0)}, L.rows(), {one});
    } else {
      subtract_columns<B, 2, T>(R, r, {i, i - 1}, depends, {&L(i, 0), &L(i - 1, 0)}, L.rows(),
                                {one, one});
      --i;
    }
  }
  for (int k = 0; k < n; ++k) {
    const std::span<const int> depends = above(ws, k);
    if (k + 1 == n || parent(k + 1) != k) {
      subtract_columns<B, 1, T>(R, r, {k}, depends, {&L(0, k)}, 1, {L(k, k)});
    } else {
      subtract_columns<B, 2, T>(R, r, {k, k + 1}, depends, {&L(0, k), &L(0, k + 1)}, 1,
                                {L(k, k), L(k + 1, k + 1)});
      ++k;
    }
  }
}
template <Scalar T>
void solve_sides(DerivativeWorkspace<T>& ws) {
  Eigen::Index r = 0;
  const Eigen::Index rows = ws.columns.rows();
  for (; r + 24 <= rows; r += 24) solve_sides<6>(ws, r);
  for (; r + 8 <= rows; r += 8) solve_sides<2>(ws, r);
  for (; r < rows; r += 4) solve_sides<1>(ws, r);
}

// Rows of matrices side by side, and back: too short for the compiler's vectors.

template <Scalar T>
[[gnu::noinline, gnu::optimize("no-tree-vectorize")]] void set_sides(
    const ForwardDynamicsDerivatives<T>& out, MatX<T>& R) {
  const Eigen::Index n = R.cols(), rows = R.rows();
  const T *dq = out.inverse.dq.data(), *dv = out.inverse.dv.data();
  for (Eigen::Index c = 0; c < n; ++c) {
    T* side = R.data() + c;
    for (Eigen::Index k = 0; k < n; ++k, side += rows) {
      side[0] = -*dq++;
      side[n] = -*dv++;
      side[2 * n] = T(0);
    }
    R(2 * n + c, c) = T(1);
  }
}

template <Scalar T>
[[gnu::noinline, gnu::optimize("no-tree-vectorize")]] void take_sides(
    const MatX<T>& R, ForwardDynamicsDerivatives<T>& out) {
  const Eigen::Index n = R.cols(), rows = R.rows();
  T *dq = out.dq.data(), *dv = out.dv.data(), *dtau = out.dtau.data();
  for (Eigen::Index c = 0; c < n; ++c) {
    const T* side = R.data() + c;
    for (Eigen::Index k = 0; k < n; ++k, side += rows) {
      *dq++ = side[0];
      *dv++ = side[n];
      // the lower triangle of dtau, and the same above
      if (k >= c) dtau[k + c * n] = dtau[c + k * n] = side[2 * n];
    }
  }
}

/// Derivatives by direction k, whose joint has directions from `first` on. ws holds the bodies with all
/// that hangs on them.
template <Scalar T>
[[gnu::noinline]] void differentiate(const Kinematics<T>& at, int k, int first,
                                     const DerivativeWorkspace<T>& ws,
                                     InverseDynamicsDerivatives<T>& out) {
  const auto directions = at.directions();
  const auto& S = directions[k];
  const auto& B = ws.bodies[S.body];
  const auto& rate = ws.rates[k];
  out.tau(S.dof) += dot2(S.w, B.F.angular, S.v, B.F.linear);
  // what all the bodies that S moves need when q or v of S changes
  const V6<T> by_q = needed_wrench(B, rate.first.angular, rate.second.angular, rate.second.linear);
  const V6<T> by_v = needed_wrench(B, S.w, rate.both.angular, rate.both.linear);
  // and S'I and S'2B, by which a change of their motion becomes a torque along S
  V6<T> S_I;
  momentum<T>(B, S.w, S.v, S_I.angular, S_I.linear);
  const V3<T> S_B = B.B.transposed() * S.w + cross(B.p, S.v);

  const Eigen::Index nv = out.dq.rows(), c = S.dof;
  T *const q_c = out.dq.data() + c * nv, *const v_c = out.dv.data() + c * nv,
           *const a_c = out.da.data() + c * nv;
  const auto pair_with = [&](int o, const V6<T>& moved) __attribute__((always_inline)) {
    const auto& other = directions[o];
    const auto& other_rate = ws.rates[o];
    const Eigen::Index r = other.dof, cr = (r - c) * nv + c;
    const auto [q_rc, v_rc, m, q_cr] = four_products(
        other.w, other.v, moved, by_v, S_I, S_I, other_rate.second, S_B, other_rate.first.angular);
    q_c[r] += q_rc;
    v_c[r] += v_rc;
    a_c[r] += m;
    if (o == k) return;
    a_c[cr] += m;
    q_c[cr] += q_cr;
    v_c[cr] += dot(S_I, other_rate.both) + dot(S_B, other.w);
  };
  // directions above, first those of the same joint, which turn with the body
  int o = k;
  for (; o >= first; o = directions[o].above) pair_with(o, by_q);
  // to the others, the wrenches themselves are displaced
  const V6<T> moved = {plus_cross(plus_cross(by_q.angular, S.w, B.F.angular), S.v, B.F.linear),
                       plus_cross(by_q.linear, S.w, B.F.linear)};
  for (; o >= 0; o = directions[o].above) pair_with(o, moved);
}

template <Scalar T>
void differentiate(const Kinematics<T>& at, const ExternalWrench<T>& given, MatX<T>& dq) {
  // tau has -S'F of each direction S above: F moves with the body, S with the directions above it
  const Wrench<T> F = at_origin(at, given);
  const Vec3<T> point = place_from_origin(at, *given.frame).vec();
  each_above(at, given.frame->body, [&](const auto& k) {
    const Wrench<T> moved = wrench_moved(given, F, point, k.twist());
    each_above(at, given.frame->body, [&](const auto& o) {
      T change = dot(o.twist(), moved);
      if (carries(k, o)) change += dot(cross(k.twist(), o.twist()), F);
      dq(o.dof, k.dof) -= change;
    });
  });
}

/// tau and the derivatives, from bodies and rates; the bodies are left with all that hangs on them.
template <Scalar T>
void differentiate(const Plant<T>& plant, const Kinematics<T>& at, const T* a,
                   DerivativeWorkspace<T>& ws, InverseDynamicsDerivatives<T>& out,
                   ExternalWrenches<T> wrenches) {
  const std::span<const Joint> joints = plant.model().joints();
  set_other_torques(plant, at, a, wrenches, out.tau);
  out.dq.setZero(), out.dv.setZero(), out.da.setZero();

  int k = static_cast<int>(ws.rates.size()) - 1;
  for (int b = static_cast<int>(joints.size()) - 1; b > 0; --b) {
    const int first = k - static_cast<int>(at.directions(b).size()) + 1;
    for (; k >= first; --k) differentiate(at, k, first, ws, out);
    const auto& B = ws.bodies[b];
    auto& P = ws.bodies[joints[b].parent];
    P.F += B.F;
    add_body(B, P);
    P.B += B.B;
    P.p += B.p;
  }
  for (int i = 0; i < plant.model().nv(); ++i) {
    out.da(i, i) += plant.armature(i);
    out.dv(i, i) += plant.damping(i);
  }
  for (const ExternalWrench<T>& given : wrenches) differentiate(at, given, out.dq);
}

}  // namespace detail

template <Scalar T>
DerivativeWorkspace<T>::DerivativeWorkspace(const Model& model)
    : bodies(model.body_count()),
      rates(model.tree_nv()),
      dynamics(model),
      columns(MatX<T>::Zero((3 * model.nv() + 3) / 4 * 4, model.nv())),
      related_begin{0} {
  const auto carries = [&](int i, int k) {
    while (k > i) k = dynamics.factor.parent(k);
    return k == i;
  };
  for (int k = 0; k < model.nv(); ++k) {
    for (int i = 0; i < k; ++i)
      if (carries(i, k)) related.push_back(i);
    related_begin.push_back(static_cast<int>(related.size()));
    for (int i = k + 1; i < model.nv(); ++i)
      if (carries(k, i)) related.push_back(i);
    related_begin.push_back(static_cast<int>(related.size()));
  }
}

template <Scalar T>
void inverse_dynamics_derivatives(const Plant<T>& plant, const Kinematics<T>& at,
                                  DerivativeWorkspace<T>& ws, InverseDynamicsDerivatives<T>& out,
                                  ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  detail::require_same_robot<T>(plant, at);
  detail::require_size("out", out.tau.size(), model.nv(), model);
  detail::check_wrenches(wrenches, model);
  const std::span<const Joint> joints = model.joints();
  const int n = static_cast<int>(joints.size());
  detail::set_world(plant, ws);
  for (int b = 1; b < n; ++b) {
    detail::set_inertia(plant, at, b, ws);
    detail::accelerate(at, b, joints[b].parent, at.a().data(), ws);
    detail::set_rates(at, b, joints[b].parent, ws);
  }
  detail::differentiate(plant, at, at.a().data(), ws, out, wrenches);
}

template <Scalar T>
bool forward_dynamics_derivatives(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                                  DerivativeWorkspace<T>& ws, ForwardDynamicsDerivatives<T>& out,
                                  ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  const int nv = model.nv();
  detail::require_forward<T>(plant, at, tau, out.a.size(), wrenches);
  detail::set_world(plant, ws);
  detail::set_bias(plant, at, ws, out.inverse.tau, wrenches);
  if (!detail::factor_mass_matrix(plant, at, ws)) return false;
  for (int i = 0; i < nv; ++i) out.a(i) = tau(i) - out.inverse.tau(i);
  detail::solve(ws, out.a);
  const std::span<const Joint> joints = model.joints();
  const int n = static_cast<int>(joints.size());
  for (int b = 1; b < n; ++b) {
    detail::accelerate(at, b, joints[b].parent, out.a.data(), ws);
    detail::set_rates(at, b, joints[b].parent, ws);
  }
  detail::differentiate(plant, at, out.a.data(), ws, out.inverse, wrenches);

  // (dq, dv, dtau) = M^-1 (-dID/dq, -dID/dv, 1)
  detail::set_sides(out, ws.columns);
  detail::solve_sides(ws);
  detail::take_sides(ws.columns, out);
  return true;
}

}  // namespace ulna
