#include <algorithm>

#include "control/robot/stage_motion.hpp"
#include "control/robot/state_space.hpp"
#include "ulna/control/robot/robot_problem.hpp"

// What a stage costs, where it leads and what it keeps to. Slopes are in the order (u, q, v).
namespace ulna {

bool RobotProblem::evaluate(const Trajectory& at, std::vector<StageValue>& values) {
  if (!prepare(at, false)) return false;
  const bool possible = OptimalControlProblem::evaluate(at, values);
  prepared_ = false;
  return possible;
}

bool RobotProblem::linearise(const Trajectory& at, const Multipliers* multipliers,
                             std::vector<StageValue>& values, std::vector<QpStage>& stages) {
  if (!prepare(at, true)) return false;
  const bool possible = OptimalControlProblem::linearise(at, multipliers, values, stages);
  prepared_ = false;
  return possible;
}

/// The steps of all stages together, where they can be.
bool RobotProblem::prepare(const Trajectory& at, bool slopes) {
  if (!motion_->prepares()) return true;
  for (int i = 0; i < steps_; ++i) {
    const auto k = static_cast<std::size_t>(stage(i));
    if (!at.x[k].allFinite() || !at.u[k].allFinite()) return false;
    Q_.col(i) = q_of(at.x[k]), V_.col(i) = v_of(at.x[k]), U_.col(i) = at.u[k];
  }
  prepared_ = motion_->prepare(plant_, Q_, V_, U_, h_, slopes);
  return prepared_;
}

bool RobotProblem::evaluate(int k, In x, In u, StageValue& value) {
  return stage(k, x, u, value, nullptr);
}

bool RobotProblem::linearise(int k, In x, In u, const Vector*, const Vector* rows,
                             StageValue& value, QpStage& slopes) {
  slopes.H.setZero(), slopes.h.setZero(), slopes.G.setZero();
  if (!stage(k, x, u, value, &slopes)) return false;
  if (rows && curve_ && k >= leading_ && node(k) < steps_)
    add_torque_curvature(k, x, u, *rows, slopes);
  return true;
}

/// Where a stage leads when it lasts h: motion_, and where it is given, F.
bool RobotProblem::step(int k, In x, In u, double h, QpStage* slopes) {
  const auto rows = [&] { return slopes->F.topRows(2 * model().nv()); };
  if (prepared_) {
    if (slopes)
      motion_->recall(node(k), rows());
    else
      motion_->recall(node(k));
    return true;
  }
  return slopes ? motion_->differentiate(plant_, q_of(x), v_of(x), u, h, rows())
                : motion_->go(plant_, q_of(x), v_of(x), u, h);
}

bool RobotProblem::stage(int k, In x, In u, StageValue& value, QpStage* slopes) {
  if (!x.allFinite() || !u.allFinite()) return false;
  if (k < leading_) return lead(u, value, slopes);
  const int n = model().nv();
  const bool last = node(k) == steps_;
  double h = 0.0;
  if (!last) {
    h = durations_[static_cast<std::size_t>(node(k))];
    const double share = h / whole_;
    if (timed_) h = share * x.tail(1)(0);
    if (!(h > 0.0)) return false;
    if (!step(k, x, u, h, slopes)) return false;
    value.next.head(model().nq()) = motion_->q_next;
    value.next.segment(model().nq(), n) = motion_->v_next;
    if (timed_) value.next.tail(1) = x.tail(1);
    if (timed_ && slopes) {
      slopes->F.rightCols(1) *= share;
      slopes->F.row(2 * n).setZero();
      slopes->F.bottomRightCorner(1, 1).setOnes();
    }
  }
  const double scale = last ? weights_.terminal : h;
  double cost = 0.0;
  add_joint_cost(k, x, cost, slopes);
  if (!last) add_torque_cost(k, cost, slopes);
  add_frame_costs(k, x, cost, slopes);
  value.cost = scale * cost;
  if (slopes) slopes->H *= scale, slopes->h *= scale;
  if (timed_ && !last) {
    if (slopes) add_time_slopes(k, h, value.cost, *slopes);
    value.cost += weights_.time * h;
  }
  constrain(k, x, value, slopes);
  return std::isfinite(value.cost);
}

// Of residuals r(z) sqrt(h), with h a share of the final time T: their slopes by T are those of the
// root, so that what they add to H follows from the cost and its slopes.
void RobotProblem::add_time_slopes(int k, double h, double cost, QpStage& slopes) const {
  const int T = size(k).variables() - 1;
  const double share = durations_[static_cast<std::size_t>(node(k))] / whole_;
  slopes.H.col(T) = (0.5 * share / h) * slopes.h;
  slopes.H.row(T) = slopes.H.col(T).transpose();
  slopes.H(T, T) = 0.5 * cost * (share / h) * (share / h);
  slopes.h(T) = cost * share / h + weights_.time * share;
}

bool RobotProblem::lead(In u, StageValue& value, QpStage* slopes) {
  const Model& robot = model();
  const int n = robot.nv();
  const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  along_.setZero();
  for (std::size_t i = 0; i < free_.size(); ++i) along_(free_[i]) = u(at(i));
  integrate<double>(robot, q_of(initial_), along_.head(n), value.next.head(robot.nq()));
  value.next.segment(robot.nq(), n) = v_of(initial_) + along_.tail(n);
  if (timed_) value.next.tail(1) = u.tail(1);
  value.cost = 0.0;
  if (!slopes) return value.next.allFinite();
  StepSlopes::displace(robot, q_of(initial_), along_.head(n), along_slope_, q_slope_);
  slopes->F.setZero();
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i] < n)
      slopes->F.col(at(i)).head(n) = q_slope_.col(n + free_[i]);
    else
      slopes->F(free_[i], at(i)) = 1.0;
  }
  if (timed_) slopes->F(2 * n, at(free_.size())) = 1.0;
  return value.next.allFinite();
}

void RobotProblem::add_joint_cost(int k, In x, double& cost, QpStage* slopes) {
  const int n = model().nv(), at_q = size(k).u, at_v = at_q + n;
  const Reference& r = reference(node(k));
  const Vector &w_q = weights_.position, &w_v = weights_.velocity;

  ulna::difference<double>(model(), r.q, q_of(x), error_);
  cost += 0.5 * error_.cwiseAbs2().dot(w_q);
  if (slopes) {
    if (!flat_) detail::difference_slope(model(), r.q, q_of(x), slope_);
    for (const Joint& j : model().joints()) {
      if (j.mimics || j.type == JointType::fixed) continue;
      const int m = velocity_size(j.type), at = at_q + j.v;
      if (m == 1) {
        slopes->h(at) += w_q(j.v) * error_(j.v);
        slopes->H(at, at) += w_q(j.v);
        continue;
      }
      const auto D = slope_.block(j.v, j.v, m, m);
      for (int i = 0; i < m; ++i) {
        const double w = w_q(j.v + i);
        for (int a = 0; a < m; ++a) {
          slopes->h(at + a) += w * error_(j.v + i) * D(i, a);
          for (int b = 0; b < m; ++b) slopes->H(at + a, at + b) += w * D(i, a) * D(i, b);
        }
      }
    }
  }

  error_ = v_of(x) - r.v;
  cost += 0.5 * error_.cwiseAbs2().dot(w_v);
  if (slopes) {
    slopes->h.segment(at_v, n) += w_v.cwiseProduct(error_);
    slopes->H.diagonal().segment(at_v, n) += w_v;
  }
}

void RobotProblem::add_torque_cost(int k, double& cost, QpStage* slopes) {
  const int n = model().nv();
  const Vector& w = weights_.torque;
  error_ = motion_->tau - reference(node(k)).tau;
  cost += 0.5 * error_.cwiseAbs2().dot(w);
  if (!slopes) return;
  if (const Eigen::MatrixXd* by = motion_->tau_slope()) {
    for (int i = 0; i < n; ++i) {
      const double root = std::sqrt(w(i));
      weighted_.row(i) = root * by->row(i), error_(i) *= root;
    }
    const Eigen::Index all = by->cols();
    slopes->H.topLeftCorner(all, all) += weighted_.transpose().lazyProduct(weighted_);
    slopes->h.head(all) += weighted_.transpose().lazyProduct(error_);
  } else {
    slopes->h.head(n) += w.cwiseProduct(error_);
    slopes->H.diagonal().head(n) += w;
  }
}

void RobotProblem::add_torque_curvature(int k, In x, In u, const Vector& rows, QpStage& slopes) {
  const int n = model().nv();
  error_ = motion_->tau - reference(node(k)).tau;
  error_ = durations_[static_cast<std::size_t>(node(k))] * weights_.torque.cwiseProduct(error_) +
           rows.segment(size(k).variables(), n);
  (*curve_)(plant_, q_of(x), v_of(x), u);
  const auto add = [&](const Tensor3<double>& by, int first, int second) {
    by.contract(error_, slope_);
    slopes.H.block(first, second, n, n) += slope_;
    if (first != second) slopes.H.block(second, first, n, n) += slope_.transpose();
  };
  add(curve_->daq, 0, n), add(curve_->dqq, n, n);
  add(curve_->dqv, n, 2 * n), add(curve_->dvv, 2 * n, 2 * n);
}

void RobotProblem::add_frame_costs(int k, In x, double& cost, QpStage* slopes) {
  const int n = model().nv();
  bool placed = false;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& target = reference(node(k)).frames[i];
    if (!target) continue;
    if (!placed) at_.set(q_of(x)), placed = true;
    const Transform<double> X = at_.pose(*frames_[i]);
    const Vec3<double> apart = X.translation() - target->translation(),
                       turn = (target->rotation().inverse() * X.rotation()).log();
    const double w_p = tasks_[i].position, w_r = tasks_[i].orientation;
    cost += 0.5 * (w_p * apart.squaredNorm() + w_r * turn.squaredNorm());
    if (!slopes) continue;
    frame_jacobian<double>(at_, *frames_[i], Axes::aligned, J_);
    // the turn is told in the frame, the Jacobian in the world
    const Mat3<double> D = detail::rotation_log_slope(turn) * X.rotation().matrix().transpose();
    auto angular = J_.topRows<3>(), linear = J_.bottomRows<3>();
    for (int c = 0; c < n; ++c) angular.col(c) = (D * angular.col(c)).eval();
    auto H = slopes->H.block(size(k).u, size(k).u, n, n);
    H += w_p * linear.transpose().lazyProduct(linear);
    H += w_r * angular.transpose().lazyProduct(angular);
    slopes->h.segment(size(k).u, n) += w_p * (linear.transpose().lazyProduct(apart));
    slopes->h.segment(size(k).u, n) += w_r * (angular.transpose().lazyProduct(turn));
  }
}

void RobotProblem::constrain(int k, In x, StageValue& value, QpStage* slopes) {
  const int n = model().nv(), at_q = size(k).u, at_v = at_q + n;
  const bool first = node(k) == 0, last = node(k) == steps_;
  int row = 0;
  if (const Eigen::MatrixXd* by = motion_->tau_slope(); by && !last) {
    value.g.head(n) = motion_->tau;
    if (slopes) slopes->G.topLeftCorner(n, by->cols()) = *by;
    row += n;
  }
  const bool limited = !first || !free_.empty();
  if (limited && !flat_) {
    // joints of several coordinates have no limits of position
    value.g.segment(row, n).setZero();
    for (const Joint& j : model().joints()) {
      if (j.mimics || velocity_size(j.type) != 1) continue;
      value.g(row + j.v) = x(j.q);
      if (slopes) slopes->G(row + j.v, at_q + j.v) = 1.0;
    }
    value.g.segment(row + n, n) = v_of(x);
    if (slopes) slopes->G.block(row + n, at_v, n, n).diagonal().setOnes();
    row += 2 * n;
  }
  if (loops_) row += close_loops(k, x, row, value, slopes);
  if (limited && capsules_) {
    const int pairs = capsules_->size();
    if (slopes)
      capsules_->distances(q_of(x), value.g.segment(row, pairs),
                           slopes->G.block(row, at_q, pairs, n));
    else
      capsules_->distances(q_of(x), value.g.segment(row, pairs));
    row += pairs;
  }
  if (last && !flat_) {
    const Reference& r = reference(steps_);
    ulna::difference<double>(model(), r.q, q_of(x), error_);
    if (slopes) detail::difference_slope(model(), r.q, q_of(x), slope_);
    for (const int dof : end_) {
      value.g(row) = dof < n ? error_(dof) : v_of(x)(dof - n) - r.v(dof - n);
      if (slopes && dof < n) slopes->G.row(row).segment(at_q, n) = slope_.row(dof);
      if (slopes && dof >= n) slopes->G(row, at_q + dof) = 1.0;
      ++row;
    }
  }
}

int RobotProblem::close_loops(int k, In x, int row, StageValue& value, QpStage* slopes) {
  const int n = model().nv(), m = loops_->size(), at_q = size(k).u, at_v = at_q + n;
  loops_->set(q_of(x));
  value.g.segment(row, m) = loops_->gap();
  if (slopes) slopes->G.block(row, at_q, m, n) = loops_->J();
  // velocities that are given at the start are what they are
  const bool rates =
      node(k) > 0 || std::any_of(free_.begin(), free_.end(), [&](int dof) { return dof >= n; });
  if (!rates) return m;
  row += m;
  value.g.segment(row, m).noalias() = loops_->J().lazyProduct(v_of(x));
  if (slopes) loops_->rate_slope(v_of(x), slopes->G.block(row, at_q, m, n));
  if (slopes) slopes->G.block(row, at_v, m, n) = loops_->J();
  return 2 * m;
}

}  // namespace ulna
