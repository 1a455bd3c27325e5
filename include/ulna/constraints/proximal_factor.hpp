#pragma once

#include <Eigen/Cholesky>

#include "ulna/dynamics/arguments.hpp"

namespace ulna {

/// Solves W x = b for a W that is symmetric and positive semi-definite only, as where rows of
/// constraints depend on each other, by the proximal point method [Carpentier et al., RSS 2021]:
///
///     (W + μ D) (x⁺ - x) = b - W x,     D = diag(W), or 1e-6 of its largest,
///
/// begun at x = 0. What is in the range of W is found to rounding in two or three rounds; of all
/// solutions, it is the shortest one in units of D; if there is none, the one that leaves least. Directions
/// in which W has less than about μ count as dependent. Made once for a size, it allocates no more.
class ProximalFactor {
 public:
  static constexpr double mu = 1e-9;

  explicit ProximalFactor(int size);

  /// Takes W in. False if a number in it is not finite.
  [[nodiscard]] bool factor(const Eigen::Ref<const Eigen::MatrixXd>& W);
  /// x := W^-1 x. Returns the largest number of what is left, |b - W x|.
  double solve(Out<double> x);
  /// μ D of rows whose diagonals are these sizes.
  static void weigh(In<double> sizes, Out<double> weights);
  /// Of the last solve.
  int rounds() const { return rounds_; }

 private:
  Eigen::MatrixXd W_, regular_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd x_, left_, step_;
  int rounds_ = 0;
};

}  // namespace ulna
