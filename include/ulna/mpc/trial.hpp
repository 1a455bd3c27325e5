#pragma once

#include "ulna/mpc/controller.hpp"
#include "ulna/simulate/changes.hpp"
#include "ulna/simulate/sensors.hpp"

namespace ulna {

/// From rest at one place to rest at another in some seconds, then waving about it: joint i by
/// amplitude(i) at hz(i), beginning smoothly.
MotionReference reach_and_wave(const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                               double seconds, const Eigen::VectorXd& amplitude,
                               const Eigen::VectorXd& hz);

/// What the controller knows of the robot in front of it.
enum class Knowledge {
  identified,  ///< its model at first, and what it learns
  fixed,       ///< its model
  perfect,     ///< the robot's true numbers, always
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
  SimulationOptions simulation = {};
  SensorsOptions sensors = {};
  std::vector<WrenchSensor> wrench_sensors = {};
  Eigen::VectorXd q0 = {};  ///< where the robot begins at rest; empty: where the reference does
  Schedule changes = {};    ///< of the true robot
  std::vector<TrialFault> faults = {};
  std::vector<double> count_from = {};  ///< errors are also told from these times on
  double record_hz = 100.0;
  /// How many allocations the program has made so far, if somebody counts them.
  std::function<long()> allocations = {};
};

/// What was going on, at record_hz: one column a moment.
struct TrialRecord {
  Eigen::VectorXd time;
  Eigen::MatrixXd q, q_reference, tau;  ///< true
  Eigen::MatrixXd mass,
      true_mass;                  ///< of each body, kg: what the controller took them for, and were
  Eigen::MatrixXd dry, true_dry;  ///< friction of each joint, Nm
  Eigen::VectorXi kind;           ///< ActionKind
};

struct TrialResult {
  bool finished = false;  ///< false: the simulation could not go on, as `status` tells
  SimulationStatus status = SimulationStatus::moved;
  double rmse = 0.0;  ///< rad: root of the mean over time and joints of squared errors of position
  std::vector<double> rmse_from = {};  ///< the same from the times asked for
  double largest_error = 0.0;          ///< rad, of a joint
  double end_error = 0.0;              ///< at the end
  long steps = 0;
  long planned = 0, older = 0, safe = 0;  ///< actions
  long not_measured = 0, not_prepared = 0, late = 0, not_solved = 0, no_reference = 0;
  long deadline_misses = 0;  ///< steps that took longer than the time there was
  long torque_breaches = 0;  ///< torques asked for beyond the limits, or not finite
  long changes_noticed = 0;
  long allocations =
      0;  ///< while the controller acted, thought, and the robot moved; the first step apart
  bool consistent_always = true;
  double mean_us = 0.0, p50_us = 0.0, p95_us = 0.0, p99_us = 0.0,
         max_us = 0.0;  ///< of a step, all of it
  double act_p50_us = 0.0, identify_p50_us = 0.0;
  Plant<double> estimated, truth;  ///< at the end
  Eigen::VectorXd z = {};          ///< of the estimator, at the end
  TrialRecord record = {};
};

/// The thesis' experiment (001, Alg. 4): a robot that is not quite what its model says, and changes,
/// is simulated, measured, driven, and identified as it moves. `progress` is told the share that is
/// over, and ends the trial by answering false.
TrialResult run_trial(const Model& model, const MotionReference& reference,
                      const TrialOptions& options,
                      const std::function<bool(double share)>& progress = {});

}  // namespace ulna
