#pragma once

#include "ulna/classic/newton_euler.hpp"
#include "ulna/classic/screw_form.hpp"

namespace ulna::classic {

/// All terms of the equations of motion from inverse dynamics alone, evaluated at chosen motions (Cărămizaru 2023,
/// sec. 3.3.3; Fu 1987, problems 3.11 and 3.12). `Inverse` is one of the recursions: it has
/// inverse_dynamics(q, v, a) and a gravity, which is set to zero, and no M.
///
///   M e_j = ID(q, 0, e_j) without gravity      n evaluations
///   C̃     = ID(q, v, 0)                        one, for h + c together
template <Scalar T, class Inverse>
class Probing {
 public:
  explicit Probing(Inverse inverse) : inverse_(std::move(inverse)), weightless_(inverse_) {
    weightless_.gravity = Vec3<T>::Zero();
  }
  const Inverse& inverse() const { return inverse_; }

  MatX<T> mass_matrix(const VecX<T>& q) const {
    const Eigen::Index n = q.size();
    MatX<T> M(n, n);
    for (Eigen::Index j = 0; j < n; ++j)
      M.col(j) = weightless_.inverse_dynamics(q, zero(n), unit(n, j));
    return M;
  }
  VecX<T> gravity(const VecX<T>& q) const { return bias(q, zero(q.size())); }
  /// h(q, q̇)
  VecX<T> velocity_torque(const VecX<T>& q, const VecX<T>& v) const {
    return weightless_.inverse_dynamics(q, v, zero(q.size()));
  }
  /// [i](k, m) is h_ikm: of two joints that move at once, less those of each alone.
  std::vector<MatX<T>> velocity_coefficients(const VecX<T>& q) const {
    const Eigen::Index n = q.size();
    std::vector<MatX<T>> H(n, MatX<T>(n, n));
    std::vector<VecX<T>> alone;
    for (Eigen::Index k = 0; k < n; ++k) {
      alone.push_back(velocity_torque(q, unit(n, k)));
      for (Eigen::Index i = 0; i < n; ++i) H[i](k, k) = alone[k](i);
      for (Eigen::Index m = 0; m < k; ++m) {
        const VecX<T> both = velocity_torque(q, unit(n, k) + unit(n, m));
        for (Eigen::Index i = 0; i < n; ++i)
          H[i](k, m) = H[i](m, k) = T(0.5) * (both(i) - alone[k](i) - alone[m](i));
      }
    }
    return H;
  }
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const {
    return inverse_.inverse_dynamics(q, v, zero(q.size()));
  }
  /// M a + C̃ from these terms: what forward dynamics solves.
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const {
    require_size("a", a.size(), q.size());
    return VecX<T>(mass_matrix(q).lazyProduct(a)) + bias(q, v);
  }

 private:
  static VecX<T> zero(Eigen::Index n) { return VecX<T>::Zero(n); }
  static VecX<T> unit(Eigen::Index n, Eigen::Index k) { return VecX<T>::Unit(n, k); }

  Inverse inverse_, weightless_;
};

}  // namespace ulna::classic
