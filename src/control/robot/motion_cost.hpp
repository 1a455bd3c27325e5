#pragma once

#include "control/robot/stage_motion.hpp"
#include "control/squares.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna::control::detail {

/// A node at which costs and constraints are evaluated.
struct Point {
  int node;
  Eigen::Ref<const Eigen::VectorXd> q, v, u;
  const StageMotion& motion;  ///< from here to the next node; of the last node, nothing
};

/// ½ |q ⊟ q_r|² + ½ |v - v_r|² + ½ |tau - tau_r|², the latter in steps only, and half the squares of how far frames
/// are from their targets and turned away from them.
class MotionCost {
 public:
  /// Throws std::invalid_argument for negative weights of frames.
  MotionCost(Task& task, const std::vector<FrameTask>& frames)
      : task_(task),
        n_(task.nv()),
        error_(Eigen::VectorXd::Zero(n_)),
        position_slope_(Eigen::MatrixXd::Identity(n_, n_)),
        weighted_(Eigen::MatrixXd::Zero(filled_up(task.inputs(0) + 2 * n_), n_)),
        squares_(Eigen::MatrixXd::Zero(weighted_.rows(), task.inputs(0) + 2 * n_)),
        frame_tasks_(frames),
        at_(task.model()),
        J_(Eigen::MatrixXd::Zero(6, n_)),
        all_J_(Eigen::MatrixXd::Zero(6, task.model().nv())) {
    for (const FrameTask& each : frames) {
      messages::require(each.position >= 0.0 && each.orientation >= 0.0,
                        "robot problem: the task of frame '", each.frame,
                        "' has a negative weight");
      frames_.push_back(&at_.model().frame(each.frame));
    }
  }

  /// The cost times `scale`, a duration. Where `slopes` is given, adds to its H and h, in the order (u, q, v).
  double operator()(const Point& at, double scale, QpStage* slopes) {
    double cost = 0.0;
    scale_ = scale;
    add_positions(at, cost, slopes);
    add_velocities(at, cost, slopes);
    if (at.node < task_.steps) add_torques(at, cost, slopes);
    if (at.node < task_.steps && task_.contact) add_press(at, cost, slopes);
    if (!frames_.empty()) add_frames(at, cost, slopes);
    return scale * cost;
  }

 private:
  void add_positions(const Point& at, double& cost, QpStage* slopes) {
    const Eigen::VectorXd& w = task_.weights.position;
    task_.position_error(at.node, at.q, error_, slopes ? &position_slope_ : nullptr);
    cost += 0.5 * error_.cwiseAbs2().dot(w);
    if (!slopes) return;
    if (task_.closed) {
      const int at_q = task_.inputs(at.node);
      slopes->h.segment(at_q, n_) += scale_ * w.cwiseProduct(error_);
      slopes->H.diagonal().segment(at_q, n_) += scale_ * w;
      return;
    }
    for (const Joint& j : task_.model().joints()) {
      if (j.mimics) continue;
      const int m = velocity_size(j.type), first = task_.inputs(at.node) + j.v;
      for (int i = j.v; i < j.v + m; ++i)
        for (int a = 0; a < m; ++a) {
          const double along = scale_ * w(i) * position_slope_(i, j.v + a);
          slopes->h(first + a) += along * error_(i);
          for (int b = 0; b < m; ++b)
            slopes->H(first + a, first + b) += along * position_slope_(i, j.v + b);
        }
    }
  }

  void add_velocities(const Point& at, double& cost, QpStage* slopes) {
    const Eigen::VectorXd& w = task_.weights.velocity;
    error_ = at.v - task_.reference(at.node).v;
    cost += 0.5 * error_.cwiseAbs2().dot(w);
    if (!slopes) return;
    const int at_v = task_.inputs(at.node) + n_;
    slopes->h.segment(at_v, n_) += scale_ * w.cwiseProduct(error_);
    slopes->H.diagonal().segment(at_v, n_) += scale_ * w;
  }

  void add_torques(const Point& at, double& cost, QpStage* slopes) {
    const Eigen::VectorXd& w = task_.weights.torque;
    error_ = at.motion.tau - task_.reference(at.node).tau;
    cost += 0.5 * error_.cwiseAbs2().dot(w);
    if (!slopes) return;
    if (at.motion.torque_is_input()) {
      slopes->h.head(n_) += scale_ * w.cwiseProduct(error_);
      slopes->H.diagonal().head(n_) += scale_ * w;
      return;
    }
    const Eigen::Index all = squares_.cols();
    for (int i = 0; i < n_; ++i) {
      const double root = std::sqrt(scale_ * w(i));
      weighted_.col(i).head(all) = root * at.motion.tau_slope.row(i).transpose();
      slopes->h.head(all) += root * error_(i) * weighted_.col(i).head(all);
    }
    set_squares(weighted_.data(), int(all), n_, squares_.data());
    for (Eigen::Index c = 0; c < all; ++c) {
      slopes->H.col(c).segment(c, all - c) += squares_.col(c).segment(c, all - c);
      slopes->H.row(c).segment(c, all - c) = slopes->H.col(c).segment(c, all - c);
    }
  }

  void add_press(const Point& at, double& cost, QpStage* slopes) {
    const double w = task_.contact->task.weight,
                 missing = at.u(n_) - task_.reference(at.node).press;
    cost += 0.5 * w * missing * missing;
    if (slopes) slopes->h(n_) += scale_ * w * missing, slopes->H(n_, n_) += scale_ * w;
  }

  void add_frames(const Point& at, double& cost, QpStage* slopes) {
    const int at_q = task_.inputs(at.node);
    bool placed = false;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const auto& target = task_.reference(at.node).frames[i];
      if (!target) continue;
      if (!placed && task_.closed)
        at_.set(task_.closed->q());
      else if (!placed)
        at_.set(at.q);
      placed = true;
      const Transform<double> X = at_.pose(*frames_[i]);
      const Vec3<double> apart = X.translation() - target->translation(),
                         turn = (target->rotation().inverse() * X.rotation()).log();
      const double w_p = frame_tasks_[i].position, w_r = frame_tasks_[i].orientation;
      cost += 0.5 * (w_p * apart.squaredNorm() + w_r * turn.squaredNorm());
      if (!slopes) continue;
      if (task_.closed) {
        frame_jacobian<double>(at_, *frames_[i], Axes::aligned, all_J_);
        J_.noalias() = all_J_.lazyProduct(task_.closed->N());
      } else {
        frame_jacobian<double>(at_, *frames_[i], Axes::aligned, J_);
      }
      // the turn is in the axes of the frame, the Jacobian in those of the world
      const Mat3<double> D = rotation_log_slope(turn) * X.rotation().matrix().transpose();
      auto angular = J_.topRows<3>(), linear = J_.bottomRows<3>();
      for (int c = 0; c < n_; ++c) angular.col(c) = (D * angular.col(c)).eval();
      auto H = slopes->H.block(at_q, at_q, n_, n_);
      auto h = slopes->h.segment(at_q, n_);
      H += (scale_ * w_p) * linear.transpose().lazyProduct(linear);
      H += (scale_ * w_r) * angular.transpose().lazyProduct(angular);
      h += (scale_ * w_p) * linear.transpose().lazyProduct(apart);
      h += (scale_ * w_r) * angular.transpose().lazyProduct(turn);
    }
  }

  /// How the rotation vector r of a turn changes per unit of angular velocity in the turned frame: the inverse of
  /// the right Jacobian [Solà, Deray, Atchuthan 2018, eq. 144].
  static Mat3<double> rotation_log_slope(const Vec3<double>& r) {
    const Mat3<double> W = skew(r);
    return Mat3<double>::Identity() + 0.5 * W +
           ulna::detail::inverse_g_coefficient(r.squaredNorm()) * W * W;
  }

  Task& task_;
  int n_;
  double scale_ = 1.0;
  Eigen::VectorXd error_;
  Eigen::MatrixXd position_slope_, weighted_, squares_;
  std::vector<FrameTask> frame_tasks_;
  std::vector<const Frame*> frames_;
  Kinematics<double> at_;
  Eigen::MatrixXd J_, all_J_;
};

}  // namespace ulna::control::detail
