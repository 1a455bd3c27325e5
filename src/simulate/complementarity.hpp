#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace ulna::detail {

/// Finds forces x within bounds, at some of the coordinates of M a = f + x, such that each is either
/// between its bounds with a = 0 there, or at its lower bound with a >= 0, or at its upper with a <= 0: what
/// dry friction and stops do. M is symmetric and positive definite, so there is one solution. With
/// f = M v and impulses for forces, a is the velocity after an impact.
///
/// What rests is left out of M and the rest is solved for, never by the inverse of M: links that are
/// millions of times lighter than others get no energy from rounding.
///
/// Block principal pivoting; when that does not get on, one at a time by the least index, which ends
/// for sure [Júdice, Pires 1994]. Made once for n coordinates, it allocates no more.
class BoxComplementarity {
 public:
  enum class Side : signed char { lower = -1, between = 0, upper = 1 };

  explicit BoxComplementarity(int n);

  /// For forces at the chosen coordinates; bounds and sides are in their order. False if M is not
  /// positive definite.
  [[nodiscard]] bool solve(std::span<const int> chosen);

  Eigen::MatrixXd M;
  Eigen::VectorXd f, a = f;
  Eigen::VectorXd lower = f, upper = f;  ///< may be infinite
  Eigen::VectorXd x = f;
  std::vector<Side> side;

 private:
  bool solve_between(std::span<const int> chosen);

  Eigen::MatrixXd L_ = M;
  Eigen::VectorXd y_ = f;
  std::vector<int> free_;
};

}  // namespace ulna::detail
