#include "simulate/complementarity.hpp"

#include <cmath>
#include <optional>

#include "ulna/constraints/proximal_factor.hpp"

namespace ulna::detail {
namespace {

constexpr int most_rounds = 30;
/// Of the terms of a row, what rounding leaves.
constexpr double row_rounding = 1e-15;

}  // namespace

BoxComplementarity::BoxComplementarity(int n, int rows)
    : M(Eigen::MatrixXd::Zero(n, n)),
      f(Eigen::VectorXd::Zero(n)),
      side(n, Side::between),
      J(Eigen::MatrixXd::Zero(rows, n)),
      drift(Eigen::VectorXd::Zero(rows)),
      free_(n),
      Y_(Eigen::MatrixXd::Zero(n, rows)),
      W_(Eigen::MatrixXd::Zero(rows, rows)),
      factor_(rows) {}

/// x and a for the sides as they are.
bool BoxComplementarity::solve_between(std::span<const int> chosen) {
  const int n = static_cast<int>(f.size());
  a = f;
  std::fill_n(free_.begin(), n, 1);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    x(k) = side[k] == Side::lower ? lower(k) : side[k] == Side::upper ? upper(k) : 0.0;
    a(chosen[k]) += x(k);
    free_[chosen[k]] = side[k] != Side::between;
  }
  int m = 0;
  for (int i = 0; i < n; ++i)
    if (free_[i]) free_[m++] = i;
  // of those that move, M_mm y = f_m + x_m by Cholesky, row by row
  for (int r = 0; r < m; ++r) {
    const int i = free_[r];
    y_(r) = a(i);
    for (int c = 0; c < r; ++c)
      L_(r, c) = (M(i, free_[c]) - L_.row(r).head(c).dot(L_.row(c).head(c))) / L_(c, c);
    const double d = M(i, i) - L_.row(r).head(r).squaredNorm();
    if (!(d > 0.0)) return false;
    L_(r, r) = std::sqrt(d);
  }
  const auto L = L_.topLeftCorner(m, m).triangularView<Eigen::Lower>();
  L.solveInPlace(y_.head(m));
  if (J.rows() > 0) add_row_forces(m);
  L.transpose().solveInPlace(y_.head(m));
  a.setZero();
  for (int r = 0; r < m; ++r) a(free_[r]) = y_(r);
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (side[k] == Side::between)
      x(k) = M.row(chosen[k]).dot(a) - f(chosen[k]) - J.col(chosen[k]).dot(lambda);
  return true;
}

/// λ near the centre, and y := L^-1 (f + x + J'λ) of those that move: with a = L^-T y,
/// (Y'Y + w) (λ - centre) = -(drift + Y'(y + Y centre)).
void BoxComplementarity::add_row_forces(int m) {
  const auto L = L_.topLeftCorner(m, m).triangularView<Eigen::Lower>();
  auto y = y_.head(m);
  const auto Y = Y_.topRows(m);
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    for (int r = 0; r < m; ++r) Y_(r, i) = J(i, free_[r]);
    auto column = Y_.col(i).head(m);
    L.solveInPlace(column);
    y += centre_(i) * column;
  }
  step_ = -drift;
  step_.noalias() -= Y.transpose().lazyProduct(y);
  W_.noalias() = Y.transpose().lazyProduct(Y);
  W_.diagonal() += w_;
  factor_.compute(W_);
  factor_.solveInPlace(step_);
  lambda = centre_ + step_;
  y.noalias() += Y.lazyProduct(step_);
}

/// The largest of what is left of the rows, by the size of their terms.
double BoxComplementarity::left_of_rows() const {
  double most = 0.0;
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    const double terms = std::abs(drift(i)) + J.row(i).cwiseAbs().dot(a.cwiseAbs().transpose());
    if (terms > 0.0) most = std::max(most, std::abs(drift(i) + J.row(i).dot(a)) / terms);
  }
  return most;
}

bool BoxComplementarity::solve(std::span<const int> chosen) {
  const int n = static_cast<int>(chosen.size());
  std::fill_n(side.begin(), n, Side::between);
  for (Eigen::Index i = 0; i < J.rows(); ++i)
    step_(i) = J.row(i).cwiseAbs2().dot(M.diagonal().cwiseInverse().transpose());
  ProximalFactor::weigh(step_, w_);
  centre_.setZero(), lambda.setZero();
  double left = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    if (!pivot(chosen)) return false;
    const double now = left_of_rows();
    if (now <= row_rounding || !(now < 0.5 * left)) break;
    left = now, centre_ = lambda;
  }
  // nothing goes where it must not, not even by rounding
  for (int k = 0; k < n; ++k)
    if (int(side[k]) * a(chosen[k]) > 0.0) a(chosen[k]) = 0.0;
  return true;
}

/// From the sides as they are.
bool BoxComplementarity::pivot(std::span<const int> chosen) {
  const int n = static_cast<int>(chosen.size());
  int fewest = n + 1, patience = 10;
  for (int round = 0; round < 100 + 20 * n; ++round) {
    if (!solve_between(chosen)) return false;
    // what is on the wrong side by more than rounding
    const double slack = 1e-13 * a.cwiseAbs().maxCoeff();
    const auto wrong = [&](int k) -> std::optional<Side> {
      const bool between = side[k] == Side::between;
      if (between && x(k) < lower(k)) return Side::lower;
      if (between && x(k) > upper(k)) return Side::upper;
      if (int(side[k]) * a(chosen[k]) > slack) return Side::between;
      return std::nullopt;
    };
    int count = 0;
    for (int k = 0; k < n; ++k) count += wrong(k).has_value();
    if (count == 0) break;
    if (count < fewest)
      fewest = count, patience = 10;
    else
      --patience;
    for (int k = 0; k < n; ++k)
      if (const auto to = wrong(k)) {
        side[k] = *to;
        if (patience < 0) break;
      }
  }
  return true;
}

}  // namespace ulna::detail
