#include "simulate/complementarity.hpp"

#include <cmath>
#include <optional>

namespace ulna {

BoxComplementarity::BoxComplementarity(int n)
    : D(Eigen::MatrixXd::Zero(n, n)),
      b(Eigen::VectorXd::Zero(n)),
      lower(b),
      upper(b),
      x(b),
      w(b),
      side(static_cast<std::size_t>(n), Side::between),
      L_(D),
      y_(b),
      between_(static_cast<std::size_t>(n)) {}

/// x and w for the sides as they are.
bool BoxComplementarity::solve_between(int n) {
  int m = 0;
  for (int i = 0; i < n; ++i) {
    const Side s = side[static_cast<std::size_t>(i)];
    x(i) = s == Side::lower ? lower(i) : s == Side::upper ? upper(i) : 0.0;
    if (s == Side::between) between_[static_cast<std::size_t>(m++)] = i;
  }
  const auto at = [&](int k) { return between_[static_cast<std::size_t>(k)]; };
  // D_mm y = -(b + D x), by Cholesky
  for (int r = 0; r < m; ++r) {
    double sum = -b(at(r));
    for (int c = 0; c < n; ++c) sum -= D(at(r), c) * x(c);
    for (int c = 0; c < r; ++c) {
      double l = D(at(r), at(c));
      for (int k = 0; k < c; ++k) l -= L_(r, k) * L_(c, k);
      L_(r, c) = l / L_(c, c);
      sum -= L_(r, c) * y_(c);
    }
    double d = D(at(r), at(r));
    for (int k = 0; k < r; ++k) d -= L_(r, k) * L_(r, k);
    if (!(d > 0.0)) return false;
    L_(r, r) = std::sqrt(d);
    y_(r) = sum / L_(r, r);
  }
  for (int r = m - 1; r >= 0; --r) {
    for (int k = r + 1; k < m; ++k) y_(r) -= L_(k, r) * y_(k);
    y_(r) /= L_(r, r);
  }
  for (int k = 0; k < m; ++k) x(at(k)) = y_(k);
  for (int i = 0; i < n; ++i) {
    w(i) = side[static_cast<std::size_t>(i)] == Side::between ? 0.0 : b(i);
    if (side[static_cast<std::size_t>(i)] != Side::between)
      for (int c = 0; c < n; ++c) w(i) += D(i, c) * x(c);
  }
  return true;
}

bool BoxComplementarity::solve(int n) {
  for (int i = 0; i < n; ++i) side[static_cast<std::size_t>(i)] = Side::between;
  int fewest = n + 1, patience = 10;
  for (int round = 0; round < 100 + 20 * n; ++round) {
    if (!solve_between(n)) return false;
    // what is on the wrong side by more than rounding
    const double slack = 1e-13 * b.head(n).cwiseAbs().maxCoeff();
    const auto wrong = [&](int i) -> std::optional<Side> {
      switch (side[static_cast<std::size_t>(i)]) {
        case Side::between:
          if (x(i) < lower(i)) return Side::lower;
          if (x(i) > upper(i)) return Side::upper;
          break;
        case Side::lower:
          if (w(i) < -slack) return Side::between;
          break;
        case Side::upper:
          if (w(i) > slack) return Side::between;
          break;
      }
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
        side[static_cast<std::size_t>(i)] = *to;
        if (patience < 0) break;
      }
  }
  // rounding alone can bring us here: what is nearly right, within the bounds
  for (int i = 0; i < n; ++i) x(i) = std::min(std::max(x(i), lower(i)), upper(i));
  return true;
}

}  // namespace ulna
