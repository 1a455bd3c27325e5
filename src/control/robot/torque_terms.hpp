#pragma once

#include "control/robot/terms.hpp"

namespace ulna::control::detail {

/// ½ |tau - tau_r|², in every step.
class TorqueCost : public CostTerm {
 public:
  explicit TorqueCost(Task& task)
      : CostTerm(task),
        error_(Eigen::VectorXd::Zero(nv())),
        weighted_(Eigen::MatrixXd::Zero(nv(), task.inputs(0) + 2 * nv())) {}

  void add(const Point& at, double& cost, QpStage* slopes) override {
    if (at.node == task_.steps) return;
    const int n = nv();
    const Eigen::VectorXd& w = task_.weights.torque;
    error_ = at.motion.tau - task_.reference(at.node).tau;
    cost += 0.5 * error_.cwiseAbs2().dot(w);
    if (!slopes) return;
    if (const Eigen::MatrixXd* by = at.motion.tau_slope()) {
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

 private:
  Eigen::VectorXd error_;
  Eigen::MatrixXd weighted_;
};

/// Bounds of inputs where these are the torques, otherwise constraints. The first of all rows of g.
class TorqueLimits : public ConstraintTerm {
 public:
  /// `torque_is_input`: u begins with the torques; otherwise they follow from it.
  TorqueLimits(Task& task, bool torque_is_input)
      : ConstraintTerm(task), torque_is_input_(torque_is_input) {}

  int rows(int node) const override { return node < task_.steps && !torque_is_input_ ? nv() : 0; }

  void evaluate(const Point& at, StageValue& value, QpStage* slopes) override {
    if (rows(at.node) == 0) return;
    const Eigen::MatrixXd& by = *at.motion.tau_slope();
    value.g.segment(first(at.node), nv()) = at.motion.tau;
    if (slopes) slopes->G.block(first(at.node), 0, nv(), by.cols()) = by;
  }

  void bound(int node, Bounds& b) const override {
    if (node == task_.steps) return;
    const int row = torque_is_input_ ? 0 : first_bound(node);
    b.lower.segment(row, nv()) = -task_.limits.torque;
    b.upper.segment(row, nv()) = task_.limits.torque;
  }

 private:
  bool torque_is_input_;
};

}  // namespace ulna::control::detail
