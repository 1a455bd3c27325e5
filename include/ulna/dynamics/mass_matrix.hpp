#pragma once

#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

/// M(q), full and symmetric, rotor inertias included. Composite rigid bodies [Walker, Orin 1982;
/// Featherstone 2008, ch. 6], in world axes: then composing bodies is addition. Writes M (nv x nv).
template <Scalar T>
void mass_matrix(const Plant<T>& plant, const Configuration<T>& at, Workspace<T>& ws,
                 OutMatrix<T> M);

/// M = L'D L with L as sparse as the tree, so that branches cost nothing to each other
/// [Featherstone 2008, sec. 6.5].
template <Scalar T>
class MassFactor {
 public:
  explicit MassFactor(const Model& model);

  /// Factors a mass matrix. False if it is not positive definite: then solve must not be called.
  [[nodiscard]] bool factor(const Eigen::Ref<const MatX<T>>& M);
  /// The same for the robot at q.
  [[nodiscard]] bool factor(const Plant<T>& plant, const Configuration<T>& at, Workspace<T>& ws);

  /// x := M^-1 x
  void solve(Out<T> x) const;
  /// M^-1, full and symmetric.
  void inverse(OutMatrix<T> M_inverse);
  T log_determinant() const;

  // --- for algorithms ---

  /// M^-1, with rows of zeros below it to whole blocks of four.
  const MatX<T>& padded_inverse();
  /// The rows that can be other than zero in column k of a matrix like dtau/dq: those of coordinates
  /// that carry k, or that k carries.
  std::span<const int> related(int k) const {
    return {related_.data() + related_begin_[k], related_.data() + related_begin_[k + 1]};
  }

 private:
  bool factor_in_place();
  int size() const { return static_cast<int>(L_.cols()); }

  /// Row k of L, with D on the diagonal: kept as a column, so that it lies in one piece.
  T* row(int k) { return L_.data() + k * L_.rows(); }
  const T* row(int k) const { return L_.data() + k * L_.rows(); }
  /// k and its ancestors.
  std::span<const int> path(int k) const {
    return {path_.data() + path_begin_[k], path_.data() + path_begin_[k + 1]};
  }

  MatX<T> L_;  ///< this and the following have rows to whole blocks of four
  MatX<T> W_, W_transposed_, inverse_;  ///< W = L^-1, rows as columns, and columns
  VecX<T> d_inverse_, scaled_;
  std::vector<int> parent_;  ///< of each degree of freedom, -1 at the base
  std::vector<int> path_, path_begin_, related_, related_begin_;
};

}  // namespace ulna
