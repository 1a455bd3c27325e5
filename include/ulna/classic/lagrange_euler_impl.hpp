#pragma once

#include "ulna/classic/chain_impl.hpp"
#include "ulna/classic/lagrange_euler.hpp"

namespace ulna::classic {

template <Scalar T>
Mat4<T> times_Q(bool slides, const Mat4<T>& A) {
  Mat4<T> QA = Mat4<T>::Zero();
  if (slides) {
    QA.row(2) = A.row(3);
  } else {
    QA.row(0) = -A.row(1);
    QA.row(1) = A.row(0);
  }
  return QA;
}

template <Scalar T>
LagrangeEuler<T>::LagrangeEuler(Chain<T> chain) : chain_(std::move(chain)) {
  for (int i = 0; i <= chain_.joint_count(); ++i)
    J_.push_back(pseudo_inertia(chain_.link(i).inertia));
}

template <Scalar T>
LagrangeEuler<T>::At::At(const LagrangeEuler& arm, const VecX<T>& q) : arm_(arm) {
  const Chain<T>& chain = arm.chain();
  chain.require_size("q", q.size());
  const int n = chain.joint_count();
  A_.assign(n + 1, std::vector<Mat4<T>>(n + 1, Mat4<T>::Identity()));
  U_.assign(n + 1, std::vector<Mat4<T>>(n + 1));
  UJ_ = U_;
  for (int j = 1; j <= n; ++j) {
    A_[j - 1][j] = chain.link(j).A(q(j - 1)).matrix();
    for (int i = 0; i < j - 1; ++i) A_[i][j] = A_[i][j - 1] * A_[j - 1][j];
  }
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) {
      const Mat4<T> moved = times_Q<T>(chain.link(j).slides, A_[j - 1][i]);
      U_[i][j] = j == 1 ? moved : Mat4<T>(A_[0][j - 1] * moved);
      UJ_[i][j] = U_[i][j] * arm.J(i);
    }
}

template <Scalar T>
Mat4<T> LagrangeEuler<T>::At::U(int i, int j, int k) const {
  const Chain<T>& chain = arm_.chain();
  if (j > k) std::swap(j, k);
  // ⁰A_{j-1} Q_j ʲ⁻¹A_{k-1} is U_{k-1,j}, already known
  const Mat4<T> moved = times_Q<T>(chain.link(k).slides, A_[k - 1][i]);
  if (j < k) return U_[k - 1][j] * moved;
  const Mat4<T> twice = times_Q<T>(chain.link(j).slides, moved);
  return j == 1 ? twice : Mat4<T>(A_[0][j - 1] * twice);
}

namespace detail {

/// Tr(A B'): the products on the diagonal alone.
template <Scalar T>
T trace_of_product(const Mat4<T>& A, const Mat4<T>& B) {
  return A.cwiseProduct(B).sum();
}

}  // namespace detail

template <Scalar T>
MatX<T> LagrangeEuler<T>::At::D() const {
  const int n = arm_.chain().joint_count();
  MatX<T> D(n, n);
  for (int i = 1; i <= n; ++i)
    for (int k = i; k <= n; ++k) {
      T sum = detail::trace_of_product(UJ_[k][k], U_[k][i]);
      for (int j = k + 1; j <= n; ++j) sum += detail::trace_of_product(UJ_[j][k], U_[j][i]);
      D(i - 1, k - 1) = D(k - 1, i - 1) = sum;
    }
  return D;
}

template <Scalar T>
std::vector<MatX<T>> LagrangeEuler<T>::At::H() const {
  const int n = arm_.chain().joint_count();
  std::vector<MatX<T>> H(n, MatX<T>::Zero(n, n));
  for (int j = 1; j <= n; ++j)
    for (int k = 1; k <= j; ++k)
      for (int m = k; m <= j; ++m) {
        const Mat4<T> U_jkm = U(j, k, m);
        for (int i = 1; i <= j; ++i)
          H[i - 1](k - 1, m - 1) += detail::trace_of_product(U_jkm, UJ_[j][i]);
      }
  for (MatX<T>& H_i : H)
    for (int k = 0; k < n; ++k)
      for (int m = 0; m < k; ++m) H_i(k, m) = H_i(m, k);
  return H;
}

template <Scalar T>
VecX<T> LagrangeEuler<T>::At::c() const {
  const Chain<T>& chain = arm_.chain();
  const int n = chain.joint_count();
  VecX<T> c = VecX<T>::Zero(n);
  for (int j = 1; j <= n; ++j)
    for (int i = 1; i <= j; ++i) {
      // m_j r̄_j is the last column of J_j, and so U_ji m_j r̄_j that of U_ji J_j
      const Vec3<T> moved = UJ_[j][i].col(3).template head<3>();
      c(i - 1) -= chain.gravity.dot(moved);
    }
  return c;
}

template <Scalar T>
VecX<T> LagrangeEuler<T>::centrifugal(const VecX<T>& q, const VecX<T>& v) const {
  chain_.require_size("v", v.size());
  const std::vector<MatX<T>> H = at(q).H();
  VecX<T> h(v.size());
  for (int i = 0; i < v.size(); ++i) h(i) = H[i].diagonal().dot(v.cwiseProduct(v));
  return h;
}

template <Scalar T>
VecX<T> LagrangeEuler<T>::coriolis(const VecX<T>& q, const VecX<T>& v) const {
  chain_.require_size("v", v.size());
  const std::vector<MatX<T>> H = at(q).H();
  VecX<T> h = VecX<T>::Zero(v.size());
  for (int i = 0; i < v.size(); ++i)
    for (int k = 0; k < v.size(); ++k)
      for (int m = k + 1; m < v.size(); ++m) h(i) += T(2) * H[i](k, m) * v(k) * v(m);
  return h;
}

namespace detail {

/// h_i = q̇'H_i q̇ (eq. 3.2-38)
template <Scalar T>
VecX<T> quadratic(const std::vector<MatX<T>>& H, const VecX<T>& v) {
  VecX<T> h(v.size());
  for (int i = 0; i < v.size(); ++i) h(i) = v.dot(H[i].lazyProduct(v));
  return h;
}

}  // namespace detail

template <Scalar T>
VecX<T> LagrangeEuler<T>::bias(const VecX<T>& q, const VecX<T>& v) const {
  chain_.require_size("v", v.size());
  const At here = at(q);
  return detail::quadratic(here.H(), v) + here.c();
}

template <Scalar T>
VecX<T> LagrangeEuler<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v,
                                           const VecX<T>& a) const {
  chain_.require_size("v", v.size());
  chain_.require_size("a", a.size());
  const At here = at(q);
  return here.D().lazyProduct(a) + detail::quadratic(here.H(), v) + here.c();
}

}  // namespace ulna::classic
