#pragma once

#include "control/robot/task.hpp"

namespace ulna::control::detail {

/// The stage before the nodes: it has no state, and its inputs are by how much the first state leaves what was set,
/// in the directions that are free, and then the final time.
class FreeStart {
 public:
  explicit FreeStart(const Task& task);

  int inputs() const { return static_cast<int>(task_.free.size()) + (task_.timed ? 1 : 0); }
  bool evaluate(In<double> u, StageValue& value, QpStage* slopes);

  Eigen::VectorXd q, v;  ///< what was set

 private:
  const Task& task_;
  Eigen::VectorXd along_;
  Eigen::MatrixXd along_slope_, q_slope_;
};

}  // namespace ulna::control::detail
