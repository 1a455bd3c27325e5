#include "constraints/cone_dense.hpp"
#include "constraints/cone_local.hpp"

namespace ulna::detail {

int DenseCones::admm(double tolerance, int most) {
  constexpr double small = 1e-9;  // so that G may be singular
  double rho = 0.1;
  Vector y = lambda(), x = x_.vector(size_), z = z_.vector(size_), b = b_.vector(size_);
  Vector before = centre_.vector(size_);
  velocity_of(y, z);
  x = y;
  project(y);
  bool factored = false;
  for (int i = 1; i <= most; ++i) {
    if (!factored) {
      Matrix A = factor_.matrix(size_);
      A = G();
      A.diagonal().array() += rho + small;
      if (!lu_factor(A, pivots_)) return i;
      factored = true;
    }
    x = small * x + rho * y + z - b;
    if (!associated_)
      for (const Block& c : blocks_)
        if (c.kind == ConeProblem::Kind::cone)
          x(c.row) -= c.coefficient * length(z(c.row + 1), z(c.row + 2));
    lu_solve(factor_.matrix(size_), pivots_, x);
    before = y;
    y = x - z / rho;
    project(y);
    z -= rho * (x - y);
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
