#pragma once

#include "control/robot/task.hpp"

namespace ulna::control::detail {

/// The stage before the nodes: it has no state, and its inputs are by how much the first state leaves what was set,
/// in the directions that are free, and then the final time.
class FreeStart {
 public:
  explicit FreeStart(const Task& task)
      : q(neutral(task.model())),
        v(Eigen::VectorXd::Zero(task.model().nv())),
        task_(task),
        along_(Eigen::VectorXd::Zero(2 * v.size())),
        along_slope_(Eigen::MatrixXd::Zero(v.size(), 2 * v.size())),
        q_slope_(along_slope_) {
    along_slope_.rightCols(v.size()).setIdentity();
  }

  int inputs() const { return static_cast<int>(task_.free.size()) + (task_.timed ? 1 : 0); }
  bool evaluate(In<double> u, StageValue& value, QpStage* slopes) {
    const Model& model = task_.model();
    const int n = model.nv(), count = static_cast<int>(task_.free.size());
    along_.setZero();
    for (int i = 0; i < count; ++i) along_(task_.free[static_cast<std::size_t>(i)]) = u(i);
    integrate<double>(model, q, along_.head(n), value.next.head(model.nq()));
    value.next.segment(model.nq(), n) = v + along_.tail(n);
    if (task_.timed) value.next.tail(1) = u.tail(1);
    value.cost = 0.0;
    if (!slopes) return value.next.allFinite();
    StepSlopes::displace(model, q, along_.head(n), along_slope_, q_slope_);
    slopes->F.setZero();
    for (int i = 0; i < count; ++i) {
      const int dof = task_.free[static_cast<std::size_t>(i)];
      if (dof < n)
        slopes->F.col(i).head(n) = q_slope_.col(n + dof);
      else
        slopes->F(dof, i) = 1.0;
    }
    if (task_.timed) slopes->F(2 * n, count) = 1.0;
    return value.next.allFinite();
  }

  Eigen::VectorXd q, v;  ///< what was set

 private:
  const Task& task_;
  Eigen::VectorXd along_;
  Eigen::MatrixXd along_slope_, q_slope_;
};

}  // namespace ulna::control::detail
