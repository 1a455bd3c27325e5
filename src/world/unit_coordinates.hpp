#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna::detail {

/// Velocities of a tree in coordinates in which its mass matrix is the identity: M = L'D L with L as sparse as the tree
/// [Featherstone 2008, sec. 6.5], u = D^1/2 L v. A force f becomes D^-1/2 L^-T f, and what acts on one body stays on the way from it
/// to the base, which M^-1 f does not.
class UnitCoordinates {
 public:
  /// Of a mass matrix that is no sparser than it looks: `dense`, or of a robot with mimicking joints.
  explicit UnitCoordinates(const Model& model, bool dense = false);

  /// False if the matrix is not positive definite.
  [[nodiscard]] bool factor(const Eigen::MatrixXd& M);
  /// Whether paths are all coordinates in their order.
  bool is_dense() const { return dense_; }
  /// Coordinates from the base to k, which is the last.
  std::span<const int> path(int k) const {
    return {paths_.data() + first_[static_cast<std::size_t>(k)],
            paths_.data() + first_[static_cast<std::size_t>(k) + 1]};
  }
  void velocity_to_unit(const double* v, double* u) const;
  void velocity_from_unit(const double* u, double* v) const;
  /// In place: of all coordinates, and of those on a path alone.
  void force_to_unit(double* f) const;
  void row_to_unit(std::span<const int> path, double* f) const;
  /// Of three rows of a path, one after the other.
  void rows_to_unit(std::span<const int> path, double* f) const;
  /// x := M^-1 x
  void solve(Eigen::VectorXd& x) const;

 private:
  /// The path to k without k.
  std::span<const int> above(int k) const { return path(k).first(path(k).size() - 1); }
  const double* row(int k) const { return L_.data() + first_[static_cast<std::size_t>(k)]; }
  double* row(int k) { return L_.data() + first_[static_cast<std::size_t>(k)]; }

  int n_;
  bool dense_;
  std::vector<double> L_;  ///< by rows, each along its path: rows of a path begin alike
  std::vector<double> root_, inverse_root_;
  std::vector<int> paths_, first_;
};

}  // namespace ulna::detail
