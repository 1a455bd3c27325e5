#pragma once

#include "ulna/identify/data/prepare.hpp"
#include "ulna/identify/estimate/base_parameters.hpp"
#include "ulna/identify/estimate/normal_equations.hpp"
#include "ulna/identify/estimate/physical_prior.hpp"

/// From samples to parameters and their uncertainty.
namespace ulna::identify {

/// Samples in columns, ready for regression.
struct TorqueData {
  Matrix q, v, a, tau;
  Matrix x;                   ///< TorqueModel::features_of, filtered as the rest was
  std::vector<Index> breaks;  ///< where a new piece of motion begins, 0 first
  double correlated = 1.0;    ///< samples over which the filter makes noise alike
  Matrix sliding = {};        ///< as of Piece: 0 where a joint rests; empty: all slide
  double rate_hz = 0.0;       ///< of the samples; 0: not known, or not one

  Index size() const { return q.cols(); }
};

/// What six-axis sensors in joints measured, or one under the base (body 0): samples in columns.
struct WrenchData {
  Matrix q, v, a;
  std::vector<int> sensors;   ///< bodies, as wrench_regressor numbers them
  Matrix wrench;              ///< six rows per sensor: moment and force in the body's frame
  std::vector<Index> breaks;  ///< as of TorqueData
  double correlated = 1.0;

  Index size() const { return q.cols(); }
};

/// The pieces of motion one after the other.
TorqueData gather(const TorqueModel& model, const Prepared& prepared);

enum class Method {
  ols,         ///< all joints count alike
  wls,         ///< joints count by their noise
  irls,        ///< and samples far off count less [Huber 1964]
  tls,         ///< total least squares: the regressor is noisy too
  ridge,       ///< weighted, drawn to the prior; bodies need not be real
  consistent,  ///< weighted, with the physical prior: bodies are real
};
std::string_view to_string(Method method);
std::optional<Method> method_from_string(std::string_view name);

struct EstimateOptions {
  Method method = Method::consistent;
  PriorOptions prior = {};  ///< what least squares leave open is as near to it as can be
  /// Joints count so much less than by their noise, 0 to 1; empty: 1. Not of ordinary least squares.
  Vector joint_weights = {};
  /// Noise per degree of freedom that there is at least, Nm or N; empty: none.
  Vector least_noise = {};
  /// How far the prior may be off, the data show too, down to a fifth; otherwise it is as `prior` has it, as for estimates sample by
  /// sample. Of Method::consistent.
  bool weigh_prior = true;
};

struct Estimate {
  Vector z;          ///< all unknowns
  Vector prior;      ///< what was believed of them before
  Vector deviation;  ///< standard deviations; infinite where an unknown is not determined
  /// How much of what is known of an unknown comes from the data: 0 is all from the prior.
  Vector learned;
  Vector base, base_deviation;
  Vector noise;       ///< per degree of freedom: standard deviation of what is not explained
  Vector correlated;  ///< and how many samples in a row count as one
  Excitation excitation;
  bool consistent = false;  ///< every body can exist, no friction pushes
  int steps = 0;            ///< of Newton's method, or passes over the data
  bool converged = true;    ///< false: the best that Newton's method came to
};

/// Unknowns that base calls known stay at the robot's numbers. Throws std::invalid_argument if there
/// are fewer equations than base parameters.
///
/// Noise is estimated from what is left unexplained, joint by joint, and so is its correlation from
/// sample to sample: filtered noise is alike over many samples, which then count no more than one. The
/// standard deviations are those of data with that much noise at the frequencies of the motion.
Estimate estimate(const TorqueModel& model, const BaseParameters& base, const TorqueData& data,
                  const EstimateOptions& options = {});

/// The same from wrenches, which do not depend on friction: the model must have no features. Noise is
/// that of each component of each sensor.
Estimate estimate(const TorqueModel& model, const BaseParameters& base, const WrenchData& data,
                  const EstimateOptions& options = {});

/// How well parameters explain data: the root mean square of the error in percent of that of the torque.
struct Fit {
  Vector per_joint_percent;
  double total_percent = 0.0;  ///< of all joints together
  Vector rms;                  ///< of the error, per joint
};
/// Measured less predicted torques.
Matrix errors_of(const TorqueModel& model, const Vector& z, const TorqueData& data);
Fit fit_of(const Matrix& errors, const Matrix& tau);
inline Fit fit_of(const TorqueModel& model, const Vector& z, const TorqueData& data) {
  return fit_of(errors_of(model, z, data), data.tau);
}

/// Whether all bodies are such as can exist, and all friction and rotors at least nothing.
bool is_consistent(const TorqueModel& model, const Vector& z);

}  // namespace ulna::identify
