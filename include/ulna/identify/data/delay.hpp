#pragma once

#include <vector>

#include "ulna/identify/types.hpp"

/// How late torques are measured, and what a drive makes of its current: both found by comparing
/// measurements with what a model predicts from the motion. A row is a joint, a column a sample.
namespace ulna::identify {

/// measured(t) = gain * predicted(t - delay) + offset
struct JointDelay {
  double delay = 0.0;      ///< s; positive: the torque is measured later than the motion
  double deviation = 0.0;  ///< its standard deviation
  double gain = 0.0, offset = 0.0;
  double correlation = 0.0;  ///< of measured and shifted predicted
  bool found = false;        ///< false: the torque does not vary, or the best delay ends the search
};

struct Delay {
  double delay = 0.0;      ///< s, all joints together, weighted by their certainty
  double deviation = 0.0;  ///< from the deviations of the joints or from their scatter, the larger
  bool found = false;      ///< false: none of the joints' delays was found
  double left = 1.0;  ///< share of the squared error that is left when the delay is compensated
  std::vector<JointDelay> joints;
};

/// The delay that fits best: searched on whole samples up to `longest` seconds either way, then refined
/// between them, gain and offset being fitted each time. The deviation allows for residuals
/// that are correlated in time, as those of filtered signals are [Newey, West 1987]. Signals must be
/// sampled several times faster than they vary. Throws std::invalid_argument if sizes differ or numbers are
/// not finite.
Delay estimate_delay(const Matrix& predicted, const Matrix& measured, double rate_hz,
                     double longest);

struct DriveGain {
  double gain = 0.0;                                  ///< torque per current
  double deviation = 0.0;                             ///< its standard deviation
  double viscous = 0.0, coulomb = 0.0, offset = 0.0;  ///< torque that the drive loses on the way
  bool found = false;                                 ///< false: the current does not vary enough
  /// Squared correlation of current and predicted torque, beside the drive's friction. The gain is what fits
  /// if all noise is in the prediction; if all of it is in the current, gain / determined.
  double determined = 0.0;
};

/// Per joint, gain * current = predicted + viscous v + coulomb sign(v) + offset in the sense of
/// ordinary least squares. `predicted` is the torque of a model that is trusted, friction left out.
/// Noise of the current makes the gain come out small by its share of the current's variance: filter
/// first. Throws std::invalid_argument if sizes differ or numbers are not finite.
std::vector<DriveGain> estimate_gains(const Matrix& predicted, const Matrix& current,
                                      const Matrix& v);

}  // namespace ulna::identify
