#pragma once

#include "ulna/classic/newton_euler_impl.hpp"
#include "ulna/classic/probing.hpp"
#include "ulna/classic/screw_form_impl.hpp"

namespace ulna::classic {
namespace detail {

template <Scalar T>
VecX<T> nothing(Eigen::Index n) {
  return VecX<T>::Zero(n);
}

/// All at rest but one.
template <Scalar T>
VecX<T> one(Eigen::Index n, Eigen::Index k) {
  VecX<T> e = nothing<T>(n);
  e(k) = T(1);
  return e;
}

}  // namespace detail

template <Scalar T, class Inverse>
Probing<T, Inverse>::Probing(Inverse inverse)
    : inverse_(std::move(inverse)), weightless_(inverse_) {
  weightless_.set_gravity(Vec3<T>::Zero());
}

template <Scalar T, class Inverse>
MatX<T> Probing<T, Inverse>::mass_matrix(const VecX<T>& q) const {
  const Eigen::Index n = q.size();
  MatX<T> M(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    M.col(j) = weightless_.inverse_dynamics(q, detail::nothing<T>(n), detail::one<T>(n, j));
  return M;
}

template <Scalar T, class Inverse>
VecX<T> Probing<T, Inverse>::gravity(const VecX<T>& q) const {
  const VecX<T> still = detail::nothing<T>(q.size());
  return inverse_.inverse_dynamics(q, still, still);
}

template <Scalar T, class Inverse>
VecX<T> Probing<T, Inverse>::velocity_torque(const VecX<T>& q, const VecX<T>& v) const {
  return weightless_.inverse_dynamics(q, v, detail::nothing<T>(q.size()));
}

template <Scalar T, class Inverse>
std::vector<MatX<T>> Probing<T, Inverse>::velocity_coefficients(const VecX<T>& q) const {
  const Eigen::Index n = q.size();
  std::vector<MatX<T>> H(n, MatX<T>(n, n));
  std::vector<VecX<T>> alone;
  for (Eigen::Index k = 0; k < n; ++k) {
    alone.push_back(velocity_torque(q, detail::one<T>(n, k)));
    for (Eigen::Index i = 0; i < n; ++i) H[i](k, k) = alone[k](i);
    for (Eigen::Index m = 0; m < k; ++m) {
      const VecX<T> both = velocity_torque(q, detail::one<T>(n, k) + detail::one<T>(n, m));
      for (Eigen::Index i = 0; i < n; ++i)
        H[i](k, m) = H[i](m, k) = T(0.5) * (both(i) - alone[k](i) - alone[m](i));
    }
  }
  return H;
}

template <Scalar T, class Inverse>
VecX<T> Probing<T, Inverse>::bias(const VecX<T>& q, const VecX<T>& v) const {
  return inverse_.inverse_dynamics(q, v, detail::nothing<T>(q.size()));
}

template <Scalar T, class Inverse>
VecX<T> Probing<T, Inverse>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v,
                                              const VecX<T>& a) const {
  inverse_.require_size("a", a.size());
  return VecX<T>(mass_matrix(q).lazyProduct(a)) + bias(q, v);
}

}  // namespace ulna::classic
