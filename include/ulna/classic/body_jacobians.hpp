#pragma once

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

/// Each link's Jacobian in its own frame, J_i with V_i = J_i q̇ (Cărămizaru 2023, rem. 4.1.1; the notes on wrenches): column j is
/// the screw axis of joint j as seen from link i, and zero where joint j does not move link i.
template <Scalar T>
class BodyJacobians {
 public:
  BodyJacobians(const Arm<T>& arm, const VecX<T>& q)
      : J_(arm.joint_count() + 1), R_(arm.joint_count() + 1) {
    require_size("q", q.size(), arm.joint_count());
    for (int i = 1; i <= arm.joint_count(); ++i) {
      const int p = arm.link(i).parent;
      const Transform<T> X_PL = arm.link(i).pose(q(i - 1));
      R_[i] = p == 0 ? X_PL.rotation() : R_[p] * X_PL.rotation();
      // the columns of the parent, seen from here, and the own joint
      J_[i].resize(arm.joint_count() + 1);
      for (int j : arm.path(p)) J_[i][j] = X_PL.inverse_apply(J_[p][j]);
      J_[i][i] = arm.link(i).axis();
    }
  }

  const Twist<T>& column(int i, int j) const { return J_[i][j]; }
  /// ∂(column j of J_i)/∂q_k: it turns with the joints k between it and the link. For j before k on
  /// the path to link i it is the Lie bracket [J_ij, J_ik], else zero.
  Twist<T> derivative(int i, int j, int k) const {
    return j < k ? cross(J_[i][j], J_[i][k]) : Twist<T>::zero();
  }
  const Rotation<T>& orientation(int i) const { return R_[i]; }  ///< of link i in the base

 private:
  std::vector<std::vector<Twist<T>>> J_;
  std::vector<Rotation<T>> R_;
};

namespace detail {

/// The terms of an arm at one q by body Jacobians.
template <Scalar T>
struct ByJacobians {
  template <class Formulation>
  ByJacobians(const Formulation& of, const VecX<T>& q) : arm(of.links()), J(arm, q) {}

  /// M = Σ J_i' M_i J_i
  MatX<T> D() const {
    const int n = arm.joint_count();
    MatX<T> M = MatX<T>::Zero(n, n);
    for (int i = 1; i <= n; ++i)
      for (int k : arm.path(i)) {
        const Wrench<T> momentum = arm.link(i).inertia * J.column(i, k);
        for (int j : arm.path(i)) {
          if (j > k) break;
          M(j - 1, k - 1) += dot(J.column(i, j), momentum);
        }
      }
    make_symmetric(M);
    return M;
  }
  /// -Σ J_i' w_i, of the weights of the links in their frames.
  template <class Weight>
  VecX<T> against(Weight weight_of) const {
    VecX<T> c = VecX<T>::Zero(arm.joint_count());
    for (int i = 1; i <= arm.joint_count(); ++i) {
      const Wrench<T> weight =
          weight_of(arm.link(i).inertia, Vec3<T>(J.orientation(i).inverse_apply(arm.gravity)));
      for (int j : arm.path(i)) c(j - 1) -= dot(J.column(i, j), weight);
    }
    return c;
  }

  const Arm<T>& arm;
  BodyJacobians<T> J;
};

}  // namespace detail

/// Lagrange's equations with the kinetic energy written by body Jacobians (the notes on wrenches):
///
///   M(q) q̈ + C(q, q̇) q̇ + N(q) = τ,   M = Σ J_i' M_i J_i,   N = ∂V/∂q,
///   C_ij = Σ_k Γ_ijk q̇_k,   Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_kj/∂q_i)
///
/// M_i is the spatial inertia of link i in its own frame (Cărămizaru 2023, eq. 4.10), in place of the notes' frame at
/// the centre of mass: then everything is linear in the ten parameters, and nothing is divided.
template <Scalar T>
class Lagrangian : public ClosedForm<T, Lagrangian<T>, Arm<T>> {
 public:
  using ClosedForm<T, Lagrangian<T>, Arm<T>>::ClosedForm;

  struct At : detail::ByJacobians<T> {
    using Base = detail::ByJacobians<T>;
    using Base::Base, Base::arm, Base::J;

    /// [l] is ∂M/∂q_l, l = 0 .. n-1.
    std::vector<MatX<T>> dM() const {
      const int n = arm.joint_count();
      std::vector<MatX<T>> dM(n, MatX<T>::Zero(n, n));
      for (int i = 1; i <= n; ++i)
        for (int j : arm.path(i)) {
          // ∂(J_ij' M_i J_ik)/∂q_l has two terms; the second is the first with j and k exchanged
          const Wrench<T> momentum = arm.link(i).inertia * J.column(i, j);
          for (int l : arm.path(i))
            for (int k : arm.path(i)) {
              if (k >= l) break;
              const T term = dot(J.derivative(i, k, l), momentum);
              dM[l - 1](j - 1, k - 1) += term;
              dM[l - 1](k - 1, j - 1) += term;
            }
        }
      return dM;
    }
    /// Γ_ijk as [i](j, k).
    std::vector<MatX<T>> christoffel() const {
      const int n = arm.joint_count();
      const std::vector<MatX<T>> dM = this->dM();
      std::vector<MatX<T>> gamma(n, MatX<T>(n, n));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int k = 0; k <= j; ++k)
            gamma[i](j, k) = gamma[i](k, j) = T(0.5) * (dM[k](i, j) + dM[j](i, k) - dM[i](k, j));
      return gamma;
    }
    /// By Christoffel symbols: Ṁ - 2C is skew.
    MatX<T> C(const VecX<T>& v) const {
      const std::vector<MatX<T>> gamma = christoffel();
      MatX<T> C(v.size(), v.size());
      for (int i = 0; i < v.size(); ++i) C.row(i) = gamma[i].lazyProduct(v).transpose();
      return C;
    }
    VecX<T> h(const VecX<T>& v) const { return C(v).lazyProduct(v); }
    VecX<T> c() const {
      return this->against([](const Inertia<T>& body, const Vec3<T>& g) {
        return Wrench<T>{cross(body.first_moment(), g), body.mass() * g};
      });
    }
  };

  MatX<T> coriolis(const VecX<T>& q, const VecX<T>& v) const { return this->at(q, v).C(v); }
  /// [k] is ∂M/∂q_k, k = 0 .. n-1.
  std::vector<MatX<T>> mass_matrix_derivatives(const VecX<T>& q) const { return this->at(q).dM(); }
  /// Γ_ijk as [i](j, k): symmetric in j and k.
  std::vector<MatX<T>> christoffel(const VecX<T>& q) const { return this->at(q).christoffel(); }
  /// V(q) = -Σ m_i g'r_i, from the origin of the base.
  T potential_energy(const VecX<T>& q) const {
    const Arm<T>& arm = this->links();
    const std::vector<Transform<T>> X = link_poses(arm, q);
    T V(0);
    for (int i = 1; i <= arm.joint_count(); ++i) {
      const Inertia<T>& body = arm.link(i).inertia;
      const Vec3<T> first_moment =
          X[i].rotation() * body.first_moment() + body.mass() * X[i].translation();
      V -= arm.gravity.dot(first_moment);
    }
    return V;
  }
};

/// The same equations as a sum over the bodies (Cărămizaru 2023, eq. 4.7 and 4.8), reached from Newton and Euler:
///
///   τ = Σ J_i'I_i J_i q̈ + Σ J_i'(I_i J̇_i + I_i [V_i x] J_i + [V_i x*] I_i J_i) q̇ - Σ J_i'I_i A_g
///
/// Its C needs no Christoffel symbols, and Ṁ - 2C is skew too: I[V x] + [V x*]I = I[V x] - (I[V x])'.
template <Scalar T>
class SumForm : public ClosedForm<T, SumForm<T>, Arm<T>> {
 public:
  using ClosedForm<T, SumForm<T>, Arm<T>>::ClosedForm;

  struct At : detail::ByJacobians<T> {
    using Base = detail::ByJacobians<T>;
    using Base::Base, Base::arm, Base::J;

    MatX<T> C(const VecX<T>& v) const {
      const int n = arm.joint_count();
      MatX<T> C = MatX<T>::Zero(n, n);
      for (int i = 1; i <= n; ++i) {
        const Inertia<T>& I = arm.link(i).inertia;
        const std::vector<int>& path = arm.path(i);
        Twist<T> V;
        for (int j : path) V += J.column(i, j) * v(j - 1);

        // J̇_ij = Σ_k [J_ij, J_ik] q̇_k over the joints k beyond j: the bracket with their part of V
        Twist<T> beyond;
        for (auto j = path.rbegin(); j != path.rend(); ++j) {
          const Twist<T>& column = J.column(i, *j);
          const Twist<T> rate = cross(column, beyond);
          const Wrench<T> F = I * (rate + cross(V, column)) + cross(V, I * column);
          for (int k : path) C(k - 1, *j - 1) += dot(J.column(i, k), F);
          beyond += column * v(*j - 1);
        }
      }
      return C;
    }
    VecX<T> h(const VecX<T>& v) const { return C(v).lazyProduct(v); }
    /// -Σ J_i'I_i A_g (eq. 4.8)
    VecX<T> c() const {
      return this->against([](const Inertia<T>& body, const Vec3<T>& g) {
        return body * Twist<T>{Vec3<T>::Zero(), g};
      });
    }
  };

  MatX<T> coriolis(const VecX<T>& q, const VecX<T>& v) const { return this->at(q, v).C(v); }
};

}  // namespace ulna::classic
