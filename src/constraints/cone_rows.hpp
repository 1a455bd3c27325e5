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

/// w += J v of all rows of a piece, which are 3 of a contact.
inline void add_rates(const ConeProblem& problem, const ConeProblem::Piece& p, int rows,
                      const double* velocity, double* w) {
  if (rows != 3) {
    for (int i = 0; i < rows; ++i) w[i] += row_rate(problem, p, i, velocity);
    return;
  }
  const double *const J = problem.data() + p.J, *const second = J + p.size,
                      *const third = second + p.size;
  double sums[3] = {};
  const auto add = [&](int k, double v) {
    sums[0] += J[k] * v, sums[1] += second[k] * v, sums[2] += third[k] * v;
  };
  if (const int* columns = problem.columns(p))
    for (int k = 0; k < p.size; ++k) add(k, velocity[columns[k]]);
  else
    for (int k = 0; k < p.size; ++k) add(k, velocity[p.at + k]);
  for (int i = 0; i < 3; ++i) w[i] += sums[i];
}

/// v += K λ of all rows of a piece.
inline void add_impulses(const ConeProblem& problem, const ConeProblem::Piece& p, int rows,
                         const double* impulses, double* velocity) {
  const double* K = problem.data() + p.K;
  const int* const columns = problem.columns(p);
  if (rows == 3) {
    const double *const second = K + p.size, *const third = second + p.size;
    const double a = impulses[0], b = impulses[1], c = impulses[2];
    if (columns)
      for (int k = 0; k < p.size; ++k)
        velocity[columns[k]] += a * K[k] + b * second[k] + c * third[k];
    else
      for (int k = 0; k < p.size; ++k)
        velocity[p.at + k] += a * K[k] + b * second[k] + c * third[k];
    return;
  }
  for (int i = 0; i < rows; ++i, K += p.size)
    for (int k = 0; k < p.size; ++k)
      velocity[columns ? columns[k] : p.at + k] += impulses[i] * K[k];
}

}  // namespace ulna::detail
