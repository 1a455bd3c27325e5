#include "control/robot/stage_motion.hpp"
#include "control/robot/state_space.hpp"
#include "ulna/control/robot/robot_problem.hpp"

// What a stage costs, where it leads and what it keeps to. Slopes are in the order (u, q, v).
namespace ulna {

bool RobotProblem::evaluate(int k, In x, In u, StageValue& value) {
  return stage(k, x, u, value, nullptr);
}

bool RobotProblem::linearise(int k, In x, In u, const Vector*, const Vector*, StageValue& value,
                             QpStage& slopes) {
  slopes.H.setZero(), slopes.h.setZero(), slopes.G.setZero();
  return stage(k, x, u, value, &slopes);
}

bool RobotProblem::stage(int k, In x, In u, StageValue& value, QpStage* slopes) {
  if (!x.allFinite() || !u.allFinite()) return false;
  const bool last = k == steps_;
  const double scale = last ? weights_.terminal : duration(k);
  if (!last) {
    const bool possible =
        slopes ? motion_->differentiate(plant_, q(x), v(x), u, duration(k), slopes->F)
               : motion_->go(plant_, q(x), v(x), u, duration(k));
    if (!possible) return false;
    value.next.head(model().nq()) = motion_->q_next;
    value.next.segment(model().nq(), model().nv()) = motion_->v_next;
  }
  double cost = 0.0;
  add_joint_cost(k, x, cost, slopes);
  if (!last) add_torque_cost(k, cost, slopes);
  add_frame_costs(k, x, cost, slopes);
  value.cost = scale * cost;
  if (slopes) slopes->H *= scale, slopes->h *= scale;
  constrain(k, x, value, slopes);
  return std::isfinite(value.cost);
}

void RobotProblem::add_joint_cost(int k, In x, double& cost, QpStage* slopes) {
  const int n = model().nv(), at_q = size(k).u, at_v = at_q + n;
  const Reference& r = reference(k);
  const Vector &w_q = weights_.position, &w_v = weights_.velocity;

  ulna::difference<double>(model(), r.q, q(x), error_);
  cost += 0.5 * error_.cwiseAbs2().dot(w_q);
  if (slopes) {
    if (!flat_) detail::difference_slope(model(), r.q, q(x), slope_);
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

  error_ = v(x) - r.v;
  cost += 0.5 * error_.cwiseAbs2().dot(w_v);
  if (slopes) {
    slopes->h.segment(at_v, n) += w_v.cwiseProduct(error_);
    slopes->H.diagonal().segment(at_v, n) += w_v;
  }
}

void RobotProblem::add_torque_cost(int k, double& cost, QpStage* slopes) {
  const int n = model().nv();
  const Vector& w = weights_.torque;
  error_ = motion_->tau - reference(k).tau;
  cost += 0.5 * error_.cwiseAbs2().dot(w);
  if (!slopes) return;
  if (const Eigen::MatrixXd* by = motion_->tau_slope()) {
    for (int i = 0; i < n; ++i) {
      const double root = std::sqrt(w(i));
      weighted_.row(i) = root * by->row(i), error_(i) *= root;
    }
    slopes->H.topLeftCorner(3 * n, 3 * n) += weighted_.transpose().lazyProduct(weighted_);
    slopes->h.head(3 * n) += weighted_.transpose().lazyProduct(error_);
  } else {
    slopes->h.head(n) += w.cwiseProduct(error_);
    slopes->H.diagonal().head(n) += w;
  }
}

void RobotProblem::add_frame_costs(int k, In x, double& cost, QpStage* slopes) {
  const int n = model().nv();
  bool placed = false;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& target = reference(k).frames[i];
    if (!target) continue;
    if (!placed) at_.set(q(x)), placed = true;
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
  const int n = model().nv();
  int row = 0;
  if (k < steps_)
    if (const Eigen::MatrixXd* by = motion_->tau_slope()) {
      value.g.head(n) = motion_->tau;
      if (slopes) slopes->G.topLeftCorner(n, 3 * n) = *by;
      row += n;
    }
  if (!flat_ && k > 0) {
    // joints of several coordinates have no limits of position
    for (const Joint& j : model().joints()) {
      if (j.mimics || velocity_size(j.type) == 0) continue;
      const bool single = velocity_size(j.type) == 1;
      for (int i = 0; i < velocity_size(j.type); ++i)
        value.g(row + j.v + i) = single ? x(j.q) : 0.0;
      if (slopes && single) slopes->G(row + j.v, size(k).u + j.v) = 1.0;
    }
    value.g.segment(row + n, n) = v(x);
    if (slopes) slopes->G.block(row + n, size(k).u + n, n, n).diagonal().setOnes();
    row += 2 * n;
  }
}

}  // namespace ulna
