#pragma once

#include "ulna/derivatives/derivatives_impl.hpp"
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
[[gnu::always_inline]] inline lanes::V6<T> coriolis_by(const Body& B, const lanes::V6<T>& x,
                                                       const V3<T>& z) {
  const V3<T> z2 = z + z;
  return {cross(B.first, cross(z2, x.linear)) - cross(x.angular, B.second * z2),
          cross(z2, x.linear * B.mass + cross(x.angular, B.first))};
}

/// The vector l with S'2B(x) z = l'z: twice ∫ (velocity by x) x (velocity by S) dm.
template <class T, class Body>
[[gnu::always_inline]] inline V3<T> coriolis_felt(const Body& B, const lanes::V6<T>& x,
                                                  const lanes::V6<T>& S) {
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

}  // namespace detail

template <Scalar T>
InverseDynamicsSecondDerivatives<T>::InverseDynamicsSecondDerivatives(const Model& model)
    : first(model),
      dqq(model.nv()),
      dvv(model.nv()),
      dqv(model.nv()),
      daq(model.nv()),
      count_(static_cast<int>(first.rates_.size())),
      changes_(first.rates_.size() * first.rates_.size()) {
  above_.reserve(first.rates_.size());
  felt_.reserve(first.rates_.size());
  turned_.reserve(first.rates_.size());
}

template <Scalar T>
void InverseDynamicsSecondDerivatives<T>::operator()(const Plant<T>& plant, In<T> q, In<T> v,
                                                     In<T> a, ExternalWrenches<T> wrenches) {
  first(plant, q, v, a, wrenches);
  dqq.set_zero(), dvv.set_zero(), dqv.set_zero(), daq.set_zero();
  pair_changes();
  for (int i = 0; i < count_; ++i) differentiate(i);
  for (const ExternalWrench<T>& given : wrenches) differentiate(given);
}

template <Scalar T>
void InverseDynamicsSecondDerivatives<T>::pair_changes() {
  const auto directions = first.state_.directions();
  for (int o = 0; o < count_; ++o) {
    const int body = directions[o].body, parent = first.state_.model().joint(body).parent;
    const V6 S = directions[o].motion(), V_P = first.state_.motion(parent);
    const auto change = [&](int k, bool same_joint) {
      const auto& by = first.rates_[k];
      const V6 S_k = directions[k].motion();
      Changes& c = changes(o, k);
      c.first_by_q = cross(by.first, S);
      c.both_by_q = c.first_by_q + c.first_by_q;
      c.second_by_q = cross(by.second + cross(by.first, V_P), S) +
                      cross(by.first, first.rates_[o].first) + cross(V_P, c.first_by_q);
      // a velocity of the same joint does not reach the parent
      const V6 turned = cross(S_k, S);
      if (same_joint) {
        c.first_by_v = c.second_by_v = V6::zero();
        c.both_by_v = turned;
      } else {
        c.first_by_v = turned;
        c.second_by_v = cross(by.both + cross(S_k, V_P), S) + cross(S_k, first.rates_[o].first) +
                        cross(V_P, turned);
        c.both_by_v = turned + turned;
      }
    };
    const auto own = first.state_.directions(body);
    const int begin = static_cast<int>(own.data() - directions.data());
    for (int k = begin; k < begin + static_cast<int>(own.size()); ++k) change(k, true);
    for (int k = directions[begin].above; k >= 0; k = directions[k].above) change(k, false);
  }
}

template <Scalar T>
void InverseDynamicsSecondDerivatives<T>::differentiate(int i) {
  using lanes::V3;
  const auto directions = first.state_.directions();
  const auto& at = directions[i];
  const auto& rate = first.rates_[i];
  const auto& B = first.bodies_[at.body];  // with all that hangs on it
  const V6 S = at.motion();
  const auto inertia = [&](const V6& x) { return detail::momentum<T>(B, x); };
  const auto coriolis = [&](const V6& x) { return V6{B.B * x.angular, cross(x.angular, B.p)}; };
  const V6 feels = inertia(S);
  const V3<T> feels_turning = B.B.transposed() * S.angular + cross(B.p, S.linear);
  const V6 by_q = coriolis(rate.first) + inertia(rate.second) + cross_force(S, B.F);
  const V6 by_v = coriolis(S) + inertia(rate.both);

  // those of the same joint, then all above
  above_.clear();
  const auto own = first.state_.directions(at.body);
  const int begin = static_cast<int>(own.data() - directions.data());
  for (int k = begin; k < begin + static_cast<int>(own.size()); ++k) above_.push_back(k);
  const std::size_t others = above_.size();
  for (int k = directions[begin].above; k >= 0; k = directions[k].above) above_.push_back(k);
  felt_.clear(), turned_.clear();
  for (const int k : above_) {
    felt_.push_back(inertia(directions[k].motion()));
    turned_.push_back(cross(S, directions[k].motion()));
  }

  // rows of directions above i, or of its joint: how the wrenches that i's derivatives are made of
  // change when k does
  for (std::size_t at_k = 0; at_k < above_.size(); ++at_k) {
    const int k = above_[at_k];
    const auto& by = first.rates_[k];
    const V6 S_k = directions[k].motion();
    const Changes& c = changes(i, k);
    const bool same_joint = at_k < others;
    const V6 own_qq = detail::coriolis_by<T>(B, by.first, rate.first.angular) +
                      coriolis(c.first_by_q) + inertia(c.second_by_q);
    const V6 own_qv = detail::coriolis_by<T>(B, S_k, rate.first.angular) + coriolis(c.first_by_v) +
                      inertia(c.second_by_v);
    const V6 qq = own_qq + cross_force(S, coriolis(by.first) + inertia(by.second));
    const V6 qv = own_qv + cross_force(S, coriolis(S_k) + inertia(by.both));
    const V6 vv = detail::coriolis_by<T>(B, S_k, S.angular) + inertia(c.both_by_v);
    const V6 vq = detail::coriolis_by<T>(B, by.first, S.angular) + inertia(c.both_by_q);
    const int dof_i = at.dof, dof_k = directions[k].dof;
    T *const to_qq = dqq.column(dof_i, dof_k), *const to_vv = dvv.column(dof_i, dof_k),
             *const to_qv = dqv.column(dof_i, dof_k), *const to_aq = daq.column(dof_i, dof_k),
             *const turned_qq = dqq.column(dof_k, dof_i),
             *const turned_vv = dvv.column(dof_k, dof_i),
             *const turned_qv = dqv.column(dof_k, dof_i);
    V6 now_qq = own_qq, now_qv = own_qv, now_vq = vq, now_aq = V6::zero();
    bool above_k = false;
    for (std::size_t at_r = 0; at_r < above_.size(); ++at_r) {
      const int r = above_[at_r], row = directions[r].dof;
      if (at_r == others) now_qq = qq, now_qv = qv;
      if (!above_k && r < k && directions[r].body != directions[k].body) {
        // k does not carry the directions above it along, but what they feel
        above_k = true;
        now_qq += cross_force(S_k, by_q);
        now_vq += cross_force(S_k, by_v);
        now_aq = cross_force(S_k, feels);
      }
      const V6 S_r = directions[r].motion();
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
        daq(dof_i, row, dof_k) += m;
      }
    }
  }

  // the row of i, for two directions o and k of joints above, k the higher one
  for (std::size_t at_k = others; at_k < above_.size(); ++at_k) {
    const int k = above_[at_k], dof_k = directions[k].dof;
    const auto& by = first.rates_[k];
    const V6 S_k = directions[k].motion();
    const V3<T> by_q_felt = detail::coriolis_felt<T>(B, by.first, S),
                by_v_felt = detail::coriolis_felt<T>(B, S_k, S);
    for (std::size_t at_o = others; at_o < above_.size(); ++at_o) {
      const int o = above_[at_o], dof_o = directions[o].dof;
      const bool same_joint = directions[o].body == directions[k].body;
      if (o < k && !same_joint) break;
      const V6 S_o = directions[o].motion();
      const V3<T>& turning = first.rates_[o].first.angular;
      const Changes& c = changes(o, k);
      // and i carries what o and k feel of each other
      const auto [x_qq, x_qv, x_vv, minus_m] =
          sums(product(by_q_felt, turning) + product(feels_turning, c.first_by_q.angular) +
                   product(feels, c.second_by_q),
               product(by_v_felt, turning) + product(feels_turning, c.first_by_v.angular) +
                   product(feels, c.second_by_v),
               product(by_v_felt, S_o.angular) + product(feels, c.both_by_v),
               product(turned_[at_o], felt_[at_k]) + product(turned_[at_k], felt_[at_o]));
      dqq(at.dof, dof_o, dof_k) += x_qq;
      dvv(at.dof, dof_o, dof_k) += x_vv;
      dqv(at.dof, dof_o, dof_k) += x_qv;
      daq(dof_o, dof_k, at.dof) -= minus_m;
      if (!same_joint) {
        dqq(at.dof, dof_k, dof_o) += x_qq;
        dvv(at.dof, dof_k, dof_o) += x_vv;
        dqv(at.dof, dof_k, dof_o) += dot(by_q_felt, S_o.angular) + dot(feels, c.both_by_q);
        daq(dof_k, dof_o, at.dof) -= minus_m;
      }
    }
  }
}

template <Scalar T>
void InverseDynamicsSecondDerivatives<T>::differentiate(const ExternalWrench<T>& given) {
  // what wrenches add to dq, see there, with each of its factors moved along k
  const auto& at = first.state_;
  const int body = given.frame->body;
  const Wrench<T> F = detail::at_origin(at, given);
  const Vec3<T> point = detail::place_from_origin(at, *given.frame).vec();
  const auto moved = [&](const Twist<T>& S) { return detail::wrench_moved(given, F, point, S); };
  detail::each_above(at, body, [&](const auto& k) {
    const Twist<T> S_k = k.twist();
    const Wrench<T> F_k = moved(S_k);
    const auto carried = [&](const auto& d) {
      return detail::carries(k, d) ? cross(S_k, d.twist()) : Twist<T>::zero();
    };
    detail::each_above(at, body, [&](const auto& i) {
      const Twist<T> S_i = i.twist(), S_ik = carried(i);
      const Wrench<T> F_i = moved(S_i);
      const Wrench<T> F_ik =
          moved(S_ik) + detail::wrench_moved_again(given, F, F_k, S_i, S_k, point);
      detail::each_above(at, body, [&](const auto& o) {
        const Twist<T> S_o = o.twist(), S_ok = carried(o);
        T change = dot(S_ok, F_i) + dot(S_o, F_ik);
        if (detail::carries(i, o))
          change += dot(cross(S_ik, S_o) + cross(S_i, S_ok), F) + dot(cross(S_i, S_o), F_k);
        dqq(o.dof, i.dof, k.dof) -= change;
      });
    });
  });
}

template <Scalar T>
ForwardDynamicsSecondDerivatives<T>::ForwardDynamicsSecondDerivatives(const Model& model)
    : first(model),
      dqq(model.nv()),
      dvv(model.nv()),
      dqv(model.nv()),
      dtauq(model.nv()),
      inverse_(model),
      sum_(model.nv()) {}

template <Scalar T>
bool ForwardDynamicsSecondDerivatives<T>::operator()(const Plant<T>& plant, In<T> q, In<T> v,
                                                     In<T> tau, ExternalWrenches<T> wrenches) {
  if (!first(plant, q, v, tau, wrenches)) return false;
  inverse_(plant, q, v, first.a, wrenches);
  const int n = plant.model().nv();
  // sum += (mass matrix by q of `by`) times column `c` of X
  const auto add = [&](int by, const MatX<T>& X, int c) {
    for (int l = 0; l < n; ++l) {
      const T x = X(l, c);
      const T* const column = inverse_.daq.column(l, by);
      for (int r = 0; r < n; ++r) sum_(r) += column[r] * x;
    }
  };
  const auto put = [&](T* to) {
    for (int r = 0; r < n; ++r) to[r] = T(0);
    for (int l = 0; l < n; ++l)
      for (int r = 0; r < n; ++r) to[r] -= first.dtau(r, l) * sum_(l);
  };
  const auto start = [&](const T* from) {
    for (int r = 0; r < n; ++r) sum_(r) = from ? from[r] : T(0);
  };
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      start(inverse_.dqq.column(i, k)), add(i, first.dq, k), add(k, first.dq, i);
      put(dqq.column(i, k));
      start(inverse_.dvv.column(i, k));
      put(dvv.column(i, k));
      start(inverse_.dqv.column(i, k)), add(i, first.dv, k);
      put(dqv.column(i, k));
      start(nullptr), add(k, first.dtau, i);
      put(dtauq.column(i, k));
    }
  return true;
}

}  // namespace ulna
