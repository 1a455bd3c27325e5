#pragma once

#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

/// Plans by the real-time iteration [Diehl et al. 2005]: `prepare` before the state is measured, `plan` as
/// soon as it is. Plans are for a robot without dry friction, which would make them jump.
class Planner {
 public:
  using Vector = Eigen::VectorXd;

  Planner(const Plant<double>& plant, const ControllerOptions& options);

  void follow(MotionReference reference) { reference_ = std::move(reference); }
  void set_plant(const Plant<double>& plant);
  void set_deadline(std::optional<double> seconds) { deadline_ = seconds; }

  /// References and derivatives for an action at a time, if there is a plan already.
  void prepare(double time) noexcept;
  /// Whether there is a plan from (q, v). The first is solved to convergence.
  bool plan(double time, const Vector& q, const Vector& v) noexcept;
  /// Of the last `plan`, or of the `prepare` before it.
  ActionFault fault() const { return fault_; }
  /// The next `plan` fails as if the solver had.
  void fail_next() { failing_ = true; }

  bool has_plan() const { return begun_; }
  double planned_at() const { return planned_at_; }
  const control::Trajectory& trajectory() const { return sqp_.trajectory; }
  const control::SqpReport& report() const { return sqp_.report(); }
  /// The state that the plan has for a time in its first step.
  void expected_state(double time, Vector& q, Vector& v) const;
  /// The torque that the plan has for a time.
  void torque(double time, Vector& tau);
  /// At the end of the first step.
  auto planned_velocity() const { return sqp_.trajectory.x[1].tail(plant_.model().nv()); }

 private:
  bool set_references(double time) noexcept;
  bool begin(const Vector& q, const Vector& v);
  bool feedback();

  Plant<double> plant_;  ///< without dry friction
  bool inputs_are_torques_;
  control::RobotProblem problem_;
  control::Sqp sqp_;
  MotionReference reference_;
  std::optional<double> deadline_;
  Motion<double> motion_;
  Workspace<double> ws_;
  std::vector<double> times_;  ///< of the nodes after now
  Vector x_, q_reference_, v_reference_;
  Eigen::MatrixXd q_references_, v_references_;  ///< a column for each node
  ActionFault fault_ = ActionFault::none;
  bool begun_ = false, prepared_ = false, failing_ = false;
  bool reference_failed_ = false;  ///< since the last plan
  double planned_at_ = 0.0;
};

}  // namespace ulna::mpc
