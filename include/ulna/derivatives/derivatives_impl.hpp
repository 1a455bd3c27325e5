#pragma once

#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"

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

/// The products of a motion S with three wrenches, and a'b + c'd.
template <class T>
[[gnu::always_inline]] inline std::array<T, 4> four_products(const V6<T>& S, const V6<T>& first,
                                                             const V6<T>& second,
                                                             const V6<T>& third, const V6<T>& a,
                                                             const V6<T>& b, const V3<T>& c,
                                                             const V3<T>& d) {
  return {dot(S, first), dot(S, second), dot(S, third), dot(a, b) + dot(c, d)};
}
template <lanes::Plain T>
[[gnu::always_inline]] inline std::array<T, 4> four_products(const V6<T>& S, const V6<T>& first,
                                                             const V6<T>& second,
                                                             const V6<T>& third, const V6<T>& a,
                                                             const V6<T>& b, const V3<T>& c,
                                                             const V3<T>& d) {
  return sums(product(S, first), product(S, second), product(S, third),
              product(a, b) + product(c, d));
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

/// What a direction S contributes to its pairs with the directions above it.
template <Scalar T>
struct Pairing {
  V6<T> by_q, by_v;  ///< what all the bodies that S moves need when q or v of S changes
  V6<T> moved;  ///< by_q as other joints see it: to them, the wrenches themselves are displaced
  V6<T> S_I;    ///< S'I and S'2B, by which a change of the bodies' motion becomes a torque along S
  V3<T> S_B;
};

template <Scalar T, class Direction, class Body, class Rates>
[[gnu::always_inline]] inline Pairing<T> pairing(const Direction& S, const Body& B,
                                                 const Rates& rate) {
  Pairing<T> p;
  p.by_q = needed_wrench(B, rate.first.angular, rate.second.angular, rate.second.linear);
  p.by_v = needed_wrench(B, S.w, rate.both.angular, rate.both.linear);
  p.moved = {plus_cross(plus_cross(p.by_q.angular, S.w, B.F.angular), S.v, B.F.linear),
             plus_cross(p.by_q.linear, S.w, B.F.linear)};
  momentum<T>(B, S.w, S.v, p.S_I.angular, p.S_I.linear);
  p.S_B = B.B.transposed() * S.w + cross(B.p, S.v);
  return p;
}

/// Derivatives by direction k, whose joint has directions from `first` on, and of its torque by the
/// directions above it: column and row k of dq, dv and da, down to their diagonal.
template <Scalar T>
[[gnu::always_inline]] inline void differentiate_pairs(const Kinematics<T>& at, int k, int first,
                                                       const DerivativeWorkspace<T>& ws,
                                                       const Pairing<T>& p,
                                                       const std::array<T*, 3>& to,
                                                       Eigen::Index n) {
  const auto S = at.directions();
  T *const dq = to[0], *const dv = to[1], *const da = to[2];
  int after = k;
  for (int o = k; o >= 0; o = S[o].above) {
    // directions that are passed over are on other branches
    while (--after > o)
      for (T* const m : {dq, dv, da}) m[after + k * n] = m[k + after * n] = T(0);
    after = o;
    const auto& rate = ws.rates[o];
    const Eigen::Index ok = o + k * n, ko = k + o * n;
    // directions of the same joint turn with the body
    const auto [q_ok, v_ok, m, q_ko] =
        four_products(S[o].axis(), o >= first ? p.by_q : p.moved, p.by_v, p.S_I, p.S_I, rate.second,
                      p.S_B, rate.first.angular);
    dq[ok] = q_ok, dv[ok] = v_ok, da[ok] = m;
    if (o == k) continue;
    da[ko] = m, dq[ko] = q_ko;
    dv[ko] = dot(p.S_I, rate.both) + dot(p.S_B, S[o].w);
  }
  while (--after >= 0)
    for (T* const m : {dq, dv, da}) m[after + k * n] = m[k + after * n] = T(0);
}

/// ws.blocks from directions and rates. What is missing to a whole block repeats the last direction.
template <lanes::Plain T>
void set_blocks(const Kinematics<T>& at, DerivativeWorkspace<T>& ws) {
  using Blocks = RateBlocks<T>;
  const auto S = at.directions();
  const int n = static_cast<int>(S.size());
  T* to = ws.blocks.data.data();
  for (int first = 0; first < n; first += 4, to += 4 * Blocks::count) {
    const int o[4] = {first, std::min(first + 1, n - 1), std::min(first + 2, n - 1),
                      std::min(first + 3, n - 1)};
    const auto set = [&](int c, auto vector) __attribute__((always_inline)) {
      V3<T>::transposed(vector(o[0]), vector(o[1]), vector(o[2]), vector(o[3]), to + 4 * c);
    };
    const auto* const rates = ws.rates.data();
    set(Blocks::S, [&](int i) -> const V3<T>& { return S[i].w; });
    set(Blocks::S + 3, [&](int i) -> const V3<T>& { return S[i].v; });
    set(Blocks::both, [&](int i) -> const V3<T>& { return rates[i].both.angular; });
    set(Blocks::both + 3, [&](int i) -> const V3<T>& { return rates[i].both.linear; });
    set(Blocks::second, [&](int i) -> const V3<T>& { return rates[i].second.angular; });
    set(Blocks::second + 3, [&](int i) -> const V3<T>& { return rates[i].second.linear; });
    set(Blocks::first_angular, [&](int i) -> const V3<T>& { return rates[i].first.angular; });
  }
}

/// Calls use(block) for the blocks of four in which k or directions on its way to the base are, from k on,
/// then gap(begin, end) for directions between them, which are on other branches; some are in those blocks.
/// So may be directions after k: what is written for them must be written again in their turn.
template <class Direction, class Use, class Gap>
[[gnu::always_inline]] inline void each_block_on_path(std::span<const Direction> S, int k, Use use,
                                                      Gap gap) {
  constexpr auto block_of = [](int o) { return o >> 2; };
  int done = block_of(k) + 1;  // blocks from here on
  for (int last = k, above = k + 1; last >= 0;) {
    const int begin = S[last].run;
    int block = std::min(block_of(last), done - 1);
    for (done = block_of(begin); block >= done; --block) use(block);
    gap(last + 1, above);
    above = begin, last = S[begin].above;
    if (last < 0) gap(0, begin);
  }
}

/// Four numbers of a row, `stride` apart, and of a column of a matrix, as far as it has so many.
template <lanes::Plain T>
[[gnu::always_inline]] inline void set_four(const lanes::Four<T>& in_row,
                                            const lanes::Four<T>& in_column, T* row, T* column,
                                            Eigen::Index stride, Eigen::Index left) {
  if (left >= 4) {
    for (int i = 0; i < 4; ++i) row[i * stride] = in_row[i];
    in_column.store(column);
    return;
  }
  row[0] = in_row[0], column[0] = in_column[0];
  if (left > 1) row[stride] = in_row[1], column[1] = in_column[1];
  if (left > 2) row[2 * stride] = in_row[2], column[2] = in_column[2];
}

constexpr int worth_blocks = 8;  ///< from so many directions on, four at a time are faster

/// The same derivatives, of four directions at a time.
template <lanes::Plain T>
[[gnu::always_inline]] inline void differentiate_blocks(const Kinematics<T>& at, int k, int first,
                                                        const DerivativeWorkspace<T>& ws,
                                                        const Pairing<T>& p,
                                                        const std::array<T*, 3>& to,
                                                        Eigen::Index n) {
  using Four = lanes::Four<T>;
  using Blocks = RateBlocks<T>;
  const auto S = at.directions();
  T *const dq = to[0], *const dv = to[1], *const da = to[2];
  const lanes::Spread6<T> moved(p.moved), by_v(p.by_v), S_I(p.S_I);
  const Four S_B[3] = {Four::all(p.S_B[0]), Four::all(p.S_B[1]), Four::all(p.S_B[2])};
  const auto pair_with = [&](int block) __attribute__((always_inline)) {
    const T* const of = ws.blocks.block(block);
    Four q_ok = Four::all(T(0)), v_ok = q_ok, m = q_ok, q_ko = q_ok, v_ko = q_ok;
    for (int c = 0; c < 6; ++c) {
      const Four axis = Four::load(of + 4 * (Blocks::S + c));
      q_ok.add_product(axis, moved[c]);
      v_ok.add_product(axis, by_v[c]);
      m.add_product(axis, S_I[c]);
      if (c < 3) v_ko.add_product(axis, S_B[c]);
      v_ko.add_product(Four::load(of + 4 * (Blocks::both + c)), S_I[c]);
      q_ko.add_product(Four::load(of + 4 * (Blocks::second + c)), S_I[c]);
      if (c < 3) q_ko.add_product(Four::load(of + 4 * (Blocks::first_angular + c)), S_B[c]);
    }
    // rows first: the diagonal is of the columns
    const Eigen::Index o = 4 * block, column = o + k * n, row = k + o * n;
    set_four(q_ko, q_ok, dq + row, dq + column, n, n - o);
    set_four(v_ko, v_ok, dv + row, dv + column, n, n - o);
    set_four(m, m, da + row, da + column, n, n - o);
  };
  each_block_on_path(S, k, pair_with, [&](int begin, int end) {
    for (int o = begin; o < end; ++o)
      for (T* const m : {dq, dv, da}) m[o + k * n] = m[k + o * n] = T(0);
  });
  // the directions of the same joint turn with the body
  for (int o = first; o < k; ++o) dq[o + k * n] = dot(S[o].axis(), p.by_q);
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

template <bool by_blocks, Scalar T>
[[gnu::noinline]] void differentiate(const Kinematics<T>& at, int k, int first,
                                     const DerivativeWorkspace<T>& ws, const std::array<T*, 3>& to,
                                     Eigen::Index n, VecX<T>& tau) {
  const auto& S = at.directions()[k];
  const auto& B = ws.bodies[S.body];
  tau(S.dof) += dot2(S.w, B.F.angular, S.v, B.F.linear);
  const Pairing<T> p = pairing<T>(S, B, ws.rates[k]);
  if constexpr (by_blocks)
    differentiate_blocks(at, k, first, ws, p, to, n);
  else
    differentiate_pairs(at, k, first, ws, p, to, n);
}

/// All columns and rows, the bodies having all that hangs on them.
template <bool by_blocks, Scalar T>
void differentiate(const Kinematics<T>& at, DerivativeWorkspace<T>& ws, const std::array<T*, 3>& to,
                   VecX<T>& tau) {
  if constexpr (by_blocks) set_blocks(at, ws);
  const int n = static_cast<int>(at.directions().size());
  for (int k = 0, first = 0; k < n; ++k) {
    if (at.directions()[k].body != at.directions()[first].body) first = k;
    differentiate<by_blocks>(at, k, first, ws, to, n, tau);
  }
}

/// tau and the derivatives, from bodies and rates; the bodies are left with all that hangs on them.
template <Scalar T>
void differentiate(const Plant<T>& plant, const Kinematics<T>& at, const T* a,
                   DerivativeWorkspace<T>& ws, InverseDynamicsDerivatives<T>& out,
                   ExternalWrenches<T> wrenches) {
  const std::span<const Joint> joints = plant.model().joints();
  const bool mimics = plant.model().has_mimics();
  set_other_torques(plant, at, a, wrenches, out.tau);
  std::array<T*, 3> to{out.dq.data(), out.dv.data(), out.da.data()};
  if (mimics)
    for (int i = 0; i < 3; ++i) to[i] = ws.tree[i].data();

  for (std::size_t b = joints.size() - 1; b > 0; --b) {
    const auto& B = ws.bodies[b];
    auto& P = ws.bodies[joints[b].parent];
    P.F += B.F;
    add_body(B, P);
    P.B += B.B;
    P.p += B.p;
  }
  if (lanes::Plain<T> && ws.rates.size() >= worth_blocks)
    differentiate<lanes::Plain<T>>(at, ws, to, out.tau);
  else
    differentiate<false>(at, ws, to, out.tau);
  if (mimics) {
    out.dq.setZero(), out.dv.setZero(), out.da.setZero();
    const auto S = at.directions();
    for (std::size_t c = 0; c < S.size(); ++c)
      for (std::size_t r = 0; r < S.size(); ++r) {
        out.dq(S[r].dof, S[c].dof) += ws.tree[0](r, c);
        out.dv(S[r].dof, S[c].dof) += ws.tree[1](r, c);
        out.da(S[r].dof, S[c].dof) += ws.tree[2](r, c);
      }
  }
  for (int i = 0; i < plant.model().nv(); ++i) {
    out.da(i, i) += plant.armature(i);
    out.dv(i, i) += plant.damping(i);
  }
  for (const ExternalWrench<T>& given : wrenches) differentiate(at, given, out.dq);
}

}  // namespace detail

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

}  // namespace ulna
