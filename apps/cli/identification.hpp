#pragma once

#include <functional>
#include <optional>

#include "ulna/identify/data/clock.hpp"
#include "ulna/identify/data/delay.hpp"
#include "ulna/identify/estimate/exchange.hpp"
#include "ulna/identify/refine/refine.hpp"
#include "ulna/identify/data/screen.hpp"
#include "ulna/spatial/consistency.hpp"

/// What `ulna identify` does between its command line and what it prints.
namespace ulna::cli {

struct IdentifySettings {
  std::vector<std::string> logs, validate;  ///< files, or "-"
  double split = 0.0;                       ///< share of each log that is fitted; 0: all of it
  double filter_hz = 10.0;
  Eigen::VectorXd gains;  ///< torque per current; empty: the logs have torques
  std::vector<Feature> features;
  Method method = Method::consistent;
  PriorOptions prior;
  std::string payload;  ///< the link whose body alone is unknown; empty: all are
  bool online = false;
  bool refine = false;                   ///< from what the method finds, which is then consistent
  bool stribeck = false, delay = false;  ///< to be found by refinement
};

/// Below this share learned from data, an unknown is told as the prior's, not as an estimate.
inline constexpr double learned_enough = 0.1;
/// Above this many percent of the torque unexplained, nothing that was found can be trusted.
inline constexpr double too_much_unexplained = 25.0;
/// And of one joint, which may be small beside the others: above this many, its columns are suspected.
inline constexpr double too_much_of_a_joint = 50.0;

struct LogSummary {
  std::string file, use;  ///< fit, validation, or both if it was split
  LogFigures figures;
  ClockRepair clock;
};

/// A piece of motion: what was measured and what the estimate makes of it, filtered.
struct Trace {
  std::string file;
  bool validation = false;
  double rate_hz = 0.0;
  Eigen::VectorXd t;
  Eigen::MatrixXd measured, predicted;
};

/// An estimate and how far it carries.
struct Judged {
  Estimate estimate;
  Fit fit;
  std::optional<Fit> validation;
  std::vector<Consistency> bodies;
  double indefinite_percent = 0.0;  ///< of random configurations, those where M(q) is not positive
};

/// A run of the online estimator over the logs, a prediction before each update.
struct OnlineFigures {
  double delay = 0.0, rate_hz = 0.0;  ///< of the causal filter
  long learned = 0, doubted = 0, changed = 0, ignored = 0;
  Fit run, second_half;        ///< of predictions
  double prior_percent = 0.0;  ///< of the prior's numbers without learning, over the second half
  bool always_consistent = true;
  double median_us = 0.0, percentile_99_us = 0.0;  ///< of an update
};

struct Remark {
  bool finding = false;  ///< the numbers cannot be trusted
  std::string text;
};

struct Identification {
  explicit Identification(TorqueModel model) : torques(std::move(model)) {}

  TorqueModel torques;  ///< of the robot with the prior's numbers
  BaseParameters base;
  double filter_hz = 0.0;
  std::string filter;  ///< in words
  std::vector<LogSummary> logs;
  Eigen::Index samples = 0, validation_samples = 0;
  double repeated_percent = 0.0;  ///< of the motion held out, what was also fitted
  Eigen::VectorXd prior;          ///< per unknown
  Judged chosen;                  ///< by the method asked for
  std::optional<Judged> plain;    ///< ordinary least squares, to compare with
  std::optional<Refinement> refined;
  std::optional<Judged> start;  ///< what refinement began with
  std::optional<OnlineFigures> online;
  Delay delay;
  std::optional<Exchange> exchange;  ///< joints that seem to be confused in the logs
  std::vector<Trace> traces;
  std::vector<Remark> remarks;
  Diagnostics found;

  /// "estimated", "prior" or "known".
  std::string_view state(int unknown) const;
  bool has_findings() const;
  /// Base parameters led by a number of a body, not of a joint.
  int inertial_base() const;
};

/// `model` is the robot with the prior's numbers. `step` is told what is being done. Throws LogError for
/// logs that are refused, std::invalid_argument or std::runtime_error otherwise.
Identification identify_robot(const Model& model, const IdentifySettings& settings,
                              const std::function<void(int, const std::string&)>& step);

/// The robot's kinematics with the inertias, frictions and rotors of another description of the same
/// robot. Throws std::runtime_error if that one is built differently.
Model with_prior_of(const Model& robot, const Model& prior);

// --- identification_online.cpp ---------------------------------------------------------------------

/// Learns from the logs sample by sample; fills chosen.estimate, online and traces.
void identify_online(std::span<const Log> logs, const IdentifySettings& settings,
                     const std::function<void(double share)>& progress, Identification& result);

// --- identification_refine.cpp ---------------------------------------------------------------------

/// Refines chosen.estimate on motion; fills chosen.estimate and refined.
void refine_estimate(const Prepared& fitted, const IdentifySettings& settings,
                     const std::function<void(int, const std::string&)>& step,
                     Identification& result);

}  // namespace ulna::cli
