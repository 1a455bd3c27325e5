#include "simulate/complementarity.hpp"

#include <cmath>
#include <optional>

namespace ulna::detail {

BoxComplementarity::BoxComplementarity(int n)
    : D(Eigen::MatrixXd::Zero(n, n)),
      b(Eigen::VectorXd::Zero(n)),
      side(n, Side::between),
      between_(n) {}

/// x and w for the sides as they are.
bool BoxComplementarity::solve_between(int n) {
  int m = 0;
  for (int i = 0; i < n; ++i) {
    x(i) = side[i] == Side::lower ? lower(i) : side[i] == Side::upper ? upper(i) : 0.0;
    if (side[i] == Side::between) between_[m++] = i;
  }
  w.head(n) = b.head(n) + D.topLeftCorner(n, n).lazyProduct(x.head(n));
  // D_mm y = -w_m by Cholesky, row by row
  for (int r = 0; r < m; ++r) {
    const int i = between_[r];
    y_(r) = -w(i);
    for (int c = 0; c < r; ++c)
      L_(r, c) = (D(i, between_[c]) - L_.row(r).head(c).dot(L_.row(c).head(c))) / L_(c, c);
    const double d = D(i, i) - L_.row(r).head(r).squaredNorm();
    if (!(d > 0.0)) return false;
    L_(r, r) = std::sqrt(d);
  }
  const auto L = L_.topLeftCorner(m, m).triangularView<Eigen::Lower>();
  L.solveInPlace(y_.head(m));
  L.transpose().solveInPlace(y_.head(m));
  for (int k = 0; k < m; ++k) x(between_[k]) = y_(k);
  for (int i = 0; i < n; ++i)
    w(i) = side[i] == Side::between ? 0.0 : b(i) + D.row(i).head(n).dot(x.head(n));
  return true;
}

bool BoxComplementarity::solve(int n) {
  std::fill_n(side.begin(), n, Side::between);
  int fewest = n + 1, patience = 10;
  for (int round = 0; round < 100 + 20 * n; ++round) {
    if (!solve_between(n)) return false;
    // what is on the wrong side by more than rounding
    const double slack = 1e-13 * b.head(n).cwiseAbs().maxCoeff();
    const auto wrong = [&](int i) -> std::optional<Side> {
      const bool between = side[i] == Side::between;
      if (between && x(i) < lower(i)) return Side::lower;
      if (between && x(i) > upper(i)) return Side::upper;
      if (int(side[i]) * w(i) > slack) return Side::between;
      return std::nullopt;
    };
    int count = 0;
    for (int i = 0; i < n; ++i) count += wrong(i).has_value();
    if (count == 0) return true;
    if (count < fewest)
      fewest = count, patience = 10;
    else
      --patience;
    for (int i = 0; i < n; ++i)
      if (const auto to = wrong(i)) {
        side[i] = *to;
        if (patience < 0) break;
      }
  }
  // rounding alone can bring us here: what is nearly right, within the bounds
  x.head(n) = x.head(n).cwiseMax(lower.head(n)).cwiseMin(upper.head(n));
  return true;
}

}  // namespace ulna::detail
