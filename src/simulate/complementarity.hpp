#pragma once

#include <Eigen/Cholesky>
#include <span>
#include <vector>

namespace ulna::detail {

/// Finds forces x within bounds, at some of the coordinates of M a = f + x, such that each is either
/// between its bounds with a = 0 there, or at its lower bound with a >= 0, or at its upper with a <= 0: what
/// dry friction and stops do. M is symmetric and positive definite, so there is one solution. With
/// f = M v and impulses for forces, a is the velocity after an impact.
///
/// Where loops are closed, M a = f + x + J'λ and J a + drift = 0 for their rows. Then a is still unique, λ and x
/// are where rows and what rests do not depend on each other; otherwise they are some of many. Rows enter as in
/// ProximalFactor: with J a + drift + w (λ - λ_k) = 0 all is as if M were M + J'J / w, positive definite, and
/// λ_k follows λ until that makes no difference.
///
/// What rests is left out of M and the rest is solved for, never by the inverse of M: links that are
/// millions of times lighter than others get no energy from rounding.
///
/// Block principal pivoting; when that does not get on, one at a time by the least index, which ends
/// for sure [Júdice, Pires 1994]. Made once for n coordinates and some rows, it allocates no more.
class BoxComplementarity {
 public:
  enum class Side : signed char { lower = -1, between = 0, upper = 1 };

  explicit BoxComplementarity(int n, int rows = 0);

  /// For forces at the chosen coordinates; bounds and sides are in their order. False if M is not
  /// positive definite.
  [[nodiscard]] bool solve(std::span<const int> chosen);

  Eigen::MatrixXd M;
  Eigen::VectorXd f, a = f;
  Eigen::VectorXd lower = f, upper = f;  ///< may be infinite
  Eigen::VectorXd x = f;
  std::vector<Side> side;
  Eigen::MatrixXd J;  ///< rows x n
  Eigen::VectorXd drift, lambda = drift;

 private:
  bool pivot(std::span<const int> chosen);
  bool solve_between(std::span<const int> chosen);
  void add_row_forces(int m);
  double left_of_rows() const;

  Eigen::MatrixXd L_ = M;
  Eigen::VectorXd y_ = f;
  std::vector<int> free_;
  Eigen::MatrixXd Y_, W_;  ///< L^-1 J', and Y'Y with w on its diagonal
  Eigen::LDLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd w_ = drift, centre_ = drift, step_ = drift;
};

}  // namespace ulna::detail
