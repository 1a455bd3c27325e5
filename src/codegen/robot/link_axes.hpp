#pragma once

#include "codegen/robot/light_plant.hpp"
#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"

namespace ulna::codegen {

/// Second moments turned about z: with e = c (Σxx - Σyy) - 2 s Σxy, four products for the block.
inline S3 turned_about_z(const S3& S, const E& s, const E& c) {
  const E e = c * (S.xx - S.yy) - s * (E(2) * S.xy);
  S3 turned;
  turned.xx = S.yy + c * e;
  turned.yy = S.xx - c * e;
  turned.xy = S.xy + s * e;
  turned.xz = c * S.xz - s * S.yz;
  turned.yz = s * S.xz + c * S.yz;
  turned.zz = S.zz;
  return turned;
}

/// The same for any matrix.
inline M3 turned_about_z(const M3& B, const E& s, const E& c) {
  const V3 &x = B.c[0], &y = B.c[1], &z = B.c[2];
  const E e = c * (x.x - y.y) - s * (y.x + x.y);
  return {{y.y + c * e, x.y + s * e, c * x.z - s * y.z},
          {y.x + s * e, x.x - c * e, s * x.z + c * y.z},
          {c * z.x - s * z.y, s * z.x + c * z.y, z.z}};
}

/// All links placed in their parents at q, with the frames of exact_places.
class LinkPoses {
 public:
  LinkPoses(const Model& model, const VecX<E>& q)
      : model_(model), skeleton_(model), R_(skeleton_.places.size()), p_(R_.size()) {
    place_exactly(model, skeleton_);
    skeleton_.set(q.data());
    for (int b = 1; b < model.body_count(); ++b)
      detail::place(model.joint(b), skeleton_, b, q.data(), R_[b], p_[b]);
  }

  const V3& p(int b) const { return p_[b]; }
  V3 out(int b, const V3& v) const { return R_[b].back(v); }  ///< to the link's axes
  V3 in(int b, const V3& v) const { return R_[b] * v; }       ///< to its parent's
  M3 in(int b, const M3& B) const {
    const M3 R = constant_turn(b);
    return R * turned(b, B) * R.transposed();
  }
  S3 in(int b, const S3& S, const V3& g) const {  ///< and moved by p, g being h + m p/2
    return S3::carried(constant_turn(b), turned(b, S), g, p(b));
  }
  /// A motion at the parent's origin, at the link's.
  V6 motion_out(int b, const V6& V) const {
    return {out(b, V.angular), out(b, V.linear + cross(V.angular, p(b)))};
  }
  /// A wrench at the link's origin, at the parent's.
  V6 wrench_in(int b, const V6& F) const {
    const V3 f = in(b, F.linear);
    return {in(b, F.angular) + cross(p(b), f), f};
  }

 private:
  // a rotation is one about z, for which there are shorter formulas, and then a constant one
  bool turns(int b) const { return detail::turns_only(model_.joint(b).type); }
  M3 constant_turn(int b) const { return turns(b) ? skeleton_.places[b].turn.still().R : R_[b].R; }
  template <class Tensor>
  Tensor turned(int b, const Tensor& t) const {
    if (!turns(b)) return t;
    const int i = model_.joint(b).tree_q;
    return turned_about_z(t, skeleton_.sine[i], skeleton_.cosine[i]);
  }

  const Model& model_;
  detail::Skeleton<E> skeleton_;
  std::vector<lanes::Turn<E>> R_;
  std::vector<V3> p_;
};

/// Mass matrix, inverse dynamics and its derivatives in the axes of the links, by the formulas of
/// `dynamics` and `derivatives`. These work in world axes, where composing bodies is addition; that
/// suits a processor. In generated code every operation counts, and a rotation from link to link is
/// mostly zeros, while one to the world is not. Joints must not mimic others.
class LinkAxes {
 public:
  LinkAxes(const Plant<E>& plant, const VecX<E>& q)
      : plant_(plant),
        model_(plant.model()),
        poses_(model_, q),
        bodies_(std::size_t(model_.body_count())) {
    for (int b = 1; b < model_.body_count(); ++b) {
      const Joint& j = model_.joint(b);
      for (int k = 0; k < velocity_size(j.type); ++k) {
        E unit[6] = {E(0), E(0), E(0), E(0), E(0), E(0)};
        unit[k] = E(1);
        const Twist<E> S = joint_twist(j.type, j.pitch, unit);
        body(b).S.push_back({V3(S.angular), V3(S.linear)});
      }
    }
  }

  /// M by composite bodies [Walker, Orin 1982; Featherstone 2008, ch. 6].
  MatX<E> mass_matrix() {
    set_inertias();
    MatX<E> M = MatX<E>::Constant(model_.nv(), model_.nv(), E(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      for (int k = 0; k < std::ssize(body(b).S); ++k) {
        // the momentum of all that the joint moves, at its own link and at each one inward
        V6 h = detail::momentum<E>(body(b), body(b).S[k]);
        const int c = model_.joint(b).v + k;
        for_each_inward(
            b, k, [&](int r, const Body&, const V6& S) { M(r, c) = M(c, r) = dot(S, h); },
            [&](int i) { h = poses_.wrench_in(i, h); });
        M(c, c) += plant_.armature(c);
      }
      add_to_parent(b);
    }
    return M;
  }

  /// Velocities and Coriolis matrices, which torque and its derivatives need.
  void set_velocity(const VecX<E>& v) {
    set_inertias();
    v_ = v;
    body(0).V = V6::zero();
    for (int b = 1; b < model_.body_count(); ++b) {
      Body& B = body(b);
      B.V_parent = poses_.motion_out(b, parent(b).V);
      B.V = B.V_parent + along(b, v);
      detail::set_coriolis<E>(B, B.V + B.V, B);
    }
  }

  /// Inverse dynamics at the acceleration a.
  VecX<E> torque(const VecX<E>& a) {
    body(0).A = {V3::zero(), -V3(Vec3<E>(model_.gravity().cast<E>()))};
    body(0).F = V6::zero();
    for (int b = 1; b < model_.body_count(); ++b) {
      Body& B = body(b);
      B.A_parent = poses_.motion_out(b, parent(b).A);
      B.A = B.A_parent + cross(B.V, along(b, v_)) + along(b, a);
      // a point r accelerates by c + U r
      const V3 &w = B.V.angular, c = B.A.linear + cross(w, B.V.linear);
      detail::newton_euler_equations<E>(B, c, detail::point_acceleration(w, B.A.angular),
                                        B.F.linear, B.F.angular);
    }
    VecX<E> tau = VecX<E>::Constant(model_.nv(), E(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      detail::project(model_.joint(b), body(b).F.angular, body(b).F.linear, tau.data());
      parent(b).F += poses_.wrench_in(b, body(b).F);
    }
    for (Eigen::Index i = 0; i < tau.size(); ++i)
      tau(i) += detail::friction_torque<E>(plant_, i, v_(i)) + plant_.armature(i) * a(i);
    return tau;
  }

  MatX<E> dq, dv, da;  ///< of the torque

  /// The derivatives of the torque computed last, by the formulas of InverseDynamicsDerivatives. Once:
  /// bodies become composites.
  void differentiate() {
    dq = dv = da = MatX<E>::Constant(model_.nv(), model_.nv(), E(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      for (int k = int(body(b).S.size()) - 1; k >= 0; --k) differentiate(b, k);
      add_to_parent(b);
      // the moment of w is B w + p x (w x momentum)
      const V3 momentum = poses_.in(b, body(b).p), &p = poses_.p(b);
      const E pm = dot(p, momentum), zero(0);
      M3 carried = poses_.in(b, body(b).B);
      carried += M3{V3(pm, zero, zero) - momentum * p.x, V3(zero, pm, zero) - momentum * p.y,
                    V3(zero, zero, pm) - momentum * p.z};
      parent(b).B += carried;
      parent(b).p += momentum;
    }
    da.diagonal() += plant_.armature;
    dv.diagonal() += plant_.damping;
  }

 private:
  /// As in InverseDynamicsDerivatives, but about the link's origin and in its axes, in which V_parent
  /// and A_parent are the parent's motions.
  struct Body {
    E mass{0.0};
    V3 first;
    S3 second;
    M3 B = M3::zero();
    V3 p = V3::zero();
    V6 V, V_parent, A, A_parent, F;
    std::vector<V6> S;  ///< the joint's twists per unit of each of its velocities
  };

  Body& body(int b) { return bodies_[b]; }
  Body& parent(int b) { return body(model_.joint(b).parent); }

  void set_inertias() {
    for (int b = 0; b < model_.body_count(); ++b) {
      const auto& from = plant_.body(b);
      body(b).mass = from.mass, body(b).first = from.first, body(b).second = from.second;
    }
  }
  void add_to_parent(int b) {
    const Body& B = body(b);
    const V3 h = poses_.in(b, B.first), mp = poses_.p(b) * B.mass;
    parent(b).mass += B.mass;
    parent(b).first += h + mp;
    parent(b).second += poses_.in(b, B.second, h + mp * E(0.5));
  }

  V6 along(int b, const VecX<E>& x) {
    V6 sum = V6::zero();
    for (std::size_t k = 0; k < body(b).S.size(); ++k)
      sum += body(b).S[k] * x(model_.joint(b).v + Eigen::Index(k));
    return sum;
  }
  V6 first_rate(const Body& B, const V6& S) { return cross(B.V_parent, S); }
  V6 second_rate(const Body& B, const V6& S) {
    return cross(B.A_parent, S) + cross(B.V_parent, first_rate(B, S));
  }
  V6 both_rates(const Body& B, const V6& S) { return first_rate(B, S) + cross(B.V, S); }

  /// Calls at(row, body, twist) for the k-th velocity of joint b and all before it on the way to the
  /// base, and leave(i) when going from link i to its parent.
  template <class At, class Leave>
  void for_each_inward(int b, int k, At at, Leave leave) {
    for (int i = b; i > 0; i = model_.joint(i).parent) {
      const Body& B = body(i);
      for (int o = 0; o < (i == b ? k + 1 : std::ssize(B.S)); ++o)
        at(model_.joint(i).v + o, B, B.S[o]);
      leave(i);
    }
  }

  /// By the k-th velocity of joint b: its column upward, its row leftward.
  void differentiate(int b, int k) {
    const Body& B = body(b);
    const V6& S = B.S[k];
    const int c = model_.joint(b).v + k;
    const auto coriolis = [&](const V3& w) { return V6{B.B * w, cross(w, B.p)}; };
    const auto momentum = [&](const V6& V) { return detail::momentum<E>(B, V); };
    V6 by_q = coriolis(first_rate(B, S).angular) + momentum(second_rate(B, S));
    V6 by_v = coriolis(S.angular) + momentum(both_rates(B, S));
    V6 by_a = momentum(S);
    V3 turning = B.B.transposed() * S.angular + cross(B.p, S.linear);
    for_each_inward(
        b, k,
        [&](int r, const Body& other, const V6& S_o) {
          dq(r, c) = dot(S_o, by_q);
          dv(r, c) = dot(S_o, by_v);
          da(r, c) = da(c, r) = dot(S_o, by_a);
          if (r == c) return;
          dq(c, r) =
              dot(by_a, second_rate(other, S_o)) + dot(turning, first_rate(other, S_o).angular);
          dv(c, r) = dot(by_a, both_rates(other, S_o)) + dot(turning, S_o.angular);
        },
        [&](int i) {
          // to the joints inward, the wrenches themselves are displaced
          if (i == b) by_q += cross_force(S, B.F);
          for (V6* F : {&by_q, &by_v, &by_a}) *F = poses_.wrench_in(i, *F);
          turning = poses_.in(i, turning);
        });
  }

  const Plant<E>& plant_;
  const Model& model_;
  LinkPoses poses_;
  VecX<E> v_;
  std::vector<Body> bodies_;
};

}  // namespace ulna::codegen
