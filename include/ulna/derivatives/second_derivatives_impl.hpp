#pragma once

#include "ulna/derivatives/forward_derivatives_impl.hpp"
#include "ulna/derivatives/second_derivatives.hpp"

/// How it goes. When q or v of a direction k changes, every body that k moves has its velocity and
/// acceleration changed, apart from being carried along with k, by the same (x, y):
///
///   V by x,   A by y + x x V,   and so the wrench it needs by   2B x + I y,
///
/// with (x, y) = (V_P x S, A_P x S + V_P x (V_P x S)) for q and (S, V_P x S + V x S) for v, P the
/// parent of k's body. All first derivatives are of this form. To differentiate once more, what is
/// carried along with k is left as it is; what is not, is carried against it.
namespace ulna {
namespace detail {

/// Twice the Coriolis matrix of a body that moves with x, times z:
/// (2 h x (z x v) - 2 w x Σ z, 2 z x (m v + w x h)) for x = (w, v) and z's angular part.
template <class T, class Body>
[[gnu::always_inline]] inline V6<T> coriolis_by(const Body& B, const V6<T>& x, const V3<T>& z) {
  const V3<T> z2 = z + z;
  return {cross(B.first, cross(z2, x.linear)) - cross(x.angular, B.second * z2),
          cross(z2, x.linear * B.mass + cross(x.angular, B.first))};
}

/// The vector l with S'2B(x) z = l'z: twice ∫ (velocity by x) x (velocity by S) dm.
template <class T, class Body>
[[gnu::always_inline]] inline V3<T> coriolis_along(const Body& B, const V6<T>& x, const V6<T>& S) {
  const V3<T> l = cross(x.linear, S.linear * B.mass + cross(S.angular, B.first)) +
                  cross(cross(x.angular, B.first), S.linear) +
                  B.second * cross(x.angular, S.angular);
  return l + l;
}

/// How wrench_moved along S_i changes when the body is displaced along S_k, S_i staying as it is; F_k is
/// what the wrench itself changes by.
template <Scalar T>
Wrench<T> wrench_moved_again(const ExternalWrench<T>& given, const Wrench<T>& F,
                             const Wrench<T>& F_k, const Twist<T>& S_i, const Twist<T>& S_k,
                             const Vec3<T>& point) {
  if (given.axes == Axes::local) return cross(S_i, F_k);
  if (given.axes == Axes::world) return {};
  const Vec3<T> moved = S_k.linear + cross(S_k.angular, point);
  return {cross(cross(S_i.angular, moved), F.force), Vec3<T>::Zero()};
}

template <Scalar T>
void pair_changes(const Kinematics<T>& at, SecondDerivativeWorkspace<T>& ws) {
  const auto directions = at.directions();
  const auto& rates = ws.first.rates;
  for (int o = 0; o < static_cast<int>(directions.size()); ++o) {
    const int body = directions[o].body;
    const V6<T> S = directions[o].axis(), &V_P = at.velocity(at.model().joint(body).parent);
    const auto change = [&](int k, bool same_joint) {
      const auto& by = rates[k];
      const V6<T> S_k = directions[k].axis();
      auto& c = ws.changes(o, k);
      c.first_by_q = cross(by.first, S);
      c.both_by_q = c.first_by_q + c.first_by_q;
      c.second_by_q = cross(by.second + cross(by.first, V_P), S) + cross(by.first, rates[o].first) +
                      cross(V_P, c.first_by_q);
      // a velocity of the same joint does not reach the parent
      const V6<T> turned = cross(S_k, S);
      if (same_joint) {
        c.first_by_v = c.second_by_v = V6<T>::zero();
        c.both_by_v = turned;
      } else {
        c.first_by_v = turned;
        c.second_by_v =
            cross(by.both + cross(S_k, V_P), S) + cross(S_k, rates[o].first) + cross(V_P, turned);
        c.both_by_v = turned + turned;
      }
    };
    const auto own = at.directions(body);
    const int begin = static_cast<int>(own.data() - directions.data());
    for (int k = begin; k < begin + static_cast<int>(own.size()); ++k) change(k, true);
    for (int k = directions[begin].above; k >= 0; k = directions[k].above) change(k, false);
  }
}

/// A direction S and its body with all that hangs on it, and the wrenches and covectors that its
/// derivatives are made of, as in `differentiate` of the first derivatives.
template <Scalar T>
struct DirectionTerms {
  using Body = typename DerivativeWorkspace<T>::Body;

  DirectionTerms(const Body& body, const typename DerivativeWorkspace<T>::Rates& rates,
                 const V6<T>& direction)
      : B(body),
        rate(rates),
        S(direction),
        S_I(inertia(S)),
        S_B(B.B.transposed() * S.angular + cross(B.p, S.linear)),
        by_q(coriolis(rate.first) + inertia(rate.second) + cross_force(S, B.F)),
        by_v(coriolis(S) + inertia(rate.both)) {}

  V6<T> inertia(const V6<T>& x) const { return momentum<T>(B, x); }
  V6<T> coriolis(const V6<T>& x) const { return {B.B * x.angular, cross(x.angular, B.p)}; }

  const Body& B;
  const typename DerivativeWorkspace<T>::Rates& rate;
  V6<T> S, S_I;
  V3<T> S_B;
  V6<T> by_q, by_v;
};

/// The directions that move the body of direction i. Returns how many of them are of its own joint.
template <Scalar T>
[[gnu::always_inline]] inline std::size_t gather_above(const Kinematics<T>& at, int i,
                                                       const DirectionTerms<T>& t,
                                                       SecondDerivativeWorkspace<T>& ws) {
  const auto directions = at.directions();
  const auto own = at.directions(directions[i].body);
  const int begin = static_cast<int>(own.data() - directions.data());
  ws.above.clear(), ws.I_S.clear(), ws.turned.clear();
  for (int k = begin; k < begin + static_cast<int>(own.size()); ++k) ws.above.push_back(k);
  for (int k = directions[begin].above; k >= 0; k = directions[k].above) ws.above.push_back(k);
  for (const int k : ws.above) {
    ws.I_S.push_back(t.inertia(directions[k].axis()));
    ws.turned.push_back(cross(t.S, directions[k].axis()));
  }
  return own.size();
}

/// Rows of directions above i, or of its joint: how the wrenches that i's derivatives are made of
/// change when k does. The first `own` of those above are of i's joint.
template <Scalar T>
[[gnu::always_inline]] inline void differentiate_rows_above(
    const Kinematics<T>& at, int i, int k, bool same_joint, std::size_t own,
    const DirectionTerms<T>& t, SecondDerivativeWorkspace<T>& ws,
    InverseDynamicsSecondDerivatives<T>& out) {
  const auto directions = at.directions();
  const auto& by = ws.first.rates[k];
  const V6<T> S_k = directions[k].axis();
  const auto& c = ws.changes(i, k);
  const V6<T> own_qq = coriolis_by<T>(t.B, by.first, t.rate.first.angular) +
                       t.coriolis(c.first_by_q) + t.inertia(c.second_by_q);
  const V6<T> own_qv = coriolis_by<T>(t.B, S_k, t.rate.first.angular) + t.coriolis(c.first_by_v) +
                       t.inertia(c.second_by_v);
  const V6<T> qq = own_qq + cross_force(t.S, t.coriolis(by.first) + t.inertia(by.second));
  const V6<T> qv = own_qv + cross_force(t.S, t.coriolis(S_k) + t.inertia(by.both));
  const V6<T> vv = coriolis_by<T>(t.B, S_k, t.S.angular) + t.inertia(c.both_by_v);
  const V6<T> vq = coriolis_by<T>(t.B, by.first, t.S.angular) + t.inertia(c.both_by_q);
  const int dof_i = directions[i].dof, dof_k = directions[k].dof;
  T *const to_qq = out.dqq.column(dof_i, dof_k), *const to_vv = out.dvv.column(dof_i, dof_k),
           *const to_qv = out.dqv.column(dof_i, dof_k), *const to_aq = out.daq.column(dof_i, dof_k),
           *const turned_qq = out.dqq.column(dof_k, dof_i),
           *const turned_vv = out.dvv.column(dof_k, dof_i),
           *const turned_qv = out.dqv.column(dof_k, dof_i);
  V6<T> now_qq = own_qq, now_qv = own_qv, now_vq = vq, now_aq = V6<T>::zero();
  bool above_k = false;
  for (std::size_t at_r = 0; at_r < ws.above.size(); ++at_r) {
    const int r = ws.above[at_r], row = directions[r].dof;
    if (at_r == own) now_qq = qq, now_qv = qv;
    if (!above_k && r < k && directions[r].body != directions[k].body) {
      // k does not carry the directions above it along, but the wrenches on them
      above_k = true;
      now_qq += cross_force(S_k, t.by_q);
      now_vq += cross_force(S_k, t.by_v);
      now_aq = cross_force(S_k, t.S_I);
    }
    const V6<T> S_r = directions[r].axis();
    const auto [x_qq, x_qv, x_vv, x_vq] =
        sums(product(S_r, now_qq), product(S_r, now_qv), product(S_r, vv), product(S_r, now_vq));
    to_qq[row] += x_qq;
    to_vv[row] += x_vv;
    to_qv[row] += x_qv;
    if (!same_joint) {
      turned_qq[row] += x_qq;
      turned_vv[row] += x_vv;
      turned_qv[row] += x_vq;
    }
    if (above_k) {
      const T m = dot(S_r, now_aq);
      to_aq[row] += m;
      out.daq(dof_i, row, dof_k) += m;
    }
  }
}

/// The row of i, for direction k of a joint above and all directions o between the two.
template <Scalar T>
[[gnu::always_inline]] inline void differentiate_own_row(const Kinematics<T>& at, int i,
                                                         std::size_t at_k, std::size_t own,
                                                         const DirectionTerms<T>& t,
                                                         SecondDerivativeWorkspace<T>& ws,
                                                         InverseDynamicsSecondDerivatives<T>& out) {
  const auto directions = at.directions();
  const int row = directions[i].dof, k = ws.above[at_k], dof_k = directions[k].dof;
  const V3<T> by_q = coriolis_along<T>(t.B, ws.first.rates[k].first, t.S),
              by_v = coriolis_along<T>(t.B, directions[k].axis(), t.S);
  for (std::size_t at_o = own; at_o < ws.above.size(); ++at_o) {
    const int o = ws.above[at_o], dof_o = directions[o].dof;
    const bool same_joint = directions[o].body == directions[k].body;
    if (o < k && !same_joint) break;
    const V6<T> S_o = directions[o].axis();
    const V3<T>& turning = ws.first.rates[o].first.angular;
    const auto& c = ws.changes(o, k);
    // and i carries what o and k do to each other
    const auto [x_qq, x_qv, x_vv, minus_m] =
        sums(product(by_q, turning) + product(t.S_B, c.first_by_q.angular) +
                 product(t.S_I, c.second_by_q),
             product(by_v, turning) + product(t.S_B, c.first_by_v.angular) +
                 product(t.S_I, c.second_by_v),
             product(by_v, S_o.angular) + product(t.S_I, c.both_by_v),
             product(ws.turned[at_o], ws.I_S[at_k]) + product(ws.turned[at_k], ws.I_S[at_o]));
    out.dqq(row, dof_o, dof_k) += x_qq;
    out.dvv(row, dof_o, dof_k) += x_vv;
    out.dqv(row, dof_o, dof_k) += x_qv;
    out.daq(dof_o, dof_k, row) -= minus_m;
    if (!same_joint) {
      out.dqq(row, dof_k, dof_o) += x_qq;
      out.dvv(row, dof_k, dof_o) += x_vv;
      out.dqv(row, dof_k, dof_o) += dot(by_q, S_o.angular) + dot(t.S_I, c.both_by_q);
      out.daq(dof_k, dof_o, row) -= minus_m;
    }
  }
}

template <Scalar T>
void differentiate_twice(const Kinematics<T>& at, const ExternalWrench<T>& given,
                         InverseDynamicsSecondDerivatives<T>& out) {
  // what wrenches add to dq, see there, with each of its factors moved along k
  const int body = given.frame->body;
  const Wrench<T> F = at_origin(at, given);
  const Vec3<T> point = place_from_origin(at, *given.frame).vec();
  const auto moved = [&](const Twist<T>& S) { return wrench_moved(given, F, point, S); };
  each_above(at, body, [&](const auto& k) {
    const Twist<T> S_k = k.twist();
    const Wrench<T> F_k = moved(S_k);
    const auto carried = [&](const auto& d) {
      return carries(k, d) ? cross(S_k, d.twist()) : Twist<T>::zero();
    };
    each_above(at, body, [&](const auto& i) {
      const Twist<T> S_i = i.twist(), S_ik = carried(i);
      const Wrench<T> F_i = moved(S_i);
      const Wrench<T> F_ik = moved(S_ik) + wrench_moved_again(given, F, F_k, S_i, S_k, point);
      each_above(at, body, [&](const auto& o) {
        const Twist<T> S_o = o.twist(), S_ok = carried(o);
        T change = dot(S_ok, F_i) + dot(S_o, F_ik);
        if (carries(i, o))
          change += dot(cross(S_ik, S_o) + cross(S_i, S_ok), F) + dot(cross(S_i, S_o), F_k);
        out.dqq(o.dof, i.dof, k.dof) -= change;
      });
    });
  });
}

/// From what the first derivatives left in their scratch.
template <Scalar T>
void differentiate_twice(const Kinematics<T>& at, SecondDerivativeWorkspace<T>& ws,
                         InverseDynamicsSecondDerivatives<T>& out, ExternalWrenches<T> wrenches) {
  out.dqq.set_zero(), out.dvv.set_zero(), out.dqv.set_zero(), out.daq.set_zero();
  pair_changes(at, ws);
  const auto directions = at.directions();
  for (int i = 0; i < static_cast<int>(directions.size()); ++i) {
    const DirectionTerms<T> terms(ws.first.bodies[directions[i].body], ws.first.rates[i],
                                  directions[i].axis());
    const std::size_t own = gather_above(at, i, terms, ws);
    for (std::size_t k = 0; k < ws.above.size(); ++k)
      differentiate_rows_above(at, i, ws.above[k], k < own, own, terms, ws, out);
    for (std::size_t k = own; k < ws.above.size(); ++k)
      differentiate_own_row(at, i, k, own, terms, ws, out);
  }
  for (const ExternalWrench<T>& given : wrenches) differentiate_twice(at, given, out);
}

}  // namespace detail

template <Scalar T>
SecondDerivativeWorkspace<T>::SecondDerivativeWorkspace(const Model& model)
    : first(model), sum(model.nv()), changes_(first.rates.size() * first.rates.size()) {
  above.reserve(first.rates.size());
  I_S.reserve(first.rates.size());
  turned.reserve(first.rates.size());
}

template <Scalar T>
void inverse_dynamics_second_derivatives(const Plant<T>& plant, const Kinematics<T>& at,
                                         SecondDerivativeWorkspace<T>& ws,
                                         InverseDynamicsSecondDerivatives<T>& out,
                                         ExternalWrenches<T> wrenches) {
  inverse_dynamics_derivatives(plant, at, ws.first, out.first, wrenches);
  detail::differentiate_twice(at, ws, out, wrenches);
}

template <Scalar T>
bool forward_dynamics_second_derivatives(const Plant<T>& plant, const Kinematics<T>& at, In<T> tau,
                                         SecondDerivativeWorkspace<T>& ws,
                                         ForwardDynamicsSecondDerivatives<T>& out,
                                         ExternalWrenches<T> wrenches) {
  if (!forward_dynamics_derivatives<T>(plant, at, tau, ws.first, out.first, wrenches)) return false;
  out.inverse.first = out.first.inverse;
  detail::differentiate_twice(at, ws, out.inverse, wrenches);
  const int n = plant.model().nv();
  // sum += (mass matrix by q of `by`) times column `c` of X
  const auto add = [&](int by, const MatX<T>& X, int c) {
    for (int l = 0; l < n; ++l) {
      const T x = X(l, c);
      const T* const column = out.inverse.daq.column(l, by);
      for (int r = 0; r < n; ++r) ws.sum(r) += column[r] * x;
    }
  };
  const auto put = [&](T* to) {
    for (int r = 0; r < n; ++r) to[r] = T(0);
    for (int l = 0; l < n; ++l)
      for (int r = 0; r < n; ++r) to[r] -= out.first.dtau(r, l) * ws.sum(l);
  };
  const auto start = [&](const T* from) {
    for (int r = 0; r < n; ++r) ws.sum(r) = from ? from[r] : T(0);
  };
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      start(out.inverse.dqq.column(i, k)), add(i, out.first.dq, k), add(k, out.first.dq, i);
      put(out.dqq.column(i, k));
      start(out.inverse.dvv.column(i, k));
      put(out.dvv.column(i, k));
      start(out.inverse.dqv.column(i, k)), add(i, out.first.dv, k);
      put(out.dqv.column(i, k));
      start(nullptr), add(k, out.first.dtau, i);
      put(out.dtauq.column(i, k));
    }
  return true;
}

}  // namespace ulna
