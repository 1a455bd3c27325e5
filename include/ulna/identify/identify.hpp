#pragma once

#include <functional>
#include <optional>
#include <stdexcept>

#include "ulna/identify/choose/choose.hpp"
#include "ulna/identify/choose/residuals.hpp"
#include "ulna/identify/data/delay.hpp"
#include "ulna/identify/data/screen.hpp"
#include "ulna/identify/estimate/select.hpp"
#include "ulna/identify/payload/payload.hpp"
#include "ulna/identify/refine/refine.hpp"
#include "ulna/spatial/consistency.hpp"

/// From logs to an identified robot, with everything there is to report of it:
///
///     const auto found = identify::offline(model, {.fit = {{"run.csv"}}}, {.split = 0.5});
///     if (!found.has_findings()) write(to_urdf(found.model()));
namespace ulna::identify {

/// A table of measurements: a file, or a stream that is named so.
struct LogInput {
  std::string file;
  std::istream* stream = nullptr;
};
struct LogInputs {
  std::vector<LogInput> fit, validation = {};
  std::vector<LogInput> loaded = {};  ///< of the robot with a payload on the link Options::payload
};

struct Options {
  double split = 0.0;  ///< share of each log that is fitted, the rest held out; 0: all of it
  /// What is left out is chosen by evidence where whole logs are identified (choose.hpp), and by `settled` otherwise.
  std::optional<double> filter_hz = {};               ///< cut-off of the low-pass
  std::optional<std::vector<Feature>> features = {};  ///< of joints
  std::optional<bool> rotors = {};                    ///< whether features have armature
  std::optional<double> torque_delay = {};  ///< s: torques are measured this much later than motion
  std::optional<Effects> effects = {};      ///< but for the delay, which is torque_delay
  bool choose = true;       ///< false: nothing is chosen, and no effects are looked for
  Vector gains = {};        ///< torque per current; empty: the logs have torques
  bool find_gains = false;  ///< they are those with which currents fit the model's torques best
  PriorOptions prior = {};

  // offline only:
  Method method = Method::consistent;
  /// The link that has a payload. Without LogInputs::loaded, the body of this link alone is unknown; with them, the robot is identified
  /// from the other logs, without the payload.
  std::string payload = {};
  PayloadOptions weighing = {};
  /// kg, and x, y, z of its centre of mass in the frame of that link, m: what it carries in LogInputs::loaded, if that is known. Then gains
  /// that are to be found (find_gains) are those with which it weighs that.
  Vector known_payload = {};
  int folds = 0;           ///< parts of the fitted motion for cross-validation; 0: none
  bool essential = false;  ///< find the base parameters that matter
  bool refine = false;     ///< by simulation; the method must be consistent
  bool stribeck = false, delay = false;  ///< to be found by refinement
  bool ratios = false;                   ///< find the ratios by which motors are coupled
  /// Of a robot whose base floats: what holds or carries it is not known, so that joints' torques alone count.
  bool base_held = false;

  /// Called with the number of the step, of `steps`, and its name. False ends the work with what was found so far
  /// (Identification::stopped): what is left of refinement, cross-validation, essential parameters, logs to learn from online,
  /// and comparisons is left out. Before there is an estimate, Stopped is thrown.
  std::function<bool(int, const std::string&)> progress = {};
  static constexpr int steps = 8;
};

/// With usual values for what is left out: 10 Hz, viscous and Coulomb friction and offsets, rotors where the robot has some, no delay.
Options settled(Options options, const Model& model);

/// Options::progress returned false before anything was found.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped before there was an estimate") {}
};

/// Throws std::invalid_argument for options that contradict each other or are out of range.
void require_valid(const Options& options);
void require_valid(const LogInputs& logs, const Options& options);

/// Below this share learned from data, an unknown is reported as the prior's, not as an estimate.
inline constexpr double learned_enough = 0.1;

struct LogSummary {
  std::string file,
      use;  ///< fit, validation, both if it was split, payload; none if it repeats another log
  LogFigures figures;
  ClockRepair clock;
};

/// A piece of motion: measured torques and those that the estimate predicts, filtered.
struct Trace {
  std::string file;
  bool validation = false;
  double rate_hz = 0.0;
  Vector t;
  Matrix measured, predicted;
  Matrix q = {}, v = {};  ///< the motion; empty of robots with drives and online
};

/// An estimate and how far it carries.
struct Assessment {
  Estimate estimate;
  Fit fit;
  std::optional<Fit> validation;
  /// The same at the cut-off Identification::reference_hz, by which results can be compared; nothing if the logs are too slow.
  std::optional<Fit> reference;
  std::vector<Consistency> bodies;
  double indefinite_percent = 0.0;  ///< of random configurations, those where M(q) is not positive
};

/// A run of the online estimator over the logs, a prediction before each update.
struct OnlineFigures {
  double delay = 0.0, rate_hz = 0.0;  ///< of the causal filter
  long learned = 0, doubted = 0, changed = 0, ignored = 0;
  Fit run, second_half;        ///< of predictions
  double prior_percent = 0.0;  ///< of the prior without learning, over the second half
  bool always_consistent = true;
  double median_us = 0.0, percentile_99_us = 0.0;  ///< of an update

  long updates() const { return learned + doubted + changed + ignored; }
};

struct Remark {
  bool finding = false;  ///< the estimate cannot be trusted
  std::string text;      ///< options are named as Options::method = consistent
};

struct Identification {
  explicit Identification(TorqueModel model) : torques(std::move(model)) {}

  TorqueModel torques;  ///< of the robot with the prior's parameters
  BaseParameters base;
  double filter_hz = 0.0;
  std::string filter;                           ///< in words
  static constexpr double reference_hz = 10.0;  ///< of Assessment::reference
  std::vector<LogSummary> logs;
  Index samples = 0, validation_samples = 0;
  double repeated_percent = 0.0;    ///< of the motion held out, the part that was also fitted
  std::optional<Choice> choice;     ///< nothing: all was given, or too little is known to choose
  Effects effects;                  ///< that samples were rid of
  Assessment chosen;                ///< by the method of the options, or online
  std::optional<Assessment> plain;  ///< ordinary least squares, to compare with
  std::optional<Refinement> refined;
  std::optional<Assessment> start;  ///< the estimate that refinement began with
  std::optional<OnlineFigures> online;
  std::optional<Fit> cross_validation;
  int folds = 0;         ///< parts that it predicted
  bool stopped = false;  ///< by Options::progress
  std::optional<Essential> essential;
  std::vector<DriveGain> gains;  ///< empty unless they were to be found
  Delay delay;
  /// Torques of the logs over those that the robot as described needs, and the correlation of both: 0 without a description.
  double described_scale = 0.0, described_correlation = 0.0;
  std::optional<Exchange> exchange;    ///< joints that seem to be confused in the logs
  std::optional<Rescaling> rescaling;  ///< torques that seem to have another sign or unit
  std::optional<LinkPayload> payload;  ///< where Options::payload is given
  PayloadOptions weighing;             ///< by which it was weighed
  std::vector<Trace> traces;
  Residuals residuals;  ///< of all traces
  std::vector<Remark> remarks;
  Diagnostics found;  ///< of the logs

  /// The robot with the identified parameters.
  Model model() const { return torques.identified(chosen.estimate.z); }
  /// "estimated", "prior" or "known".
  std::string_view state(int unknown) const;
  bool has_findings() const;
  /// Base parameters led by a parameter of a body, not of a joint.
  int inertial_base() const;
};

/// Identifies a robot from whole logs. `model` is the robot with the prior's parameters
/// (with_parameters_of). Throws LogError for logs that are refused, std::invalid_argument or
/// std::runtime_error otherwise.
Identification offline(const Model& model, const LogInputs& logs, const Options& options = {});

/// The same sample by sample, as a controller would: each torque is predicted before it is learned from. Of a robot with springs, the
/// links are learned under the torques of the springs: logs have these, or positions on both sides and the model the springs' stiffness.
Identification online(const Model& model, const LogInputs& logs, const Options& options = {});

}  // namespace ulna::identify
