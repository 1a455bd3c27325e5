#pragma once

#include "codegen/robot/link_axes.hpp"
#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"

namespace ulna::detail {

/// Inverse dynamics and its derivatives: what InverseDynamicsDerivatives computes, by the same
/// formulas, in the axes of the links. Joints must not mimic others.
template <Scalar T>
class LinkAxesDerivatives {
 public:
  LinkAxesDerivatives(const Plant<T>& plant, const VecX<T>& q, const VecX<T>& v)
      : plant_(plant),
        model_(plant.model()),
        links_(model_, q),
        v_(v),
        bodies_(static_cast<std::size_t>(model_.body_count())) {
    for (int b = 0; b < model_.body_count(); ++b) {
      Body& B = body(b);
      B.mass = plant.body(b).mass, B.first = plant.body(b).first, B.second = plant.body(b).second;
      B.V_parent = B.V = V6<T>::zero();
      if (b == 0) continue;
      B.S = joint_twists<T>(model_.joint(b));
      B.V_parent = links_.motion_out(b, parent(b).V);
      B.V = B.V_parent + along(b, v);
      set_coriolis<T>(B, B.V + B.V, B);
    }
  }

  /// tau at the acceleration a.
  VecX<T> torque(const VecX<T>& a) {
    body(0).A = {V3<T>::zero(), -V3<T>(Vec3<T>(model_.gravity().template cast<T>()))};
    body(0).F = V6<T>::zero();
    for (int b = 1; b < model_.body_count(); ++b) {
      Body& B = body(b);
      B.A_parent = links_.motion_out(b, parent(b).A);
      B.A = B.A_parent + cross(B.V, along(b, v_)) + along(b, a);
      // a point r accelerates by c + U r
      const V3<T>&w = B.V.angular, c = B.A.linear + cross(w, B.V.linear);
      newton_euler_equations<T>(B, c, point_acceleration(w, B.A.angular), B.F.linear, B.F.angular);
    }
    VecX<T> tau = VecX<T>::Constant(model_.nv(), T(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      project(model_.joint(b), body(b).F.angular, body(b).F.linear, tau.data());
      parent(b).F += links_.wrench_in(b, body(b).F);
    }
    for (Eigen::Index i = 0; i < tau.size(); ++i)
      tau(i) += friction_torque<T>(plant_, i, v_(i)) + plant_.armature(i) * a(i);
    return tau;
  }

  MatX<T> dq, dv, da;

  /// After torque, once: bodies become composites.
  void differentiate() {
    const int nv = model_.nv();
    dq = dv = da = MatX<T>::Constant(nv, nv, T(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      const Body& B = body(b);
      for (int k = static_cast<int>(B.S.size()) - 1; k >= 0; --k) differentiate(b, k);
      Body& P = parent(b);
      links_.hand_over(b, static_cast<const Inertial&>(B), static_cast<Inertial&>(P));
      // the moment of w is B w + p x (w x momentum)
      const V3<T> momentum = links_.in(b, B.p), &p = links_.p(b);
      M3<T> carried = links_.in(b, B.B);
      const T pm = dot(p, momentum), zero(0);
      carried +=
          M3<T>{V3<T>(pm, zero, zero) - momentum * p.x, V3<T>(zero, pm, zero) - momentum * p.y,
                V3<T>(zero, zero, pm) - momentum * p.z};
      P.B += carried;
      P.p += momentum;
    }
    for (int i = 0; i < nv; ++i) da(i, i) += plant_.armature(i), dv(i, i) += plant_.damping(i);
  }

 private:
  struct Inertial {
    T mass{0.0};
    V3<T> first;
    S3<T> second;
  };
  /// As in InverseDynamicsDerivatives, about the link's origin; motions of the parent told there too.
  struct Body : Inertial {
    M3<T> B = M3<T>::zero();
    V3<T> p = V3<T>::zero();
    V6<T> V, V_parent, A, A_parent, F;
    std::vector<V6<T>> S;
  };

  Body& body(int b) { return bodies_[static_cast<std::size_t>(b)]; }
  Body& parent(int b) { return body(model_.joint(b).parent); }

  V6<T> along(int b, const VecX<T>& x) {
    V6<T> sum = V6<T>::zero();
    for (std::size_t k = 0; k < body(b).S.size(); ++k)
      sum += body(b).S[k] * x(model_.joint(b).v + static_cast<Eigen::Index>(k));
    return sum;
  }
  V6<T> first_rate(const Body& B, const V6<T>& S) { return cross(B.V_parent, S); }
  V6<T> second_rate(const Body& B, const V6<T>& S) {
    return cross(B.A_parent, S) + cross(B.V_parent, first_rate(B, S));
  }
  V6<T> both_rates(const Body& B, const V6<T>& S) { return first_rate(B, S) + cross(B.V, S); }

  /// By the k-th velocity of joint b: its column upward, its row leftward.
  void differentiate(int b, int k) {
    const Body& B = body(b);
    const V6<T>& S = B.S[static_cast<std::size_t>(k)];
    const int c = model_.joint(b).v + k;
    const auto coriolis = [&](const V3<T>& w) { return V6<T>{B.B * w, cross(w, B.p)}; };
    V6<T> by_q = coriolis(first_rate(B, S).angular) + momentum<T>(B, second_rate(B, S));
    V6<T> by_v = coriolis(S.angular) + momentum<T>(B, both_rates(B, S));
    V6<T> feels = momentum<T>(B, S);
    V3<T> turning = B.B.transposed() * S.angular + cross(B.p, S.linear);
    for (int i = b; i > 0; i = model_.joint(i).parent) {
      const Body& other = body(i);
      for (int o = i == b ? k : static_cast<int>(other.S.size()) - 1; o >= 0; --o) {
        const V6<T>& S_o = other.S[static_cast<std::size_t>(o)];
        const int r = model_.joint(i).v + o;
        dq(r, c) = dot(S_o, by_q);
        dv(r, c) = dot(S_o, by_v);
        da(r, c) = da(c, r) = dot(S_o, feels);
        if (r == c) continue;
        dq(c, r) =
            dot(feels, second_rate(other, S_o)) + dot(turning, first_rate(other, S_o).angular);
        dv(c, r) = dot(feels, both_rates(other, S_o)) + dot(turning, S_o.angular);
      }
      // to the joints above, the wrenches themselves are displaced
      if (i == b) by_q += cross_force(S, B.F);
      by_q = links_.wrench_in(i, by_q);
      by_v = links_.wrench_in(i, by_v);
      feels = links_.wrench_in(i, feels);
      turning = links_.in(i, turning);
    }
  }

  const Plant<T>& plant_;
  const Model& model_;
  LinkAxes<T> links_;
  VecX<T> v_;
  std::vector<Body> bodies_;
};

}  // namespace ulna::detail
