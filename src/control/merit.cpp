#include "merit.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

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

bool Merit::finite() const { return std::isfinite(cost) && std::isfinite(infeasible); }

Merit merit(const OptimalControlProblem& problem, const Trajectory& at,
            const std::vector<StageValue>& values, std::vector<Eigen::VectorXd>& defects) {
  Merit m;
  for (int k = 0; k < problem.stage_count(); ++k) {
    m.cost += values[k].cost;
    if (k + 1 < problem.stage_count()) {
      problem.difference(k + 1, at.x[k + 1], values[k].next, defects[k]);
      m.infeasible += defects[k].lpNorm<1>();
      if (defects[k].size() > 0) m.defect = std::max(m.defect, defects[k].cwiseAbs().maxCoeff());
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
  const std::size_t count = problem.sizes().size();
  const auto text = [](auto number) { return std::to_string(number); };
  if (trajectory.x.size() != count || trajectory.u.size() != count)
    throw std::invalid_argument("the trajectory has " + text(trajectory.x.size()) + " states and " +
                                text(trajectory.u.size()) + " inputs; the problem's " +
                                text(count) + " stages have one of each, the last input empty");
  for (int k = 0; k < problem.stage_count(); ++k) {
    const auto x = k == 0 ? x0.size() : trajectory.x[k].size();
    const auto u = trajectory.u[k].size();
    if (x != problem.numbers(k) || u != problem.size(k).u)
      throw std::invalid_argument("stage " + text(k) + " has a state of " + text(x) +
                                  " numbers and an input of " + text(u) +
                                  "; the problem asks for " + text(problem.numbers(k)) + " and " +
                                  text(problem.size(k).u));
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
