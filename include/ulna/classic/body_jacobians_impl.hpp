#pragma once

#include "ulna/classic/arm_impl.hpp"
#include "ulna/classic/body_jacobians.hpp"

namespace ulna::classic {

template <Scalar T>
BodyJacobians<T>::BodyJacobians(const Arm<T>& arm, const VecX<T>& q)
    : J_(arm.joint_count() + 1), R_(arm.joint_count() + 1) {
  arm.require_size("q", q.size());
  for (int i = 1; i <= arm.joint_count(); ++i) {
    const int p = arm.link(i).parent;
    const Transform<T> X_PL = arm.link(i).pose(q(i - 1));
    R_[i] = p == 0 ? X_PL.rotation() : R_[p] * X_PL.rotation();
    // what the parent feels, seen from here, and the own joint
    J_[i].resize(arm.joint_count() + 1);
    for (int j : arm.path(p)) J_[i][j] = X_PL.inverse_apply(J_[p][j]);
    J_[i][i] = arm.link(i).axis();
  }
}

template <Scalar T>
Twist<T> BodyJacobians<T>::derivative(int i, int j, int k) const {
  return j < k ? cross(J_[i][j], J_[i][k]) : Twist<T>::zero();
}

namespace detail {

/// M = Σ J_i' M_i J_i
template <Scalar T>
MatX<T> mass_matrix(const Arm<T>& arm, const BodyJacobians<T>& J) {
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
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < k; ++j) M(k, j) = M(j, k);
  return M;
}

/// [l] is ∂M/∂q_l.
template <Scalar T>
std::vector<MatX<T>> mass_matrix_derivatives(const Arm<T>& arm, const BodyJacobians<T>& J) {
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

template <Scalar T>
std::vector<MatX<T>> christoffel(const std::vector<MatX<T>>& dM) {
  const int n = static_cast<int>(dM.size());
  std::vector<MatX<T>> gamma(n, MatX<T>(n, n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= j; ++k)
        gamma[i](j, k) = gamma[i](k, j) = T(0.5) * (dM[k](i, j) + dM[j](i, k) - dM[i](k, j));
  return gamma;
}

/// C_ij = Σ_k Γ_ijk q̇_k
template <Scalar T>
MatX<T> coriolis(const Arm<T>& arm, const BodyJacobians<T>& J, const VecX<T>& v) {
  const int n = arm.joint_count();
  const std::vector<MatX<T>> gamma = christoffel(mass_matrix_derivatives(arm, J));
  MatX<T> C(n, n);
  for (int i = 0; i < n; ++i) C.row(i) = gamma[i].lazyProduct(v).transpose();
  return C;
}

/// ∂V/∂q: each link's weight, through its Jacobian.
template <Scalar T>
VecX<T> gravity(const Arm<T>& arm, const BodyJacobians<T>& J) {
  VecX<T> N = VecX<T>::Zero(arm.joint_count());
  for (int i = 1; i <= arm.joint_count(); ++i) {
    const Inertia<T>& body = arm.link(i).inertia;
    const Vec3<T> g = J.orientation(i).inverse_apply(arm.gravity);
    const Wrench<T> weight{cross(body.first_moment(), g), body.mass() * g};
    for (int j : arm.path(i)) N(j - 1) -= dot(J.column(i, j), weight);
  }
  return N;
}

}  // namespace detail

template <Scalar T>
MatX<T> Lagrangian<T>::mass_matrix(const VecX<T>& q) const {
  return detail::mass_matrix(arm_, BodyJacobians<T>(arm_, q));
}

template <Scalar T>
std::vector<MatX<T>> Lagrangian<T>::mass_matrix_derivatives(const VecX<T>& q) const {
  return detail::mass_matrix_derivatives(arm_, BodyJacobians<T>(arm_, q));
}

template <Scalar T>
std::vector<MatX<T>> Lagrangian<T>::christoffel(const VecX<T>& q) const {
  return detail::christoffel(mass_matrix_derivatives(q));
}

template <Scalar T>
MatX<T> Lagrangian<T>::coriolis(const VecX<T>& q, const VecX<T>& v) const {
  arm_.require_size("v", v.size());
  return detail::coriolis(arm_, BodyJacobians<T>(arm_, q), v);
}

template <Scalar T>
VecX<T> Lagrangian<T>::gravity(const VecX<T>& q) const {
  return detail::gravity(arm_, BodyJacobians<T>(arm_, q));
}

template <Scalar T>
T Lagrangian<T>::potential_energy(const VecX<T>& q) const {
  const std::vector<Transform<T>> X = link_poses(arm_, q);
  T V(0);
  for (int i = 1; i <= arm_.joint_count(); ++i) {
    const Inertia<T>& body = arm_.link(i).inertia;
    const Vec3<T> first_moment =
        X[i].rotation() * body.first_moment() + body.mass() * X[i].translation();
    V -= arm_.gravity.dot(first_moment);
  }
  return V;
}

template <Scalar T>
VecX<T> Lagrangian<T>::bias(const VecX<T>& q, const VecX<T>& v) const {
  arm_.require_size("v", v.size());
  const BodyJacobians<T> J(arm_, q);
  return VecX<T>(detail::coriolis(arm_, J, v).lazyProduct(v)) + detail::gravity(arm_, J);
}

template <Scalar T>
VecX<T> Lagrangian<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v,
                                        const VecX<T>& a) const {
  arm_.require_size("v", v.size());
  arm_.require_size("a", a.size());
  const BodyJacobians<T> J(arm_, q);
  return VecX<T>(detail::mass_matrix(arm_, J).lazyProduct(a)) +
         VecX<T>(detail::coriolis(arm_, J, v).lazyProduct(v)) + detail::gravity(arm_, J);
}

// --- 001's sum ---

namespace detail {

template <Scalar T>
MatX<T> sum_coriolis(const Arm<T>& arm, const BodyJacobians<T>& J, const VecX<T>& v) {
  const int n = arm.joint_count();
  MatX<T> C = MatX<T>::Zero(n, n);
  for (int i = 1; i <= n; ++i) {
    const Inertia<T>& I = arm.link(i).inertia;
    const std::vector<int>& path = arm.path(i);
    Twist<T> V;
    for (int j : path) V += J.column(i, j) * v(j - 1);

    // J̇_ij = Σ_k [J_ij, J_ik] q̇_k over the joints k beyond j: the bracket with what of V they make
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

/// -Σ J_i'I_i A_g (eq. 4.8)
template <Scalar T>
VecX<T> sum_gravity(const Arm<T>& arm, const BodyJacobians<T>& J) {
  VecX<T> g = VecX<T>::Zero(arm.joint_count());
  for (int i = 1; i <= arm.joint_count(); ++i) {
    const Twist<T> A_g{Vec3<T>::Zero(), J.orientation(i).inverse_apply(arm.gravity)};
    const Wrench<T> weight = arm.link(i).inertia * A_g;
    for (int j : arm.path(i)) g(j - 1) -= dot(J.column(i, j), weight);
  }
  return g;
}

}  // namespace detail

template <Scalar T>
MatX<T> SumForm<T>::mass_matrix(const VecX<T>& q) const {
  return detail::mass_matrix(arm_, BodyJacobians<T>(arm_, q));
}

template <Scalar T>
MatX<T> SumForm<T>::coriolis(const VecX<T>& q, const VecX<T>& v) const {
  arm_.require_size("v", v.size());
  return detail::sum_coriolis(arm_, BodyJacobians<T>(arm_, q), v);
}

template <Scalar T>
VecX<T> SumForm<T>::gravity(const VecX<T>& q) const {
  return detail::sum_gravity(arm_, BodyJacobians<T>(arm_, q));
}

template <Scalar T>
VecX<T> SumForm<T>::bias(const VecX<T>& q, const VecX<T>& v) const {
  arm_.require_size("v", v.size());
  const BodyJacobians<T> J(arm_, q);
  return VecX<T>(detail::sum_coriolis(arm_, J, v).lazyProduct(v)) + detail::sum_gravity(arm_, J);
}

template <Scalar T>
VecX<T> SumForm<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const {
  arm_.require_size("v", v.size());
  arm_.require_size("a", a.size());
  const BodyJacobians<T> J(arm_, q);
  return VecX<T>(detail::mass_matrix(arm_, J).lazyProduct(a)) +
         VecX<T>(detail::sum_coriolis(arm_, J, v).lazyProduct(v)) + detail::sum_gravity(arm_, J);
}

}  // namespace ulna::classic
