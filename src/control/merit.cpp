#include "merit.hpp"

#include <algorithm>

#include "num/message.hpp"

namespace ulna::control::detail {

RowPrice::RowPrice(const Bounds& bounds, Eigen::Index row, double y) {
  // in an order that hands on what is not a number
  double beyond = std::isnan(y) ? y : 0.0;
  beyond = std::max({beyond, bounds.lower(row) - y, y - bounds.upper(row)});
  if (is_soft(bounds, row))
    paid = beyond * (bounds.price(row) + 0.5 * beyond * bounds.price_squared(row));
  else
    broken = beyond;
}

Merit merit(const OptimalControlProblem& problem, const Trajectory& at,
            const std::vector<StageValue>& values, std::vector<Eigen::VectorXd>& defects) {
  Merit m;
  for (int k = 0; k < problem.stage_count(); ++k) {
    m.cost += values[k].cost;
    if (k + 1 < problem.stage_count()) {
      problem.difference(k + 1, at.x[k + 1], values[k].next, defects[k]);
      m.infeasible += defects[k].lpNorm<1>();
      m.defect = std::max(m.defect, defects[k].lpNorm<Eigen::Infinity>());
    }
    const Bounds& bounds = problem.bounds(k);
    each_row(problem.size(k), k, at, values[k], [&](Eigen::Index row, double y) {
      const RowPrice price(bounds, row, y);
      m.cost += price.paid, m.infeasible += price.broken;
      m.breach = std::max(m.breach, price.broken);
    });
  }
  return m;
}

void require_shape(const OptimalControlProblem& problem, const Trajectory& trajectory,
                   const Eigen::Ref<const Eigen::VectorXd>& x0) {
  using messages::require;
  const std::size_t count = problem.sizes().size();
  require(trajectory.x.size() == count && trajectory.u.size() == count, "the trajectory has ",
          trajectory.x.size(), " states and ", trajectory.u.size(), " inputs; the problem's ",
          count, " stages have one of each, the last input empty");
  for (int k = 0; k < problem.stage_count(); ++k) {
    const auto x = k == 0 ? x0.size() : trajectory.x[k].size();
    const auto u = trajectory.u[k].size();
    require(x == problem.numbers(k) && u == problem.size(k).u, "stage ", k, " has a state of ", x,
            " numbers and an input of ", u, "; the problem needs ", problem.numbers(k), " and ",
            problem.size(k).u);
  }
}

Multipliers multipliers_of(const OptimalControlProblem& problem) {
  Multipliers zero;
  for (const QpStage& stage : qp_stages(problem.sizes())) {
    zero.next.push_back(stage.f);
    zero.rows.push_back(Eigen::VectorXd::Zero(stage.size.rows()));
  }
  return zero;
}

}  // namespace ulna::control::detail
