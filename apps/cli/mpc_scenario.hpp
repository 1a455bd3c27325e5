#pragma once

#include <map>

#include "ulna/mpc/trial.hpp"
#include "verb.hpp"

/// What `ulna mpc` simulates, and what it reports.
namespace ulna::cli {

using namespace mpc;
using control::Transcription;

// the kinds that a scenario chooses from by name
inline constexpr std::array knowledges{Knowledge::identified, Knowledge::offset_free,
                                       Knowledge::fixed, Knowledge::perfect};
inline constexpr std::array laws{ControlLaw::mpc, ControlLaw::computed_torque,
                                 ControlLaw::gravity_pd};
inline constexpr std::array drive_controls{DriveControl::plan, DriveControl::feedforward,
                                           DriveControl::ignore};
inline constexpr std::array plants{rig::PlantKind::ulna, rig::PlantKind::mujoco};
inline constexpr std::array transcriptions{Transcription::forward_dynamics,
                                           Transcription::inverse_dynamics};
inline constexpr std::array fault_kinds{
    TrialFault::Kind::sensor_nan, TrialFault::Kind::sensor_dropped,
    TrialFault::Kind::deadline_missed, TrialFault::Kind::solver_failed};

inline constexpr std::array reactions{supervise::Reaction::report, supervise::Reaction::stop,
                                      supervise::Reaction::compliant, supervise::Reaction::retreat};

/// The kind of that name; else calls refuse("'fixd' is not one of identified, ..."), which throws.
template <class Kinds, class Refuse>
typename Kinds::value_type kind_from_string(const Kinds& kinds, std::string_view name,
                                            Refuse refuse) {
  std::vector<std::string> known;
  for (const auto kind : kinds) {
    if (name == to_string(kind)) return kind;
    known.emplace_back(to_string(kind));
  }
  refuse(unknown_word(name, known));
  return kinds.front();
}

/// What is wrong with a scenario, by its key in a file: "goal", "horizon.steps".
struct ScenarioError : UsageError {
  std::string key, why;
  ScenarioError(std::string at, std::string what)
      : UsageError("{}: {}", at, what), key(std::move(at)), why(std::move(what)) {}
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

struct MpcScenario {
  std::string robot, title;
  /// Torque noise is a share of the efforts, and the delay of positions is that of all sensors.
  TrialOptions trial;
  std::vector<Knowledge> knowledge = {Knowledge::identified};
  std::vector<DriveControl> drives = {DriveControl::plan};  ///< of robots with elastic joints
  double position = 1.0, velocity = 1.0, torque = 1.0, terminal = 1.0;  ///< weights, where given

  // the motion
  Eigen::VectorXd start, goal;    ///< empty: as the robot's ranges suggest
  double reach = 2.0;             ///< s
  Eigen::VectorXd amplitude, hz;  ///< of waving about the goal
  bool rest = false;              ///< at the goal, without waving
  /// Numbers of these four by the names of joints, over what is suggested.
  std::map<std::string, std::vector<std::pair<std::string, double>>> by_joint;

  // the robot as it is
  double viscous = 0.005, dry = 0.01;  ///< of the true robot, as shares of the efforts
  double vary = 0.0;                   ///< share by which inertias differ from the model's
  std::optional<ScenarioPayload> payload;
  std::optional<ScenarioFriction> friction;
  std::vector<ScenarioWrench> wrenches;

  std::vector<std::string> notes;  ///< on what complete() had to choose

  /// Where keys were given, for messages: "trial.yaml:3: goal", "--goal".
  std::map<std::string, std::string> places;

  MpcScenario();
};

/// A number of a scenario, its key, and its range: from low to high.
struct ScenarioNumber {
  const char* key;
  double& value;
  double low, high;
  const char* rule;
};
std::vector<ScenarioNumber> numbers_of(MpcScenario& scenario);

struct RobotArgument;
/// A scenario in YAML, if what is given as a robot is one; docs/mpc.md lists its keys. Throws Failure
/// with file and line.
std::optional<MpcScenario> read_mpc_config(const RobotArgument& given);

/// Reaches and waves while it picks up 2 kg and while its friction grows.
MpcScenario demo_scenario(const Model& model, double duration = 12.0);

/// Fills in what is left to the robot. Throws ScenarioError for what is out of range or reach.
void complete(MpcScenario& scenario, const Model& model);

/// A payload, true and identified: mass and centre of mass in the frame that carries it. Of less than a hundredth of
/// its mass there is no centre of mass.
struct PayloadFound {
  std::string frame;
  double mass = 0.0, found_mass = 0.0, found_deviation = 0.0;  ///< kg
  Eigen::Vector3d com = Eigen::Vector3d::Zero();               ///< m
  std::optional<Eigen::Vector3d> found_com = {};               ///< m
  /// Whether what was found means something: a mass of at least two deviations, of a robot that followed its motion by drives
  /// that were not at their limits.
  bool known = false;

  double mass_error_percent() const { return 100.0 * std::abs(found_mass - mass) / mass; }
  std::optional<double> com_error() const {
    return found_com ? std::optional((*found_com - com).norm()) : std::nullopt;
  }
  std::string com_error_text() const {
    return found_com ? fmt::format("{:.1f} mm", 1e3 * *com_error()) : "-";
  }
};

struct MpcRun {
  std::string name;         ///< "identified", "fixed", "perfect"; or what it makes of springs
  std::string_view colour;  ///< in all pictures: a name of the page's style
  Knowledge knowledge;
  TrialResult result;  ///< its record ends where numbers are no longer finite
};

/// One way to drive the robot: a run of the scenario.
struct MpcVariant {
  Knowledge knowledge = Knowledge::identified;
  DriveControl drives = DriveControl::plan;
  std::string name;
  std::string_view colour;
};
/// Every knowledge, with springs in every way that is asked for: named by what differs.
std::vector<MpcVariant> variants_of(const MpcScenario& scenario);
/// Refuses what is not known of robots with springs, and what has no effect without.
void complete_drives(MpcScenario& scenario, const Model& model);
/// More friction, Nm s/rad and Nm, at each joint: of elastic ones on the side of the motor.
void add_friction(Plant<double>& plant, const Eigen::VectorXd& viscous, const Eigen::VectorXd& dry);
/// The greatest velocity on the way to the goal, over the mean.
double peak_of_reach(const Model& model);
/// Reaches and waves, with springs along a motion that is smooth enough for them.
TrialResult run_variant(const Model& model, const MpcScenario& scenario, const TrialOptions& trial,
                        const std::function<bool(double share)>& progress);

struct MpcResults {
  Model model;
  std::string title;
  double period = 0.001;                                    ///< s
  rig::PlantKind plant = rig::PlantKind::ulna;              ///< what simulates the robot
  std::vector<MpcRun> runs = {};                            ///< at least one
  std::vector<std::pair<double, std::string>> events = {};  ///< "payload of 2 kg", at a time
  std::vector<std::string> notes = {};                      ///< of the scenario
  double counted_from = 0.0;                                ///< s: errors are compared from then on
  std::optional<PayloadFound> payload = {};
  bool supervised = false;
  int horizon = 0;               ///< steps of it
  double rests_from = infinity;  ///< s: the motion is over

  /// Of the run with a name; null: there is none.
  const TrialResult* find(std::string_view name) const;
  /// The record of the run that lasted longest, and until when, s.
  const TrialRecord& longest() const;
  double end() const;
  /// The identified run's error against those of the others, in a sentence; empty if there are none.
  std::string gains() const;
};

/// Runs it once per knowledge. `progress`: share that is over, and what is going on; false ends it.
MpcResults run_scenario(const Model& model, const MpcScenario& scenario,
                        const std::function<bool(double share, std::string_view what)>& progress);

/// What is wrong with a run, in sentences; none: nothing is.
std::vector<std::string> findings_of(const MpcResults& results, const MpcRun& run);
/// Whether the robot was so far from its motion that it did not follow it, or its drives were at their limits for long.
bool is_lost(const TrialResult& result);
bool is_saturated(const TrialResult& result);

/// How a run ended: "moved", or why it did not go on.
const char* status_of(const TrialResult& result);
/// How many actions were not from a plan of their moment, and why, in a sentence.
std::string unplanned_actions(const TrialResult& result);

/// For how long the supervisor kept the robot from its motion, and how it followed otherwise; empty if it did not.
std::string kept_away(const TrialResult& result);

/// How many allocations this program has made so far; -1 where a sanitizer keeps memory itself.
long allocation_count();

}  // namespace ulna::cli
