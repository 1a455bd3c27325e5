#pragma once

#include <Eigen/Core>
#include <vector>

#include "squares.hpp"
#include "ulna/control/qp.hpp"

namespace ulna::control::detail {

/// One side of all rows of a stage, seen so that a value must stay above its bound: the upper side is
/// turned round. Where there is no bound: present 0, distance 1, multiplier 0, and they stay so.
struct QpSide {
  double *present, *bound;
  double *distance, *multiplier;      ///< t and λ, both above 0
  double *d_distance, *d_multiplier;  ///< of the step
  // of soft rows: how far the row may stand beyond its bound
  double *soft, *price, *price_squared;
  double *slack, *slack_multiplier;
  double *d_slack, *d_slack_multiplier;
};

/// A diagonal of F, from its first element that is not zero to its last: F(row + i, column + i) = values[i].
struct QpDiagonal {
  int row, column, count;
  const double* values;
};

/// A stage as the solver's inner loops want it: filled up, and transposed where that saves a shuffle.
struct QpStageData {
  int u, x, g, n, next;         ///< n = u + x
  int ld, ld_next, ld_g, rows;  ///< filled up; rows = ld + ld_g
  bool any_soft, any_equal;
  double *H, *h;       ///< ld x n, lower half
  double *F, *Ft, *f;  ///< ld_next x n, ld x next
  double *G, *Gt;      ///< ld_g x n, ld x g
  QpSide lower, upper;
  double *equal, *value;  ///< rows that are equations: 1, and what they must be
  double* equal_multiplier;
  double* held;             ///< weight of rows that are held at a value
  double *y, *dy;           ///< (z, G z), and its step
  double *pi, *d_pi;        ///< ld_next: multipliers of the dynamics
  double *slope, *defect;   ///< ld, ld_next: what is left of the conditions
  double *weight, *linear;  ///< what the rows add to H and h
  double* L;                ///< ld x n: factor of the stage's Hessian with all that comes after
  double* p;  ///< ld: (what the inputs are solved from, linear part of the cost to go)

  // of the active set method
  QpDiagonal* diagonals;
  int diagonal_count;       ///< below 0: no program was taken in yet
  double* diagonal_values;  ///< next x n
  bool is_sparse;           ///< F has so few diagonals that they are used in its place
  double* S;  ///< ld x n: what L is the factor of; its columns of x become the cost to go, in full
  double* place;                   ///< of each row: see row_place
  double *kept, *kept_multiplier;  ///< (z, G z) and multipliers of rows that may be returned to
};

/// Where a row is taken to be; of the upper bound, of the lower one negative.
namespace row_place {
constexpr double inside = 0.0;
constexpr double at_bound = 1.0;  ///< held there by its multiplier
constexpr double beyond = 2.0;    ///< a soft row that pays its price
}  // namespace row_place

/// What a kernel works on.
struct QpState {
  std::vector<StageSize> sizes;
  std::vector<QpStageData> stages;
  std::vector<Eigen::VectorXd> row_multipliers;
  Eigen::VectorXd memory;
  std::vector<QpDiagonal> diagonals;
  double* W;        ///< scratch for a factor,
  double* PF;       ///< for the cost to go times F
  double* scratch;  ///< and for vectors
  QpReport report;
  bool taken_in = false;     ///< a program is prepared,
  bool is_factored = false;  ///< and factored for the rows that are taken to be active
  bool has_point = false;    ///< the active set method left a point that may be returned to
  QpStart start = QpStart::cold;

  explicit QpState(const std::vector<StageSize>& sizes);
  const QpStageData& operator[](int k) const { return stages[k]; }
};

/// How a program is solved.
struct QpRun {
  const QpOptions* options;
  const QpSolver::Clock::time_point* deadline;  ///< or null
  bool prepare;                                 ///< only what does not depend on the first state
};

using QpKernel = void(QpState& state, const QpRun& run);

}  // namespace ulna::control::detail

extern "C" ulna::control::detail::QpKernel ulna_qp_kernel_baseline, ulna_qp_kernel_avx2,
    ulna_qp_kernel_avx512;
