#pragma once

#include <cmath>

#include "ulna/control/problem.hpp"

namespace ulna::control::detail {

/// What a row y of a stage pays for standing where it does, and by how much it breaks a hard bound.
struct RowPrice {
  double paid = 0.0, broken = 0.0;

  RowPrice(const Bounds& bounds, Eigen::Index row, double y);
};

/// Whether a row is soft. Equations never are.
inline bool is_soft(const Bounds& bounds, Eigen::Index row) {
  return bounds.price(row) < infinity && bounds.lower(row) < bounds.upper(row);
}

/// Calls f(row, value) for every row of stage k that may be bounded. A state on a manifold has none.
template <class F>
void each_row(const StageSize& size, int k, const Trajectory& at, const StageValue& value, F f) {
  for (int i = 0; i < size.u; ++i) f(i, at.u[k](i));
  if (k > 0 && at.x[k].size() == size.x)
    for (int i = 0; i < size.x; ++i) f(size.u + i, at.x[k](i));
  for (int i = 0; i < size.g; ++i) f(size.variables() + i, value.g(i));
}

/// How good a trajectory is.
struct Merit {
  double cost = 0.0;                  ///< with what soft rows pay
  double infeasible = 0.0;            ///< sum of defects and of breaches of hard rows
  double defect = 0.0, breach = 0.0;  ///< the largest of each

  bool finite() const { return std::isfinite(cost) && std::isfinite(infeasible); }
};

/// `defects`: those of each stage, where they are put.
Merit merit(const OptimalControlProblem& problem, const Trajectory& at,
            const std::vector<StageValue>& values, std::vector<Eigen::VectorXd>& defects);

/// Throws if a trajectory or a first state is not of the problem's sizes.
void require_shape(const OptimalControlProblem& problem, const Trajectory& trajectory,
                   const Eigen::Ref<const Eigen::VectorXd>& x0);

/// Zero, for all stages of a problem. Its defects have the sizes of `next`.
Multipliers multipliers_of(const OptimalControlProblem& problem);

}  // namespace ulna::control::detail
