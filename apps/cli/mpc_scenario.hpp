#pragma once

#include "console.hpp"
#include "mpc_results.hpp"

namespace ulna::cli {

/// What is wrong with a scenario, by the key it has in a file: "goal", "horizon.steps".
struct ScenarioError : UsageError {
  std::string key, why;
  ScenarioError(std::string at, std::string what)
      : UsageError(at + ": " + what), key(std::move(at)), why(std::move(what)) {}
};

/// A box that the robot picks up.
struct ScenarioPayload {
  std::string frame = {};  ///< empty: that of the last link
  double mass = 2.0;       ///< kg
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  double edge = 0.1;  ///< m
  double at = 0.0;    ///< s
};

/// A six-axis sensor in the joint that carries a link.
struct ScenarioWrench {
  std::string link = {};
  double moment_noise = 0.01, force_noise = 0.1;  ///< Nm, N
};

/// Friction that grows, evenly, to a multiple of what it was.
struct ScenarioFriction {
  double factor = 1.5, from = 0.0, to = 0.0;
};

/// What `ulna mpc` lets happen.
struct MpcScenario {
  std::string title;
  double duration = 6.0, rate_hz = 1000.0;
  std::uint64_t seed = 1;

  // the motion
  Eigen::VectorXd start, goal;    ///< empty: as the robot's ranges suggest
  double reach = 2.0;             ///< s
  Eigen::VectorXd amplitude, hz;  ///< of waving about the goal

  // the controller
  ControlLaw law = ControlLaw::mpc;
  std::vector<Knowledge> knowledge = {Knowledge::identified};
  Transcription transcription = Transcription::inverse_dynamics;
  int steps = 15;
  double step = 0.02;                                                       ///< s
  double position = 5000.0, velocity = 1.0, torque = 1e-4, terminal = 0.1;  ///< weights
  double filter_hz = 20.0;
  double prior_deviation = 0.5;
  std::optional<double> deadline;  ///< s

  // the robot as it is
  double viscous = 0.005, dry = 0.01;  ///< of the true robot, as shares of the efforts
  double vary = 0.0;                   ///< share by which inertias differ from the model's
  std::optional<ScenarioPayload> payload;
  std::optional<ScenarioFriction> friction;
  double position_noise = 1e-5, velocity_noise = 2e-3,
         torque_noise = 4e-4;        ///< the last of efforts
  double acceleration_noise = 0.05;  ///< rad/s², where there are wrench sensors
  std::vector<ScenarioWrench> wrenches;
  double sensor_dropout = 0.0, sensor_nan = 0.0;  ///< chances
  int sensor_delay = 0;
  std::vector<TrialFault> faults;
};

/// Reaches and waves while it picks up 2 kg and while its friction grows.
MpcScenario demo_scenario(const Model& model);

/// Fills in what is left to the robot. Throws ScenarioError if the motion is none that the robot can make.
void complete(MpcScenario& scenario, const Model& model);

/// Runs it once per knowledge. `progress`: share that is over, and what is going on; false ends it.
MpcResults run_scenario(const Model& model, const MpcScenario& scenario,
                        const std::function<bool(double share, std::string_view what)>& progress);

}  // namespace ulna::cli
