#pragma once

#include <fmt/ranges.h>

#include "console.hpp"
#include "mpc_results.hpp"

namespace ulna::cli {

using control::Transcription;

// the kinds that a scenario chooses from by name
inline constexpr std::array knowledges{Knowledge::identified, Knowledge::fixed, Knowledge::perfect};
inline constexpr std::array laws{ControlLaw::mpc, ControlLaw::computed_torque,
                                 ControlLaw::gravity_pd};
inline constexpr std::array transcriptions{Transcription::forward_dynamics,
                                           Transcription::inverse_dynamics};
inline constexpr std::array fault_kinds{
    TrialFault::Kind::sensor_nan, TrialFault::Kind::sensor_dropped,
    TrialFault::Kind::deadline_missed, TrialFault::Kind::solver_failed};

/// The kind of that name; else calls refuse("identified, fixed, perfect"), which throws.
template <class Kinds, class Refuse>
typename Kinds::value_type kind_from_string(const Kinds& kinds, std::string_view name,
                                            Refuse refuse) {
  std::vector<std::string_view> known;
  for (const auto kind : kinds) {
    if (name == to_string(kind)) return kind;
    known.emplace_back(to_string(kind));
  }
  refuse(fmt::format("{}", fmt::join(known, ", ")));
  return kinds.front();
}

/// What is wrong with a scenario, by its key in a file: "goal", "horizon.steps".
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

/// What `ulna mpc` simulates.
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

/// Fills in what is left to the robot. Throws ScenarioError if the robot cannot make the motion.
void complete(MpcScenario& scenario, const Model& model);

/// Runs it once per knowledge. `progress`: share that is over, and what is going on; false ends it.
MpcResults run_scenario(const Model& model, const MpcScenario& scenario,
                        const std::function<bool(double share, std::string_view what)>& progress);

}  // namespace ulna::cli
