#include "control/robot/robot_stages.hpp"

#include "control/robot/frame_cost.hpp"
#include "control/robot/geometry_terms.hpp"
#include "control/robot/joint_terms.hpp"
#include "control/robot/torque_terms.hpp"

namespace ulna::control::detail {
namespace {

std::unique_ptr<StageMotion> stage_motion(const Task& task, const RobotProblemOptions& options) {
  const Model& model = task.model();
  if (options.transcription == Transcription::forward_dynamics)
    return task.loops ? looped_forward_motion(model, *task.loops, options.integrator, task.timed)
                      : forward_motion(model, options.integrator, task.timed, task.durations,
                                       options.threads);
  return task.loops ? looped_inverse_motion(model, *task.loops, task.timed)
                    : inverse_motion(model, task.timed);
}

}  // namespace

RobotStages::RobotStages(Plant<double> plant, const RobotProblemOptions& options)
    : task(std::move(plant), options),
      start(task),
      motion_(stage_motion(task, options)),
      error_(Vector::Zero(task.model().nv())),
      slope_(Eigen::MatrixXd::Zero(error_.size(), error_.size())) {
  const bool torque_is_input = motion_->tau_slope() == nullptr;
  costs_.push_back(std::make_unique<JointCost>(task));
  costs_.push_back(std::make_unique<TorqueCost>(task));
  if (!options.frames.empty()) costs_.push_back(std::make_unique<FrameCost>(task, options.frames));
  constraints_.push_back(std::make_unique<TorqueLimits>(task, torque_is_input));
  constraints_.push_back(std::make_unique<StateLimits>(task));
  if (task.loops) constraints_.push_back(std::make_unique<LoopClosure>(task));
  if (task.capsules) constraints_.push_back(std::make_unique<Clearances>(task, options));
  constraints_.push_back(std::make_unique<GivenEnd>(task));

  if (leading()) sizes_.push_back({0, start.inputs(), 0});
  for (int node = 0; node <= task.steps; ++node) {
    StageSize size{task.states(), task.inputs(node), 0};
    for (const auto& term : constraints_) {
      term->place(size.g);
      size.g += term->rows(node);
    }
    sizes_.push_back(size);
  }
  if (!torque_is_input && task.flat && !task.timed && options.frames.empty() && !task.capsules &&
      !task.loops)
    second_.emplace(task.model());
}

void RobotStages::bound(int node, Bounds& bounds) const {
  for (const auto& term : constraints_) term->bound(node, bounds);
}

bool RobotStages::evaluate(const Trajectory& at, std::vector<StageValue>& values,
                           std::vector<QpStage>* stages, const Multipliers* multipliers) {
  const auto first = static_cast<std::size_t>(leading());
  task.update_torques();
  if (!motion_->prepare(task.plant, std::span(at.x).subspan(first), std::span(at.u).subspan(first),
                        stages != nullptr))
    return false;
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (!at.x[k].allFinite() || !at.u[k].allFinite()) return false;
    QpStage* const slopes = stages ? &(*stages)[k] : nullptr;
    if (slopes) slopes->H.setZero(), slopes->h.setZero(), slopes->G.setZero();
    if (k < first) {
      if (!start.evaluate(at.u[k], values[k], slopes)) return false;
      continue;
    }
    const int node = static_cast<int>(k - first);
    if (!evaluate(node, at.x[k], at.u[k], values[k], slopes)) return false;
    if (multipliers && second_ && node < task.steps)
      add_torque_curvature(node, at.x[k], at.u[k], multipliers->rows[k], *slopes);
  }
  return true;
}

bool RobotStages::evaluate(int node, const Vector& x, const Vector& u, StageValue& value,
                           QpStage* slopes) {
  const int nq = task.model().nq(), nv = task.model().nv();
  const bool last = node == task.steps;
  double h = 0.0;
  if (!last) {
    h = task.timed ? task.duration(node) / task.total * x.tail(1)(0) : task.duration(node);
    if (!(h > 0.0) || !step(node, h, x, u, value, slopes)) return false;
  }
  const Point at{node, x.head(nq), x.segment(nq, nv), u, *motion_};
  const double scale = last ? task.weights.terminal : h;
  double cost = 0.0;
  for (const auto& term : costs_) term->add(at, cost, slopes);
  value.cost = scale * cost;
  if (slopes) slopes->H *= scale, slopes->h *= scale;
  if (task.timed && !last) {
    if (slopes) add_time_slopes(node, h, value.cost, *slopes);
    value.cost += task.weights.time * h;
  }
  for (const auto& term : constraints_) term->evaluate(at, value, slopes);
  return std::isfinite(value.cost);
}

/// Where a stage leads when it lasts h.
bool RobotStages::step(int node, double h, const Vector& x, const Vector& u, StageValue& value,
                       QpStage* slopes) {
  const int nq = task.model().nq(), nv = task.model().nv();
  const auto q = x.head(nq), v = x.segment(nq, nv);
  if (slopes) {
    Eigen::Ref<Eigen::MatrixXd> F = slopes->F.topRows(2 * nv);
    if (!motion_->step(task.plant, node, q, v, u, h, &F)) return false;
  } else if (!motion_->step(task.plant, node, q, v, u, h, nullptr)) {
    return false;
  }
  value.next.head(nq) = motion_->q_next;
  value.next.segment(nq, nv) = motion_->v_next;
  if (!task.timed) return true;
  value.next.tail(1) = x.tail(1);
  if (!slopes) return true;
  slopes->F.rightCols(1) *= task.duration(node) / task.total;
  slopes->F.row(2 * nv).setZero();
  slopes->F.bottomRightCorner(1, 1).setOnes();
  return true;
}

// Of residuals r(z) sqrt(h), with h a share of the final time T: their slopes by T are those of the
// root, so that what they add to H follows from the cost and its slopes.
void RobotStages::add_time_slopes(int node, double h, double cost, QpStage& slopes) const {
  const int T = slopes.size.variables() - 1;
  const double share = task.duration(node) / task.total;
  slopes.H.col(T) = (0.5 * share / h) * slopes.h;
  slopes.H.row(T) = slopes.H.col(T).transpose();
  slopes.H(T, T) = 0.5 * cost * (share / h) * (share / h);
  slopes.h(T) = cost * share / h + task.weights.time * share;
}

/// What the curvature of torques adds to H, of their cost and of their limits, whose rows of g are the first.
void RobotStages::add_torque_curvature(int node, const Vector& x, const Vector& u,
                                       const Vector& rows, QpStage& slopes) {
  const int n = task.model().nv();
  error_ = motion_->tau - task.reference(node).tau;
  error_ = task.duration(node) * task.weights.torque.cwiseProduct(error_) +
           rows.segment(slopes.size.variables(), n);
  auto& [motion, ws, tau] = *second_;
  motion.set(x.head(n), x.segment(n, n), u);
  inverse_dynamics_second_derivatives(task.plant, motion, ws, tau);
  const auto add = [&](const Tensor3<double>& by, int first, int second) {
    by.contract(error_, slope_);
    slopes.H.block(first, second, n, n) += slope_;
    if (first != second) slopes.H.block(second, first, n, n) += slope_.transpose();
  };
  add(tau.daq, 0, n), add(tau.dqq, n, n);
  add(tau.dqv, n, 2 * n), add(tau.dvv, 2 * n, 2 * n);
}

}  // namespace ulna::control::detail
