#pragma once

#include <memory>
#include <span>

#include "control/robot/task.hpp"

namespace ulna::control::detail {

/// A step from a node to the next, and the torques it takes.
class StageMotion {
 public:
  using Vector = Eigen::VectorXd;

  explicit StageMotion(const Model& model) : StageMotion(model.nq(), model.nv()) {}
  StageMotion(int nq, int nv) : q_next(Vector::Zero(nq)), v_next(Vector::Zero(nv)) {}
  virtual ~StageMotion() = default;

  /// Before the steps of a trajectory are taken, for those that are taken together. False if one is not finite.
  virtual bool prepare(const Plant<double>&, std::span<const Vector> /*x*/,
                       std::span<const Vector> /*u*/, bool /*slopes*/) {
    return true;
  }
  /// Sets q_next, v_next and tau of the step from a node; false if they are not finite. F, where it is given: how
  /// (q_next, v_next) changes with (u, q, v), and with h if the final time is free.
  virtual bool step(const Plant<double>& plant, int node, In<double> q, In<double> v, In<double> u,
                    double h, OutMatrix<double>* F) = 0;

  bool torque_is_input() const { return tau_slope.size() == 0; }

  Vector q_next, v_next, tau = v_next;
  Eigen::MatrixXd tau_slope;  ///< how tau changes with (u, q, v); empty where u begins with tau
};

// Of a tree with loops, gaps and their rates are to be zero at the end of each step, and so each has two inputs more
// per row that see to it, and none is left for rows to contradict each other: forces λ through the loops at the
// beginning of a step; then those at its end, or what moves q to where they are closed.

/// u = tau, and a step of forward dynamics.
std::unique_ptr<StageMotion> forward_motion(const Task& task, const RobotProblemOptions& options);
/// u = a, and tau = ID(q, v, a). With closed dynamics, steps begin where Task::place has moved the robot.
std::unique_ptr<StageMotion> inverse_motion(Task& task);

}  // namespace ulna::control::detail
