#pragma once

#include "codegen/robot/light_plant.hpp"
#include "ulna/dynamics/coriolis_impl.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"

namespace ulna::codegen {

using lanes::S3, lanes::V6;

/// Second moments turned about z: with e = c (Σxx - Σyy) - 2 s Σxy, four products for the block that
/// turns.
template <Scalar T>
S3<T> turned_about_z(const S3<T>& S, const T& s, const T& c) {
  const T e = c * (S.xx - S.yy) - s * (T(2) * S.xy);
  S3<T> turned;
  turned.xx = S.yy + c * e;
  turned.yy = S.xx - c * e;
  turned.xy = S.xy + s * e;
  turned.xz = c * S.xz - s * S.yz;
  turned.yz = s * S.xz + c * S.yz;
  turned.zz = S.zz;
  return turned;
}

/// The same for any matrix.
template <Scalar T>
M3<T> turned_about_z(const M3<T>& B, const T& s, const T& c) {
  const V3<T>&x = B.c[0], &y = B.c[1], &z = B.c[2];
  const T e = c * (x.x - y.y) - s * (y.x + x.y);
  return {{y.y + c * e, x.y + s * e, c * x.z - s * y.z},
          {y.x + s * e, x.x - c * e, s * x.z + c * y.z},
          {c * z.x - s * z.y, s * z.x + c * z.y, z.z}};
}

/// All links placed in their parents at q, with the frames of exact_places.
template <Scalar T>
class LinkPoses {
 public:
  LinkPoses(const Model& model, const VecX<T>& q)
      : model_(model), skeleton_(model), R_(skeleton_.places.size()), p_(R_.size()) {
    place_exactly(model, skeleton_);
    skeleton_.set(model.joints(), q.data(), model.nq());
    for (int b = 1; b < model.body_count(); ++b)
      detail::place(model.joint(b), skeleton_, b, q.data(), R_[b], p_[b]);
  }

  const V3<T>& p(int b) const { return p_[b]; }
  V3<T> out(int b, const V3<T>& v) const { return R_[b].back(v); }  ///< to the link's axes
  V3<T> in(int b, const V3<T>& v) const { return R_[b] * v; }       ///< to its parent's
  M3<T> in(int b, const M3<T>& B) const {
    const M3<T> R = constant_turn(b);
    return R * turned(b, B) * R.transposed();
  }
  S3<T> in(int b, const S3<T>& S, const V3<T>& g) const {  ///< and moved by p, g being h + m p/2
    return S3<T>::carried(constant_turn(b), turned(b, S), g, p(b));
  }
  /// A motion at the parent's origin, at the link's.
  V6<T> motion_out(int b, const V6<T>& V) const {
    return {out(b, V.angular), out(b, V.linear + cross(V.angular, p(b)))};
  }
  /// A wrench at the link's origin, at the parent's.
  V6<T> wrench_in(int b, const V6<T>& F) const {
    const V3<T> f = in(b, F.linear);
    return {in(b, F.angular) + cross(p(b), f), f};
  }

 private:
  // a rotation is one about z, for which there are shorter formulas, and then a constant one
  bool turns(int b) const { return detail::turns_only(model_.joint(b).type); }
  M3<T> constant_turn(int b) const {
    return turns(b) ? skeleton_.places[b].turn.still().R : R_[b].R;
  }
  template <class Tensor>
  Tensor turned(int b, const Tensor& t) const {
    if (!turns(b)) return t;
    const int i = model_.joint(b).tree_q;
    return turned_about_z(t, skeleton_.sine[i], skeleton_.cosine[i]);
  }

  const Model& model_;
  detail::Skeleton<T> skeleton_;
  std::vector<lanes::Turn<T>> R_;
  std::vector<V3<T>> p_;
};

/// Mass matrix, inverse dynamics and its derivatives in the axes of the links, by the formulas of
/// `dynamics` and `derivatives`. These work in world axes, where composing bodies is addition; that
/// suits a processor. In generated code every operation counts, and a rotation from link to link is
/// mostly zeros, while one to the world is not. Joints must not mimic others.
template <Scalar T>
class LinkAxes {
 public:
  LinkAxes(const Plant<T>& plant, const VecX<T>& q)
      : plant_(plant),
        model_(plant.model()),
        poses_(model_, q),
        bodies_(static_cast<std::size_t>(model_.body_count())) {
    for (int b = 1; b < model_.body_count(); ++b) {
      const Joint& j = model_.joint(b);
      for (int k = 0; k < velocity_size(j.type); ++k) {
        T unit[6] = {T(0), T(0), T(0), T(0), T(0), T(0)};
        unit[k] = T(1);
        const Twist<T> S = joint_twist(j.type, j.pitch, unit);
        body(b).S.push_back({V3<T>(S.angular), V3<T>(S.linear)});
      }
    }
  }

  /// M by composite bodies [Walker, Orin 1982; Featherstone 2008, ch. 6].
  MatX<T> mass_matrix() {
    set_inertias();
    MatX<T> M = MatX<T>::Constant(model_.nv(), model_.nv(), T(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      for (int k = 0; k < std::ssize(body(b).S); ++k) {
        // the momentum of all that the joint moves, at its own link and at each one inward
        V6<T> h = detail::momentum<T>(body(b), body(b).S[k]);
        const int c = model_.joint(b).v + k;
        for_each_inward(
            b, k, [&](int r, const Body&, const V6<T>& S) { M(r, c) = M(c, r) = dot(S, h); },
            [&](int i) { h = poses_.wrench_in(i, h); });
        M(c, c) += plant_.armature(c);
      }
      add_to_parent(b);
    }
    return M;
  }

  /// Velocities and Coriolis matrices, which torque and its derivatives need.
  void set_velocity(const VecX<T>& v) {
    set_inertias();
    v_ = v;
    body(0).V = V6<T>::zero();
    for (int b = 1; b < model_.body_count(); ++b) {
      Body& B = body(b);
      B.V_parent = poses_.motion_out(b, parent(b).V);
      B.V = B.V_parent + along(b, v);
      detail::set_coriolis<T>(B, B.V + B.V, B);
    }
  }

  /// Inverse dynamics at the acceleration a.
  VecX<T> torque(const VecX<T>& a) {
    body(0).A = {V3<T>::zero(), -V3<T>(Vec3<T>(model_.gravity().template cast<T>()))};
    body(0).F = V6<T>::zero();
    for (int b = 1; b < model_.body_count(); ++b) {
      Body& B = body(b);
      B.A_parent = poses_.motion_out(b, parent(b).A);
      B.A = B.A_parent + cross(B.V, along(b, v_)) + along(b, a);
      // a point r accelerates by c + U r
      const V3<T>&w = B.V.angular, c = B.A.linear + cross(w, B.V.linear);
      detail::newton_euler_equations<T>(B, c, detail::point_acceleration(w, B.A.angular),
                                        B.F.linear, B.F.angular);
    }
    VecX<T> tau = VecX<T>::Constant(model_.nv(), T(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      detail::project(model_.joint(b), body(b).F.angular, body(b).F.linear, tau.data());
      parent(b).F += poses_.wrench_in(b, body(b).F);
    }
    for (Eigen::Index i = 0; i < tau.size(); ++i)
      tau(i) += detail::friction_torque<T>(plant_, i, v_(i)) + plant_.armature(i) * a(i);
    return tau;
  }

  MatX<T> dq, dv, da;  ///< of the torque

  /// The derivatives of the torque computed last, by the formulas of InverseDynamicsDerivatives. Once:
  /// bodies become composites.
  void differentiate() {
    dq = dv = da = MatX<T>::Constant(model_.nv(), model_.nv(), T(0));
    for (int b = model_.body_count() - 1; b > 0; --b) {
      for (int k = static_cast<int>(body(b).S.size()) - 1; k >= 0; --k) differentiate(b, k);
      add_to_parent(b);
      // the moment of w is B w + p x (w x momentum)
      const V3<T> momentum = poses_.in(b, body(b).p), &p = poses_.p(b);
      const T pm = dot(p, momentum), zero(0);
      M3<T> carried = poses_.in(b, body(b).B);
      carried +=
          M3<T>{V3<T>(pm, zero, zero) - momentum * p.x, V3<T>(zero, pm, zero) - momentum * p.y,
                V3<T>(zero, zero, pm) - momentum * p.z};
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
    T mass{0.0};
    V3<T> first;
    S3<T> second;
    M3<T> B = M3<T>::zero();
    V3<T> p = V3<T>::zero();
    V6<T> V, V_parent, A, A_parent, F;
    std::vector<V6<T>> S;  ///< the joint's twists per unit of each of its velocities
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
    const V3<T> h = poses_.in(b, B.first), mp = poses_.p(b) * B.mass;
    parent(b).mass += B.mass;
    parent(b).first += h + mp;
    parent(b).second += poses_.in(b, B.second, h + mp * T(0.5));
  }

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
    const V6<T>& S = B.S[k];
    const int c = model_.joint(b).v + k;
    const auto coriolis = [&](const V3<T>& w) { return V6<T>{B.B * w, cross(w, B.p)}; };
    const auto momentum = [&](const V6<T>& V) { return detail::momentum<T>(B, V); };
    V6<T> by_q = coriolis(first_rate(B, S).angular) + momentum(second_rate(B, S));
    V6<T> by_v = coriolis(S.angular) + momentum(both_rates(B, S));
    V6<T> by_a = momentum(S);
    V3<T> turning = B.B.transposed() * S.angular + cross(B.p, S.linear);
    for_each_inward(
        b, k,
        [&](int r, const Body& other, const V6<T>& S_o) {
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
          for (V6<T>* F : {&by_q, &by_v, &by_a}) *F = poses_.wrench_in(i, *F);
          turning = poses_.in(i, turning);
        });
  }

  const Plant<T>& plant_;
  const Model& model_;
  LinkPoses<T> poses_;
  VecX<T> v_;
  std::vector<Body> bodies_;
};

}  // namespace ulna::codegen
