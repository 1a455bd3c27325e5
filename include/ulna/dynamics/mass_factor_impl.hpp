#pragma once

#include "ulna/dynamics/mass_factor.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna {
template <Scalar T>
MassFactor<T>::MassFactor(const Model& model)
    : L_(MatX<T>::Zero(model.nv(), model.nv())),
      d_inverse_(VecX<T>::Zero(model.nv())),
      parent_(model.nv(), -1) {
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint &j = model.joint(b), &above = model.joint(j.parent);
    for (int k = 0; k < velocity_size(j.type); ++k)
      parent_[j.v + k] = k > 0          ? j.v + k - 1
                         : j.parent > 0 ? above.v + velocity_size(above.type) - 1
                                        : -1;
  }
  // a joint that is followed elsewhere couples branches: then the matrix is taken as full
  if (model.has_mimics())
    for (int i = 0; i < model.nv(); ++i) parent_[i] = i - 1;
}

template <Scalar T>
bool MassFactor<T>::factor(const Eigen::Ref<const MatX<T>>& M) {
  detail::require_square("M", M.rows(), M.cols(), size());
  L_ = M;
  return factor_in_place();
}

template <Scalar T>
bool MassFactor<T>::factor(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  detail::require_same_robot<T>(plant, at);
  detail::require_shape("the factor", size(), size(), plant.model().nv(), plant.model().nv(),
                        plant.model());
  detail::compose_bodies(plant, at, ws);
  detail::set_mass_matrix<false>(plant, at, ws, L_.data(), L_.rows());
  return factor_in_place();
}

template <Scalar T>
bool MassFactor<T>::factor_in_place() {
  Mask<T> positive = T(0) < T(1);
  for (int k = size() - 1; k >= 0; --k) {
    T* const row_k = row(k);
    positive = positive && row_k[k] > T(0);
    const T d = d_inverse_(k) = T(1) / row_k[k];
    for (int i = parent_[k]; i >= 0; i = parent_[i]) {
      T* const row_i = row(i);
      const T a = row_k[i] * d;
      for (int j = i; j >= 0; j = parent_[j]) row_i[j] -= a * row_k[j];
      row_k[i] = a;
    }
  }
  return all(positive);
}

template <Scalar T>
void MassFactor<T>::solve(Out<T> x) const {
  const int n = size();
  if (x.size() != n)
    throw std::invalid_argument("x has " + std::to_string(x.size()) + " numbers, the robot needs " +
                                std::to_string(n));
  for (int k = n - 1; k >= 0; --k)
    for (int i = parent_[k]; i >= 0; i = parent_[i]) x(i) -= row(k)[i] * x(k);
  for (int k = 0; k < n; ++k) {
    T sum = x(k) * d_inverse_(k);
    for (int i = parent_[k]; i >= 0; i = parent_[i]) sum -= row(k)[i] * x(i);
    x(k) = sum;
  }
}

template <Scalar T>
void MassFactor<T>::inverse(OutMatrix<T> M_inverse) const {
  const int n = size();
  detail::require_square("M_inverse", M_inverse.rows(), M_inverse.cols(), n);
  T* const data = M_inverse.data();
  const Eigen::Index stride = M_inverse.outerStride();
  // row k of W = L^-1 into the upper part of column k, from those before it
  for (int k = 0; k < n; ++k) {
    T* const W_k = data + k * stride;
    const T* const L_k = row(k);
    for (int j = 0; j < k; ++j) W_k[j] = T(0);
    W_k[k] = T(1);
    for (int i = parent_[k]; i >= 0; i = parent_[i]) {
      const T* const W_i = data + i * stride;
      for (int j = i; j >= 0; j = parent_[j]) W_k[j] -= L_k[i] * W_i[j];
    }
  }
  // M^-1 = W D^-1 W' into the lower triangle, from the last row on: no W is overwritten that is needed
  for (int r = n - 1; r >= 0; --r) {
    T* const W_r = data + r * stride;
    T diagonal(0);
    for (int k = r; k >= 0; k = parent_[k]) {
      const T w = W_r[k];
      W_r[k] = w * d_inverse_(k);
      diagonal += w * W_r[k];
    }
    for (int c = 0; c < r; ++c) {
      const T* const W_c = data + c * stride;
      T sum(0);
      for (int k = c; k >= 0; k = parent_[k]) sum += W_r[k] * W_c[k];
      data[r + c * stride] = sum;
    }
    W_r[r] = diagonal;
  }
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < c; ++r) data[r + c * stride] = data[c + r * stride];
}

template <Scalar T>
T MassFactor<T>::log_determinant() const {
  T sum(0);
  for (int k = 0; k < size(); ++k) sum += log(L_(k, k));
  return sum;
}

}  // namespace ulna
