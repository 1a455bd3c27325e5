#pragma once

#include <functional>
#include <optional>
#include <span>

#include "ulna/identify/choose/effects.hpp"
#include "ulna/identify/data/log.hpp"
#include "ulna/identify/estimate/physical_prior.hpp"

/// Which model the logs bear: the cut-off of the low-pass, friction, rotors, and effects of the drives and the measurement, by how well
/// each predicts motion that it was not fitted to (docs/identification.md#what-is-chosen-by-evidence).
namespace ulna::identify {

/// What is fixed by hand; the rest is chosen.
struct ChooseOptions {
  std::optional<double> filter_hz;
  std::optional<std::vector<Feature>>
      features;  ///< of joints; that rotors are not among them fixes nothing
  std::optional<bool> rotors;
  std::optional<double> torque_delay;
  std::optional<Effects> effects;  ///< springs and coupled motors
  PriorOptions prior = {};
  std::vector<int> known = {};  ///< unknowns that are not to be estimated
  double share = 1.0;           ///< of each log, from its beginning: only that is looked at
  /// Called now and then; false ends the search with what was found so far.
  std::function<bool(const std::string& what)> go_on = {};
};

/// A model that was tried, and how well it predicts each part of the motion from the other parts.
struct Tried {
  std::string model;  ///< "cut-off 5 Hz", "with load", "without offset"
  /// What is not explained, held out, in percent of the torque, below Choice::band_hz.
  double percent = 0.0;
  Vector per_joint_percent;
  double gain = 0.0;  ///< log likelihood of the parts held out over that of the model before, nats
  double deviation = 0.0;  ///< of the gain, from part to part
  bool taken = false;
};

/// The model that was found, and how.
struct Choice {
  double filter_hz = 10.0;
  std::vector<Feature> features;
  Effects effects;
  /// 0: joints count by their noise; 1: alike, so that the errors of all joints together are least; between, between.
  double evenness = 0.0;
  Vector joint_weights;  ///< EstimateOptions::joint_weights that do so
  /// Motion shows in torques below this frequency; above it is noise. All models are compared there.
  double band_hz = 0.0;
  double highest_hz = 0.0;  ///< up to which cut-offs were considered
  int parts = 0;            ///< of the motion, each predicted from the others
  double part_seconds = 0.0;
  double period =
      0.0;  ///< s, of motion that repeats itself: what repeats is in the same part; 0: it does not
  double percent = 0.0;  ///< as Tried::percent, of the model that was found
  std::vector<Tried> tried;
  bool stopped = false;
};

/// Nothing if the choice cannot be made: robots with loops or drives of their own, more than 20 degrees of freedom, or less motion than
/// can be cut into parts.
std::optional<Choice> choose(const Model& model, std::span<const Log> logs,
                             const ChooseOptions& options = {});

}  // namespace ulna::identify
