#pragma once

#include "control/robot/state_space.hpp"
#include "control/robot/terms.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna::control::detail {

/// Squares of how far frames are from their targets, and turned away from them. Throws std::invalid_argument for
/// negative weights.
class FrameCost : public CostTerm {
 public:
  FrameCost(Task& task, const std::vector<FrameTask>& frames)
      : CostTerm(task), tasks_(frames), at_(task.model()), J_(Eigen::MatrixXd::Zero(6, nv())) {
    for (const FrameTask& each : tasks_) {
      if (!(each.position >= 0.0 && each.orientation >= 0.0))
        throw std::invalid_argument("robot problem: the task of frame '" + each.frame +
                                    "' has a negative weight");
      frames_.push_back(&at_.model().frame(each.frame));
    }
  }

  void add(const Point& at, double& cost, QpStage* slopes) override {
    const int n = nv(), at_q = task_.inputs(at.node);
    bool placed = false;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto& target = task_.reference(at.node).frames[i];
      if (!target) continue;
      if (!placed) at_.set(at.q), placed = true;
      const Transform<double> X = at_.pose(*frames_[i]);
      const Vec3<double> apart = X.translation() - target->translation(),
                         turn = (target->rotation().inverse() * X.rotation()).log();
      const double w_p = tasks_[i].position, w_r = tasks_[i].orientation;
      cost += 0.5 * (w_p * apart.squaredNorm() + w_r * turn.squaredNorm());
      if (!slopes) continue;
      frame_jacobian<double>(at_, *frames_[i], Axes::aligned, J_);
      // the turn is in the axes of the frame, the Jacobian in those of the world
      const Mat3<double> D = rotation_log_slope(turn) * X.rotation().matrix().transpose();
      auto angular = J_.topRows<3>(), linear = J_.bottomRows<3>();
      for (int c = 0; c < n; ++c) angular.col(c) = (D * angular.col(c)).eval();
      auto H = slopes->H.block(at_q, at_q, n, n);
      H += w_p * linear.transpose().lazyProduct(linear);
      H += w_r * angular.transpose().lazyProduct(angular);
      slopes->h.segment(at_q, n) += w_p * (linear.transpose().lazyProduct(apart));
      slopes->h.segment(at_q, n) += w_r * (angular.transpose().lazyProduct(turn));
    }
  }

 private:
  std::vector<FrameTask> tasks_;
  std::vector<const Frame*> frames_;
  Kinematics<double> at_;
  Eigen::MatrixXd J_;
};

}  // namespace ulna::control::detail
