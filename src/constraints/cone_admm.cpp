#include "constraints/cone_group.hpp"
#include "constraints/cone_local.hpp"

namespace ulna::detail {

/// (J K + R + shift) x = r, as newton_step solves its own.
bool ConeGroup::factor_shifted(double shift) {
  if (!prefers_rows(size_)) {
    for (Unit& u : units_) {
      std::fill_n(u.D, most_rows * most_rows, 0.0);
      u.still = false;
      for (int i = 0; i < u.rows; ++i)
        u.D[i * (most_rows + 1)] = 1.0 / (shift + R_.vector(size_)(u.row[i]));
    }
    return factor_velocities();
  }
  effort += size_ * static_cast<double>(size_) * size_ / 3.0;
  for (int i = 0; i < size_; ++i) know(i);
  Matrix A(dense_.matrix(size_), size_, size_);
  A = G();
  A.diagonal().array() += shift;
  return dense_.factor_symmetric();
}

void ConeGroup::solve_shifted(Vector x) {
  if (prefers_rows(size_)) {
    dense_.solve(x.data());
    return;
  }
  for (Unit& u : units_)
    for (int i = 0; i < u.rows; ++i) u.g[i] = u.D[i * (most_rows + 1)] * x(u.row[i]);
  solve_velocities(x);
}

int ConeGroup::admm(double tolerance, int most) {
  constexpr double small = 1e-9;  // so that G may be singular
  double rho = 0.1;
  Vector y = lambda(), x = x_.vector(size_), z = z_.vector(size_), b = b_.vector(size_);
  Vector before = centre_.vector(size_);
  velocity_of(y, z);
  x = y;
  project(y);
  bool factored = false;
  for (int i = 1; i <= most; ++i) {
    if (!factored && !factor_shifted(rho + small)) return i;
    factored = true;
    x = small * x + rho * y + z - b;
    if (!associated_)
      for (const Block& c : blocks_)
        if (c.kind == ConeProblem::Kind::cone)
          x(c.row) -= c.coefficient * length(z(c.row + 1), z(c.row + 2));
    solve_shifted(x);
    effort += size_ * (30.0 + 2.0 * std::min(size_, velocities_));
    before = y;
    y = x - z / rho;
    project(y);
    z -= rho * (x - y);
    if (effort > most_effort) return i;
    if (i % 10 != 0) continue;
    if (residual() <= tolerance) return i;
    // the penalty follows the larger of the two errors [Boyd et al. 2011, sec. 3.4.1]
    const double primal = (x - y).norm(), dual = rho * (y - before).norm();
    if (primal > 10.0 * dual && rho < 1e4) rho *= 4.0, factored = false;
    if (dual > 10.0 * primal && rho > 1e-8) rho /= 4.0, factored = false;
  }
  return most;
}

}  // namespace ulna::detail
