#include "control/robot/robot_stages.hpp"

namespace ulna::control::detail {

RobotStages::RobotStages(Plant<double> plant, const RobotProblemOptions& options)
    : task(std::move(plant), options),
      start_q(task.references.front().q),
      start_v(task.at_rest),
      motion_(options.transcription == Transcription::forward_dynamics
                  ? forward_motion(task, options)
                  : inverse_motion(task)),
      cost_(task, options.frames),
      along_(Vector::Zero(2 * task.nv())),
      along_slope_(Eigen::MatrixXd::Zero(task.nv(), 2 * task.nv())) {
  along_slope_.rightCols(task.nv()).setIdentity();
  const bool torque_is_input = motion_->torque_is_input();
  constraints_.push_back(std::make_unique<TorqueLimits>(task, torque_is_input));
  constraints_.push_back(std::make_unique<StateLimits>(task));
  if (task.loops) constraints_.push_back(std::make_unique<LoopClosure>(task));
  if (task.closed) constraints_.push_back(std::make_unique<FollowerLimits>(task));
  if (task.contact) constraints_.push_back(std::make_unique<WallContact>(task));
  if (task.capsules) constraints_.push_back(std::make_unique<Clearances>(task, options));
  constraints_.push_back(std::make_unique<GivenEnd>(task));

  if (leading()) sizes_.push_back({0, int(task.free.size()) + task.timed, 0});
  for (int node = 0; node <= task.steps; ++node) {
    StageSize size{task.states(), task.inputs(node), 0};
    for (const auto& term : constraints_) size.g += term->rows(node);
    sizes_.push_back(size);
  }
  if (!torque_is_input && task.flat && !task.timed && options.frames.empty() && !task.capsules &&
      !task.loops && !task.closed && !task.contact)
    second_.emplace(task.model());
}

void RobotStages::bound(int node, Bounds& bounds) const {
  int row = task.inputs(node) + task.states();
  for (const auto& term : constraints_) {
    term->bound(node, row, bounds);
    row += term->rows(node);
  }
}

void RobotStages::bound_end(Bounds& bounds) const {
  const ConstraintTerm& end = *constraints_.back();
  end.bound(task.steps, sizes_.back().rows() - end.rows(task.steps), bounds);
}

void RobotStages::rest(In<double> tau, In<double> lambda, Out<double> u) const {
  u.setZero();
  u.segment(tau.size(), lambda.size()) = lambda;
  if (motion_->torque_is_input()) u.head(tau.size()) = tau, u.tail(lambda.size()) = lambda;
}

bool RobotStages::evaluate(const Trajectory& at, std::vector<StageValue>& values,
                           std::vector<QpStage>* stages, const Multipliers* multipliers) {
  const int first = leading();
  task.update_torques();
  task.update_contacts();
  if (!motion_->prepare(task.plant, std::span(at.x).subspan(first), std::span(at.u).subspan(first),
                        stages != nullptr))
    return false;
  for (int k = 0; k < first + task.steps + 1; ++k) {
    if (!at.x[k].allFinite() || !at.u[k].allFinite()) return false;
    QpStage* const slopes = stages ? &(*stages)[k] : nullptr;
    if (slopes) slopes->H.setZero(), slopes->h.setZero(), slopes->G.setZero();
    if (k < first) {
      if (!evaluate_start(at.u[k], values[k], slopes)) return false;
      continue;
    }
    const int node = k - first;
    if (!evaluate(node, at.x[k], at.u[k], values[k], slopes)) return false;
    if (multipliers && second_ && node < task.steps)
      add_torque_curvature(node, at.x[k], at.u[k], multipliers->rows[k], *slopes);
  }
  return true;
}

/// The stage before the nodes: it has no state, and its inputs are by how much the first state leaves what was set,
/// in the directions that are free, and then the final time.
bool RobotStages::evaluate_start(In<double> u, StageValue& value, QpStage* slopes) {
  const Model& model = task.model();
  const int nq = task.nq(), n = task.nv(), count = int(task.free.size());
  along_.setZero();
  for (int i = 0; i < count; ++i) along_(task.free[i]) = u(i);
  if (task.closed)
    value.next.head(n) = start_q + along_.head(n);
  else
    integrate<double>(model, start_q, along_.head(n), value.next.head(nq));
  value.next.segment(nq, n) = start_v + along_.tail(n);
  if (task.timed) value.next.tail(1) = u.tail(1);
  value.cost = 0.0;
  if (!slopes) return value.next.allFinite();
  if (task.closed)
    q_slope_ = along_slope_;
  else
    StepSlopes::displace(model, start_q, along_.head(n), along_slope_, q_slope_);
  slopes->F.setZero();
  for (int i = 0; i < count; ++i) {
    const int dof = task.free[i];
    if (dof < n)
      slopes->F.col(i).head(n) = q_slope_.col(n + dof);
    else
      slopes->F(dof, i) = 1.0;
  }
  if (task.timed) slopes->F(2 * n, count) = 1.0;
  return value.next.allFinite();
}

bool RobotStages::evaluate(int node, const Vector& x, const Vector& u, StageValue& value,
                           QpStage* slopes) {
  const int nq = task.nq(), nv = task.nv();
  const bool last = node == task.steps;
  double h = 0.0;
  if (!task.place(node, x.head(nq))) return false;
  if (!last) {
    h = task.timed ? task.duration(node) / task.total * x.tail(1)(0) : task.duration(node);
    if (!(h > 0.0) || !step(node, h, x, u, value, slopes)) return false;
  }
  const Point at{node, x.head(nq), x.segment(nq, nv), u, *motion_};
  const double scale = last ? task.weights.terminal : h;
  value.cost = cost_(at, scale, slopes);
  if (task.timed && !last) {
    if (slopes) add_time_slopes(node, h, value.cost, *slopes);
    value.cost += task.weights.time * h;
  }
  int row = 0;
  for (const auto& term : constraints_) {
    const int rows = term->rows(node);
    if (rows == 0) continue;
    std::optional<OutMatrix<double>> G;
    if (slopes) G.emplace(slopes->G.middleRows(row, rows));
    term->evaluate(at, value.g.segment(row, rows), G ? &*G : nullptr);
    row += rows;
  }
  return std::isfinite(value.cost);
}

/// Where a stage leads when it lasts h.
bool RobotStages::step(int node, double h, const Vector& x, const Vector& u, StageValue& value,
                       QpStage* slopes) {
  const int nq = task.nq(), nv = task.nv();
  const auto q = x.head(nq), v = x.segment(nq, nv);
  std::optional<OutMatrix<double>> F;
  if (slopes) F.emplace(slopes->F.topRows(2 * nv));
  if (!motion_->step(task.plant, node, q, v, u, h, F ? &*F : nullptr)) return false;
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
  error_ = task.duration(node) * task.weights.torque.cwiseProduct(error_);
  const auto prices = rows.segment(slopes.size.variables(), n);
  if (task.motors.size() == 0)
    error_ += prices;
  else
    error_.noalias() += task.motors.transpose().lazyProduct(prices);
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
