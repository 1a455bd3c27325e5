#pragma once

#include <algorithm>
#include <utility>

#include "mpc/driven_dynamics.hpp"
#include "mpc/frame_targets.hpp"
#include "mpc/friction_compensator.hpp"
#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

/// Beyond a million, no number is an angle, a length or a rate of one; NaN is not below it either.
inline bool is_plausible(const Eigen::Ref<const Eigen::VectorXd>& x) {
  return (x.array().abs() < 1e6).all();
}

inline bool is_plausible(double x) { return std::abs(x) < 1e6; }

/// Plans by the real-time iteration [Diehl et al. 2005]: `prepare` before the state is measured, `plan` as
/// soon as it is. Plans are for a robot without dry friction, which would make them jump.
class Planner {
 public:
  using Vector = Eigen::VectorXd;
  using Clock = control::Sqp::Clock;

  Planner(const Plant<double>& plant, const ControllerOptions& options)
      : plant_(without_dry_friction(plant)),
        inputs_are_torques_(options.problem.transcription ==
                            control::Transcription::forward_dynamics),
        problem_(plant_, options.problem),
        sqp_(problem_),
        targets_(options.problem.frames.size()),
        deadline_(options.deadline),
        goal_(plant.model().nv()),
        dynamics_(plant.model()),
        times_{0.0} {
    for (const double h : problem_.durations()) times_.push_back(times_.back() + h);
    const Eigen::Index n = plant.model().nv(), nodes = std::ssize(times_);
    x_.setZero(2 * dynamics_.size());
    q_planned_.setZero(n), v_planned_ = a_planned_ = v_next_ = contact_torque_ = q_planned_;
    a_reference_.setZero(n), tau_reference_.setZero(n);
    q_references_.setZero(n, nodes), v_references_.setZero(n, nodes);
  }

  void follow(MotionReference reference) { reference_ = std::move(reference); }

  /// To a goal and at rest there, from the reference of a time, or where there is none, from (q, v).
  void go_to(double time, double moment, const Vector& q, const Vector& v, GoalMotion::In goal,
             GoalMotion::In velocity, GoalMotion::In acceleration) {
    q_planned_ = q, v_planned_ = v;
    a_reference_.setZero();
    if (refer(time + moment)) {
      a_reference_ = v_reference_;
      if (refer(time)) q_planned_ = q_reference_, v_planned_ = v_reference_;
      a_reference_ = (a_reference_ - v_planned_) / moment;
    }
    goal_.set(time, q_planned_, v_planned_, a_reference_, goal, velocity, acceleration);
    reference_ = [motion = &goal_](double t, Vector& q_to, Vector& v_to) {
      motion->at(t, q_to, v_to);
    };
  }
  double goal_reached_at() const { return goal_.end(); }

  void set_plant(const Plant<double>& plant) {
    plant_ = plant;
    remove_dry_friction(plant_);
    problem_.set_plant(plant_);
  }

  void set_deadline(std::optional<double> seconds) { deadline_ = seconds; }
  /// N along the normal of the problem's contact; 0: it does not touch.
  void press(double force) {
    problem_.set_contact(force);
    presses_ = force > 0.0;
  }
  bool presses() const { return presses_; }
  /// J'f of the force that the last torque was planned with.
  const Vector& contact_torque() const { return contact_torque_; }
  FrameTargets& targets() { return targets_; }
  control::RobotProblem& problem() { return problem_; }
  const control::RobotProblem& problem() const { return problem_; }

  /// References and derivatives for an action at a time, if there is a plan already.
  void prepare(double time) noexcept {
    if (begun_) prepared_ = set_references(time) && sqp_.prepare();
  }

  /// Whether there is a plan from (q, v). The first is solved to convergence.
  bool plan(double time, const Vector& q, const Vector& v) noexcept {
    dynamics_.gather(q, x_.head(dynamics_.size())), dynamics_.gather(v, x_.tail(dynamics_.size()));
    fault_ = ActionFault::none;
    // what failed in `prepare` may succeed now
    const bool failed_before = std::exchange(reference_failed_, false);
    bool planned = false;
    if (!prepared_ && !set_references(time)) {
      reference_failed_ = false;
      fault_ = ActionFault::no_reference;
    } else {
      planned = begun_ ? feedback() : begin(q, v);
      if (planned && !is_finite()) {
        begun_ = planned = false;
        fault_ = ActionFault::not_solved;
      }
      if (failed_before && planned) fault_ = ActionFault::no_reference;
    }
    if (planned) {
      planned_at_ = time;
      planned = problem_.joints(1, sqp_.trajectory.x[1], q_planned_, v_next_);
      if (!planned) fault_ = ActionFault::not_solved;
    }
    prepared_ = false;
    return planned;
  }

  /// Of the last `plan`, or of the `prepare` before it.
  ActionFault fault() const { return fault_; }
  /// The next `plan` fails as if the solver had.
  void fail_next() { failing_ = true; }

  /// The next plan is the first.
  void reset() { begun_ = prepared_ = false; }
  bool has_plan() const { return begun_; }
  double planned_at() const { return planned_at_; }
  const control::Trajectory& trajectory() const { return sqp_.trajectory; }
  const control::SqpReport& report() const { return sqp_.report(); }
  /// The torque that the plan has for a time.
  void torque(double time, Vector& tau) {
    const double passed = time - planned_at_;
    std::size_t k = 0;
    while (k + 2 < times_.size() && times_[k + 1] <= passed) ++k;
    const control::Trajectory& plan = sqp_.trajectory;
    if (inputs_are_torques_) {
      tau = plan.u[k];
    } else {
      const int n = dynamics_.size();
      dynamics_.spread(plan.x[k].head(n), q_planned_);
      dynamics_.spread(plan.x[k].tail(n), v_planned_);
      dynamics_.spread(plan.u[k].head(n), a_planned_);
      dynamics_.inverse(plant_, q_planned_, v_planned_, a_planned_, tau);
      problem_.contact_torque(int(k), q_planned_, plan.u[k], contact_torque_);
      tau -= contact_torque_;
    }
  }

  /// At the end of the first step.
  const Vector& planned_velocity() const { return v_next_; }
  /// In the first step, where inputs are accelerations.
  const Vector& planned_acceleration() {
    dynamics_.spread(sqp_.trajectory.u[0].head(dynamics_.size()), a_planned_);
    return a_planned_;
  }

 private:
  /// All of them or none: a function that fails in the middle of a horizon leaves the problem as it was.
  bool set_references(double time) noexcept {
    bool good = true;
    for (Eigen::Index k = 0; good && k < q_references_.cols(); ++k) {
      good = refer(time + times_[k]) && set_targets(time + times_[k], k);
      if (good) q_references_.col(k) = q_reference_, v_references_.col(k) = v_reference_;
    }
    reference_failed_ |= !good;
    if (!good) return false;
    for (Eigen::Index k = 0; k < q_references_.cols(); ++k) {
      problem_.set_reference(int(k), q_references_.col(k), v_references_.col(k));
      if (k + 1 < q_references_.cols()) set_torque_reference(k);
    }
    return true;
  }

  /// The reference of a time; false if there is none that a robot could follow.
  bool refer(double time) noexcept {
    const Eigen::Index n = q_references_.rows();
    if (!reference_) return false;
    try {
      q_reference_.resize(n), v_reference_.resize(n);
      reference_(time, q_reference_, v_reference_);
    } catch (...) {
      return false;
    }
    return q_reference_.size() == n && v_reference_.size() == n && is_plausible(q_reference_) &&
           is_plausible(v_reference_) && dynamics_.close(q_reference_, v_reference_);
  }

  /// Of all frames, at a node.
  bool set_targets(double time, Eigen::Index node) noexcept {
    try {
      for (int task = 0; task < targets_.size(); ++task) {
        if (!targets_.is_set(task)) {
          problem_.clear_target(task, int(node));
          continue;
        }
        const Transform<double> X = targets_.at(task, time);
        if (!is_plausible(X.translation()) || !X.rotation().matrix().allFinite()) return false;
        problem_.set_target(task, int(node), X);
      }
    } catch (...) {
      return false;
    }
    return true;
  }

  /// What the reference itself needs, so that following it exactly costs nothing.
  void set_torque_reference(Eigen::Index k) {
    a_reference_ = (v_references_.col(k + 1) - v_references_.col(k)) / (times_[k + 1] - times_[k]);
    dynamics_.inverse(plant_, q_references_.col(k), v_references_.col(k), a_reference_,
                      tau_reference_);
    problem_.set_torque_reference(int(k), tau_reference_);
  }

  bool is_finite() const {
    return sqp_.trajectory.u[0].allFinite() && sqp_.trajectory.x[1].allFinite();
  }

  bool begin(const Vector& q, const Vector& v) {
    try {
      sqp_.trajectory = problem_.guess(q, v);
      const control::SqpStatus status = sqp_.solve(x_).status;
      begun_ = status == control::SqpStatus::solved || status == control::SqpStatus::limited;
    } catch (const std::exception&) {
      begun_ = false;  // loops that are open at q, say
    }
    if (!begun_) fault_ = ActionFault::not_solved;
    return begun_;
  }

  bool feedback() {
    if (!prepared_ && !sqp_.prepare()) {
      fault_ = ActionFault::not_prepared;
      return false;
    }
    control::Sqp::Deadline deadline;
    if (deadline_)
      deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(*deadline_));
    if (std::exchange(failing_, false)) {
      fault_ = ActionFault::not_solved;
      return false;
    }
    const control::SqpReport& report = sqp_.feedback(x_, deadline);
    const bool usable =
        report.status == control::SqpStatus::solved || report.status == control::SqpStatus::limited;
    if (!usable)
      fault_ =
          report.qp == control::QpStatus::limited ? ActionFault::late : ActionFault::not_solved;
    else if (deadline && Clock::now() > *deadline)
      fault_ = ActionFault::late;
    return usable;
  }

  Plant<double> plant_;  ///< without dry friction
  bool inputs_are_torques_;
  control::RobotProblem problem_;
  control::Sqp sqp_;
  FrameTargets targets_;
  MotionReference reference_;
  std::optional<double> deadline_;
  GoalMotion goal_;
  DrivenDynamics dynamics_;
  std::vector<double> times_;  ///< of the nodes after now
  Vector x_, q_reference_, v_reference_, a_reference_, tau_reference_;
  Vector q_planned_, v_planned_, a_planned_, v_next_, contact_torque_;
  bool presses_ = false;
  Eigen::MatrixXd q_references_, v_references_;  ///< a column for each node
  ActionFault fault_ = ActionFault::none;
  bool begun_ = false, prepared_ = false, failing_ = false;
  bool reference_failed_ = false;  ///< since the last plan
  double planned_at_ = 0.0;
};

}  // namespace ulna::mpc
