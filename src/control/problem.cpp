#include "ulna/control/problem.hpp"

#include "num/message.hpp"

namespace ulna::control {

Bounds::Bounds(const StageSize& size)
    : lower(Eigen::VectorXd::Constant(size.rows(), -infinity)),
      upper(Eigen::VectorXd::Constant(size.rows(), infinity)),
      price(Eigen::VectorXd::Constant(size.rows(), infinity)),
      price_squared(Eigen::VectorXd::Zero(size.rows())) {}

QpStage::QpStage(const StageSize& s, int next)
    : size(s),
      H(Eigen::MatrixXd::Zero(s.variables(), s.variables())),
      F(Eigen::MatrixXd::Zero(next, s.variables())),
      G(Eigen::MatrixXd::Zero(s.g, s.variables())),
      h(Eigen::VectorXd::Zero(s.variables())),
      f(Eigen::VectorXd::Zero(next)),
      bounds(s) {}

std::vector<QpStage> qp_stages(const std::vector<StageSize>& sizes) {
  std::vector<QpStage> stages;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    stages.emplace_back(sizes[k], k + 1 < sizes.size() ? sizes[k + 1].x : 0);
  return stages;
}

OptimalControlProblem::OptimalControlProblem(std::vector<StageSize> sizes)
    : sizes_(std::move(sizes)), bounds_(sizes_.begin(), sizes_.end()) {
  messages::require(sizes_.size() >= 2, "an optimal control problem has ", sizes_.size(),
                    " stages; it needs at least two, one with inputs and a final one");
  messages::require(sizes_.back().u == 0, "the last stage of an optimal control problem has ",
                    sizes_.back().u, " inputs; it must have none");
}

OptimalControlProblem::~OptimalControlProblem() = default;

void OptimalControlProblem::move(int /*k*/, In x, In dx, Out moved) const { moved = x + dx; }
void OptimalControlProblem::difference(int /*k*/, In from, In to, Out dx) const { dx = to - from; }

bool StagewiseProblem::evaluate(const Trajectory& at, std::vector<StageValue>& values) {
  for (int k = 0; k < stage_count(); ++k)
    if (!evaluate(k, at.x[k], at.u[k], values[k])) return false;
  return true;
}

bool StagewiseProblem::linearise(const Trajectory& at, const Multipliers* multipliers,
                                 std::vector<StageValue>& values, std::vector<QpStage>& stages) {
  for (int k = 0; k < stage_count(); ++k) {
    const Vector* next = multipliers ? &multipliers->next[k] : nullptr;
    const Vector* rows = multipliers ? &multipliers->rows[k] : nullptr;
    if (!linearise(k, at.x[k], at.u[k], next, rows, values[k], stages[k])) return false;
  }
  return true;
}

std::vector<StageValue> stage_values(const OptimalControlProblem& problem) {
  std::vector<StageValue> values(problem.sizes().size());
  for (int k = 0; k < problem.stage_count(); ++k) {
    values[k].next.setZero(k + 1 < problem.stage_count() ? problem.numbers(k + 1) : 0);
    values[k].g.setZero(problem.size(k).g);
  }
  return values;
}

Trajectory trajectory_of(const OptimalControlProblem& problem) {
  Trajectory t;
  for (int k = 0; k < problem.stage_count(); ++k) {
    t.x.push_back(Eigen::VectorXd::Zero(problem.numbers(k)));
    t.u.push_back(Eigen::VectorXd::Zero(problem.size(k).u));
  }
  return t;
}

}  // namespace ulna::control
