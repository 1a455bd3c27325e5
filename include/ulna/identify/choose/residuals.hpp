#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/identify/types.hpp"

/// What the torques that a model does not explain look like, and what that means.
namespace ulna::identify {

/// Motion of one piece with its measured and predicted torques, samples in columns. Without q and v, nothing is said of what the
/// residual follows.
struct ResidualInput {
  double rate_hz = 0.0;
  double begin = 0.0;  ///< s since the log began
  const Matrix &q, &v, &measured, &predicted;
};

/// The mean of the residual where a quantity is about x.
struct Pattern {
  /// "position", "velocity", "load", "direction" or "time"; "friction": of the residual times the direction of motion, over time.
  std::string against;
  Vector x = {}, mean = {}, deviation = {};  ///< bins with enough samples
  double share = 0.0;        ///< of the residual's variance that these means explain, beyond chance
  std::string meaning = {};  ///< empty if they explain little
};

/// What the residual may be that follows such a quantity, and the motion that shows more of it.
std::string_view cause_of(const Pattern& pattern);
std::string_view motion_that_shows(const Pattern& pattern);

struct JointResidual {
  double rms = 0.0;
  Vector torque_density, density;   ///< in units per root Hz, at Residuals::hz
  Vector autocorrelation;           ///< at Residuals::lag
  double correlated_seconds = 0.0;  ///< until it is below a fifth
  std::vector<Pattern> patterns;
  std::vector<std::string>
      meanings;  ///< of patterns, spectrum and autocorrelation, the weightiest first
};

struct Residuals {
  Vector hz, lag;
  std::vector<JointResidual> joints;
};

/// Of one log or several, at one cut-off; empty if there are too few samples.
Residuals residuals_of(std::span<const ResidualInput> pieces, double filter_hz);

}  // namespace ulna::identify
