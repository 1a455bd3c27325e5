#pragma once

#include <Eigen/Core>
#include <vector>

namespace ulna::detail {

/// Finds forces x within bounds and what follows from them, w = b + D x, such that each is either
/// between its bounds with w = 0, or at its lower bound with w >= 0, or at its upper with w <= 0: what
/// dry friction and stops do. D is symmetric and positive definite, so there is one solution.
///
/// Block principal pivoting; when that does not get on, one at a time by the least index, which ends
/// for sure [Júdice, Pires 1994]. Made once for at most n, it allocates no more.
class BoxComplementarity {
 public:
  enum class Side : signed char { lower = -1, between = 0, upper = 1 };

  explicit BoxComplementarity(int n);

  /// The first n of each are looked at. False if D is not positive definite.
  [[nodiscard]] bool solve(int n);

  Eigen::MatrixXd D;
  Eigen::VectorXd b, lower = b, upper = b;  ///< bounds may be infinite
  Eigen::VectorXd x = b, w = b;
  std::vector<Side> side;

 private:
  bool solve_between(int n);

  Eigen::MatrixXd L_ = D;
  Eigen::VectorXd y_ = b;
  std::vector<int> between_;
};

}  // namespace ulna::detail
