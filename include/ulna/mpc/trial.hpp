#pragma once

#include <array>

#include "ulna/mpc/elastic_controller.hpp"
#include "ulna/mpc/reentry.hpp"
#include "ulna/rig/test_rig.hpp"
#include "ulna/supervise/supervisor.hpp"

namespace ulna::mpc {

/// From rest at one place to rest at another in some seconds, then waving about it: joint i by
/// amplitude(i) at hz(i), beginning smoothly.
MotionReference reach_and_wave(const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                               double seconds, const Eigen::VectorXd& amplitude,
                               const Eigen::VectorXd& hz);

/// The same motion of a robot whose loops are closed: of a reference the joints that move the others count, which follow. A place
/// that the loops do not reach stays as it was. Without loops, the reference itself.
MotionReference keep_closed(const Model& model, MotionReference reference);

/// Which parameters the controller computes with.
enum class Knowledge {
  identified,   ///< its model's at first, then what it identifies
  offset_free,  ///< its model's, with an observer of what they do not explain
  fixed,        ///< its model's
  perfect,      ///< the robot's true ones, always
};
const char* to_string(Knowledge knowledge);

enum class ControlLaw {
  mpc,
  computed_torque,  ///< M (a_ref + Kd dv + Kp dq) + c + g of the same model
  gravity_pd,       ///< g + Kd dv + Kp dq
};
const char* to_string(ControlLaw law);

/// Something that goes wrong for a while.
struct TrialFault {
  enum class Kind { sensor_nan, sensor_dropped, deadline_missed, solver_failed };
  Kind kind = Kind::sensor_nan;
  double from = 0.0, to = 0.0;  ///< s
};
const char* to_string(TrialFault::Kind kind);

/// A six-axis sensor in the joint of a body. Where there is one, accelerations are measured too.
struct WrenchSensor {
  int body = 0;
  double moment_noise = 0.01, force_noise = 0.1;  ///< Nm, N
};

struct TrialOptions {
  double duration = 10.0;
  ControlLaw law = ControlLaw::mpc;
  Knowledge knowledge = Knowledge::identified;
  ControllerOptions control = {};
  double stiffness = 100.0;  ///< 1/s², of the laws that are not MPC; damping is critical
  /// Of a robot with elastic joints.
  DriveControl drives = DriveControl::plan;
  double bandwidth = 40.0;       ///< rad/s, of DriveControl::plan
  double rests_from = infinity;  ///< s: from then on the reference rests, and vibration counts
  rig::PlantKind plant = rig::PlantKind::ulna;  ///< what simulates the robot
  SimulationOptions simulation = {};
  rig::MujocoOptions mujoco = {};
  SensorsOptions sensors = {};  ///< read once a period
  rig::Reality reality = {};    ///< in what the robot differs
  std::vector<WrenchSensor> wrench_sensors = {};
  /// Where given, a supervisor stands between the controller and the robot; its rate is the controller's. When it lets the
  /// robot go on after a stop, the robot returns to the reference by a Reentry.
  std::optional<supervise::Options> supervision = {};
  /// s after which a supervisor that has stopped the robot is reset, once the reason is over, as an operator would.
  double reset_after = infinity;
  Eigen::VectorXd q0 = {};  ///< where the robot begins at rest; empty: where the reference does
  Schedule changes = {};    ///< of the true robot
  std::vector<TrialFault> faults = {};
  /// Torques act as late as they are computed, by the clock of the machine: then no two trials are the same.
  bool late_actions = false;
  double skipped_updates = 0.0;         ///< chance that a period is without the controller's update
  std::vector<double> count_from = {};  ///< errors are also reported from these times on
  double record_hz = 100.0;
  /// How many allocations the program has made so far, if somebody counts them.
  std::function<long()> allocations = {};
};

/// The course of a trial at record_hz: one column a moment.
struct TrialRecord {
  Eigen::VectorXd time;
  Eigen::MatrixXd q, q_reference, tau;       ///< true
  Eigen::MatrixXd q_measured, tau_measured;  ///< what the controller received
  Eigen::MatrixXd mass, true_mass;  ///< of each body, kg: in the controller's model, and in truth
  Eigen::MatrixXd dry, true_dry;    ///< friction of each joint, Nm
  Eigen::VectorXi kind;             ///< ActionKind
};

/// Errors of position, rad.
struct TrackingError {
  double rms = 0.0;                   ///< root of the mean over time and joints of squares
  std::vector<double> rms_from = {};  ///< the same from TrialOptions::count_from on
  double largest = 0.0;               ///< of a joint
  double final = 0.0;                 ///< the largest at the end
  /// Where there is a supervisor: for how long, s, it kept the robot from its motion, or the robot was on its way back, from the first of
  /// TrialOptions::count_from on (or at all), and the root mean square of the rest.
  double kept_away = 0.0, rms_following = 0.0;
};

/// Of a step of the controller, all of it, in microseconds.
struct StepTimes {
  double mean = 0.0, p50 = 0.0, p95 = 0.0, p99 = 0.0, max = 0.0;
  double act_p50 = 0.0, identify_p50 = 0.0;
  long deadline_misses = 0;  ///< steps that took longer than a period
};

/// How links move on after they should rest, for a second: root mean square about their mean.
struct Vibration {
  double joints = 0.0;  ///< rad, of the worst joint
  double tip = 0.0;     ///< m, of tip_frame
};

struct TrialResult {
  bool finished = false;  ///< false: the simulation could not go on, for the reason in `status`
  SimulationStatus status = SimulationStatus::moved;
  long steps = 0;
  TrackingError error = {};
  StepTimes times = {};
  std::optional<Vibration> vibration = {};  ///< of robots with elastic joints that come to rest
  std::array<long, 3> actions = {};         ///< by ActionKind
  std::array<long, 7> faults = {};          ///< by ActionFault
  long torque_breaches = 0;                 ///< commanded torques beyond the limits, or not finite
  long changes_noticed = 0;
  long restarts = 0;  ///< of the estimator, whose numbers had become none
  /// Where there is a supervisor: steps by its state, how many times each cause has begun, when causes began and ended
  /// (the first few thousand), its state at the end, and its last report.
  std::array<long, 4> supervised = {};
  std::array<long, supervise::cause_count> causes = {};
  std::vector<supervise::Event> events = {};
  supervise::State last_state = supervise::State::run;
  std::string last_report = {};
  /// Of a drive against a hand that holds its joint, as a multiple of its effort limit; the first 20 ms, in which the hand
  /// stops the links, do not count.
  double largest_grip = 0.0;
  double largest_speed = 0.0;   ///< of a joint, as a multiple of its limit
  double largest_torque = 0.0;  ///< the same, of the drives
  long saturated = 0;           ///< steps in which a drive was at its limit
  Payload payload = {};  ///< of ControllerOptions::payload_body, at the end, where it identifies
  /// While the controller acted and updated, and the robot moved; the first step apart.
  long allocations = 0;
  bool consistent_always = true;
  Plant<double> estimated, truth;  ///< at the end
  Eigen::VectorXd z = {};          ///< of the estimator, at the end
  TrialRecord record = {};

  long count(ActionKind kind) const { return actions[std::size_t(kind)]; }
  long count(ActionFault fault) const { return faults[std::size_t(fault)]; }
  long count(supervise::Cause cause) const { return causes[std::size_t(cause)]; }
  /// Whether a supervisor has stopped the robot, and it did not go on.
  bool stopped() const { return last_state != supervise::State::run; }
};

/// The thesis' experiment (Cărămizaru 2023, Alg. 4): a robot that is not quite what its model says, and changes,
/// is simulated by a rig::TestRig, measured, driven, and identified as it moves. `progress` receives the share that is
/// over before each period, and ends the trial by returning false.
TrialResult run_trial(const Model& model, const MotionReference& reference,
                      const TrialOptions& options,
                      const std::function<bool(double share)>& progress = {});

/// The same of a robot with elastic joints, by an ElasticController. Laws that plan nothing read the motors: computed torque takes them for the
/// links, gravity_pd holds them where springs carry the links at the reference [Tomei 1991]. Supervisors, faults, wrench sensors and
/// MuJoCo do not know springs and are refused.
TrialResult run_elastic_trial(const Model& model, const SmoothReference& reference,
                              const TrialOptions& options,
                              const std::function<bool(double share)>& progress = {});

}  // namespace ulna::mpc
