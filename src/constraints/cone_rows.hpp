#pragma once

#include "ulna/constraints/cones.hpp"

/// Rows of a cone problem times velocities, and impulses along them.
namespace ulna::detail {

template <int fixed>
double dot_of(const double* a, const double* b, int size) {
  double sum = 0.0;
  for (int k = 0; k < (fixed ? fixed : size); ++k) sum += a[k] * b[k];
  return sum;
}
template <int fixed>
void add_to(double* to, double factor, const double* x, int size) {
  for (int k = 0; k < (fixed ? fixed : size); ++k) to[k] += factor * x[k];
}

/// J v of a row of a piece.
inline double row_rate(const ConeProblem& problem, const ConeProblem::Piece& p, int row,
                       const double* velocity) {
  const double* J = problem.data() + p.J + row * p.size;
  if (const int* columns = problem.columns(p)) {
    double sum = 0.0;
    for (int k = 0; k < p.size; ++k) sum += J[k] * velocity[columns[k]];
    return sum;
  }
  const double* v = velocity + p.at;
  return p.size == 6 ? dot_of<6>(J, v, 6) : dot_of<0>(J, v, p.size);
}

/// v += K λ of a row of a piece.
inline void add_impulse(const ConeProblem& problem, const ConeProblem::Piece& p, int row,
                        double impulse, double* velocity) {
  const double* K = problem.data() + p.K + row * p.size;
  if (const int* columns = problem.columns(p)) {
    for (int k = 0; k < p.size; ++k) velocity[columns[k]] += impulse * K[k];
    return;
  }
  double* v = velocity + p.at;
  p.size == 6 ? add_to<6>(v, impulse, K, 6) : add_to<0>(v, impulse, K, p.size);
}

}  // namespace ulna::detail
