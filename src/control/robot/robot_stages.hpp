#pragma once

#include "control/robot/constraint_terms.hpp"
#include "ulna/derivatives/second_derivatives.hpp"

namespace ulna::control::detail {

/// The stages of a robot's problem: where each leads, what it costs and what it keeps to.
class RobotStages {
 public:
  using Vector = Eigen::VectorXd;

  RobotStages(Plant<double> plant, const RobotProblemOptions& options);

  /// Of the stage before the nodes, if there is one, and of the nodes; rows of g in the order of the terms.
  const std::vector<StageSize>& sizes() const { return sizes_; }
  /// Stages before the nodes.
  int leading() const { return task.timed || !task.free.empty() ? 1 : 0; }
  /// Of the Lagrangian: in inverse dynamics, where q is a plain vector and nothing but joints and torques count.
  bool has_exact_hessian() const { return second_.has_value(); }

  void bound(int node, Bounds& bounds) const;
  /// Torques alone, whose term is the first.
  void bound_torques(int node, Bounds& bounds) const {
    constraints_.front()->bound(node, task.inputs(node) + task.states(), bounds);
  }
  /// What is given of the last state alone.
  void bound_end(Bounds& bounds) const;
  /// The input that holds the robot still: torques, and forces through loops where there are any.
  void rest(In<double> tau, In<double> lambda, Out<double> u) const;

  /// Values, and where `stages` is given, derivatives; with multipliers, the exact Hessian where there is one.
  bool evaluate(const Trajectory& at, std::vector<StageValue>& values,
                std::vector<QpStage>* stages = nullptr, const Multipliers* multipliers = nullptr);

  Task task;
  Vector start_q, start_v;  ///< what was set of the first state, where not all of it is given

 private:
  bool evaluate_start(In<double> u, StageValue& value, QpStage* slopes);
  bool evaluate(int node, const Vector& x, const Vector& u, StageValue& value, QpStage* slopes);
  bool step(int node, double h, const Vector& x, const Vector& u, StageValue& value,
            QpStage* slopes);
  void add_time_slopes(int node, double h, double cost, QpStage& slopes) const;
  void add_torque_curvature(int node, const Vector& x, const Vector& u, const Vector& rows,
                            QpStage& slopes);

  std::unique_ptr<StageMotion> motion_;
  MotionCost cost_;
  std::vector<std::unique_ptr<ConstraintTerm>> constraints_;
  std::vector<StageSize> sizes_;
  // of the stage before the nodes
  Vector along_;
  Eigen::MatrixXd along_slope_, q_slope_ = along_slope_;
  /// Second derivatives of torques, for exact Hessians.
  struct SecondOrder {
    explicit SecondOrder(const Model& model) : motion(model), ws(model), tau(model) {}
    Kinematics<double> motion;
    SecondDerivativeWorkspace<double> ws;
    InverseDynamicsSecondDerivatives<double> tau;
  };
  std::optional<SecondOrder> second_;
  Vector error_ = task.at_rest;
  Eigen::MatrixXd slope_ = Eigen::MatrixXd::Zero(task.nv(), task.nv());
};

}  // namespace ulna::control::detail
