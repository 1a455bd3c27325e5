#pragma once

#include "mpc/trial_sensors.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::mpc {

/// The supervisor of a trial with its operator: who resets it, brings the robot back to its motion, and keeps a diary.
class TrialSupervision {
 public:
  using Vector = Eigen::VectorXd;

  TrialSupervision(const Model& model, const MotionReference& reference,
                   const TrialOptions& options, TrialResult& result)
      : period_(1.0 / options.control.rate_hz),
        reset_after_(options.reset_after),
        result_(result),
        supervisor_(model, options_of(model, options)),
        reentry_(reference, supervisor_.limits().speed, supervisor_.limits().braking),
        way_([this](double time, Vector& q, Vector& v) { reentry_(time, q, v); }) {
    result_.events.reserve(most_events);
  }
  TrialSupervision(const TrialSupervision&) = delete;

  /// What the robot is to follow: the reference, and the way back to it.
  const MotionReference& way() const { return way_; }

  /// Whether the robot is led along its motion: neither stopped nor on its way back.
  bool follows(double time) const { return time >= reentry_.joined_at(); }

  /// The torques that the supervisor sends instead of those that are wanted. While it does not let the robot run, nothing
  /// is learned, and the controller plans to stay where the robot is.
  const Vector& filter(double time, const TrialSensors& sensors, const Vector& wanted,
                       IdentifyingController& controller) {
    const Vector& tau = supervisor_.filter(controller.plant(), time, sensors.time, sensors.q,
                                           sensors.v, sensors.tau, wanted);
    const supervise::State state = supervisor_.state();
    ++result_.supervised[std::size_t(state)];
    note();
    const bool runs = state == supervise::State::run;
    if (!runs)
      reentry_.stay(supervisor_.q());
    else if (reentry_.stays())
      reentry_.join(time, supervisor_.q(), supervisor_.v());
    stopped_for_ = runs ? 0.0 : stopped_for_ + period_;
    if (stopped_for_ > reset_after_) (void)supervisor_.reset();
    controller.sent(tau);
    controller.learn(runs);
    return tau;
  }

  void finish() {
    for (int c = 0; c < supervise::cause_count; ++c)
      result_.causes[std::size_t(c)] = supervisor_.count(supervise::Cause(c));
    result_.last_state = supervisor_.state();
    result_.last_report = supervisor_.report();
  }

 private:
  static constexpr std::size_t most_events = 4096;

  static supervise::Options options_of(const Model& model, const TrialOptions& options) {
    supervise::Options o = *options.supervision;
    if (!o.limits) o.limits.emplace(model, supervise::LimitDefaults{.trusted_planner = true});
    o.rate_hz = options.control.rate_hz;
    return o;
  }
  void note() {
    const supervise::EventLog& log = supervisor_.events();
    const auto more = int(std::min<std::int64_t>(log.total() - noted_, log.size()));
    for (int i = log.size() - more; i < log.size(); ++i)
      if (result_.events.size() < most_events) result_.events.push_back(log[i]);
    noted_ = log.total();
  }

  double period_, reset_after_;
  TrialResult& result_;
  supervise::Supervisor supervisor_;
  Reentry reentry_;
  MotionReference way_;
  double stopped_for_ = 0.0;  ///< s
  std::int64_t noted_ = 0;    ///< events
};

/// Measures what drives exert on hands that hold joints: what the links' motion takes less what reaches them from the
/// drives.
class GripMeter {
 public:
  explicit GripMeter(const Model& model)
      : effort_(model.effort_limit()),
        links_(model),
        motion_(model),
        ws_(model),
        needed_(effort_) {}

  void measure(rig::TestRig& robot, const std::vector<rig::Grip>& grips, TrialResult& result) {
    constexpr double impact = 0.02;  // s
    bool held = false;
    const auto holds = [&](const rig::Grip& grip) {
      return rig::Interval{grip.when.from + impact, grip.when.to}.contains(robot.now());
    };
    for (const rig::Grip& grip : grips) held |= holds(grip);
    if (!held) return;
    links_ = robot.plant();
    for (Eigen::VectorXd* x :
         {&links_.damping, &links_.friction, &links_.friction_negative, &links_.armature})
      x->setZero();
    motion_.set(robot.q(), robot.v(), robot.acceleration());
    inverse_dynamics<double>(links_, motion_, ws_, needed_);
    needed_ -= robot.link_torque();
    for (const rig::Grip& grip : grips)
      for (Eigen::Index i = 0; i < needed_.size() && holds(grip); ++i)
        if (grip.coordinate < 0 || grip.coordinate == i)
          result.largest_grip = std::max(result.largest_grip, std::abs(needed_(i)) / effort_(i));
  }

 private:
  Eigen::VectorXd effort_;
  Plant<double> links_;
  Motion<double> motion_;
  Workspace<double> ws_;
  Eigen::VectorXd needed_;
};

}  // namespace ulna::mpc
