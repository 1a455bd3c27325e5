#pragma once

#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

/// M = L'D L with L as sparse as the tree, so that branches cost nothing to each other
/// [Featherstone 2008, sec. 6.5].
template <Scalar T>
class MassFactor {
 public:
  explicit MassFactor(const Model& model);

  /// Factors a mass matrix. False if it is not positive definite: then solve must not be called.
  [[nodiscard]] bool factor(const Eigen::Ref<const MatX<T>>& M);
  /// The same for the robot at q.
  [[nodiscard]] bool factor(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws);

  /// x := M^-1 x
  void solve(Out<T> x) const;
  /// M^-1, full and symmetric.
  void inverse(OutMatrix<T> M_inverse) const;
  T log_determinant() const;

  /// The next coordinate on the way from k to the base, -1 at its end.
  int parent(int k) const { return parent_[k]; }

 private:
  /// The upper triangle of L_ being M, rotors included.
  bool factor_in_place();
  /// Row k of L, with D on the diagonal: kept as a column, so that it lies in one piece.
  T* row(int k) { return L_.data() + k * L_.rows(); }
  const T* row(int k) const { return L_.data() + k * L_.rows(); }
  int size() const { return static_cast<int>(L_.cols()); }

  MatX<T> L_;
  VecX<T> d_inverse_;
  std::vector<int> parent_;
};

}  // namespace ulna
