#pragma once

#include <functional>

#include "ulna/identify/estimate/estimate.hpp"

/// Identified numbers made better by simulation: measured torques must lead from state to state.
namespace ulna::identify {

struct RefineProgress {
  int iteration = 0;  ///< of all passes
  double cost = 0.0;
  double seconds = 0.0;
};

struct RefineOptions {
  /// Dry friction that grows towards rest, (c + b exp(-(v / w)²)) sign(v): b and w of each degree of
  /// freedom. Needs the feature coulomb, or one of its halves.
  bool stribeck = false;
  /// How much later torques are measured than prepare() assumed.
  bool delay = false;
  double delay_deviation = 0.01;  ///< s, believed before

  PriorOptions prior = {};
  /// A torque of its own pushes each window, as large as those measured are off. Otherwise torques are
  /// exact and all that is left is noise of positions and velocities, which makes light links heavy
  /// where it is not so. Needs short windows, of two or three samples.
  bool torques_noisy = false;
  double window = 0.2;     ///< s, simulated from a state of its own
  double rate_hz = 200.0;  ///< of steps and samples at most
  int most_steps = 4000;   ///< of simulation; stretches of windows are left out evenly beyond
  /// How far apart the end of a window and the beginning of the next may well be, in deviations of the
  /// noise; at least so far with noisy torques.
  double continuity = 1.0;
  int passes = 3;  ///< after each, noise is estimated anew
  int most_iterations = 100;
  double most_seconds = 60.0;
  std::function<bool(const RefineProgress&)> progress = {};  ///< after each iteration; false: stop
  std::function<bool()> go_on =
      {};  ///< asked several times in each, which may take seconds; false: stop
};

enum class RefineStatus {
  converged,
  iteration_limit,
  time_limit,
  stopped,  ///< by the callback
  failed,   ///< no step from the start makes sense: the numbers are the start's
};
std::string_view to_string(RefineStatus status);

struct Refinement {
  /// As of estimate(), with deviations by the simulations' slopes; noise, correlation and excitation are
  /// those of the start's torques.
  Estimate estimate;
  Matrix covariance;  ///< of z; empty if it was stopped
  /// False if it was stopped, as computing them takes as long as an iteration: those of the estimate are then the start's,
  /// and those of Stribeck friction and of a delay, which the start does not have, NaN.
  bool has_deviations = true;

  /// What a plant does not have: empty and zero unless estimated.
  Vector stribeck_level, stribeck_level_deviation;        ///< b, Nm or N
  Vector stribeck_velocity, stribeck_velocity_deviation;  ///< w
  double delay = 0.0, delay_deviation = 0.0;              ///< s; the second is 0 if not estimated

  RefineStatus status = RefineStatus::failed;
  std::string reason;  ///< of the status, in the solver's words
  int iterations = 0, windows = 0, samples = 0;
  double window = 0.0, seconds = 0.0;
  /// Root mean squares of simulated less measured, per degree of freedom: with the start's numbers from
  /// measured states, and in the end.
  Vector position_before, velocity_before, position_after, velocity_after;

  /// "converged after 9 iterations in 1.2 s: 50 windows of 0.2 s, ..."
  std::string str() const;
};

/// Whether ulna was built with Ceres, which refine() needs.
bool can_refine();

/// Least squares by multiple shooting [Bock, Plitt 1984; Cărămizaru 2023, remark 4.2.9]: the unknowns are the
/// parameters and the state that each window of time begins with; what is squared are simulated
/// less measured positions and velocities, by their noise, the gaps between windows, and the prior. In
/// PhysicalCoordinates, so that every iterate is physical.
///
/// Friction goes by the measured direction and velocity, as in the regression, not by the simulated
/// ones: it is an input then, and neither chatters nor sticks nor makes light links stiff.
///
/// Starts from a physically consistent estimate with the same base. The best point found is always
/// returned; a simulation that leaves the finite numbers makes no step. The same data yield the same
/// numbers. Throws std::invalid_argument if the start is not physical, a joint has more than one
/// degree of freedom or no window fits, std::runtime_error without Ceres.
Refinement refine(const TorqueModel& model, const BaseParameters& base, const Estimate& start,
                  const Prepared& prepared, const RefineOptions& options = {});

/// Stribeck friction by the velocities and directions (nv x N) of a Piece; zeros if not estimated.
Matrix stribeck_torques(const Refinement& refined, const Matrix& V, const Matrix& directions);

/// As of numbers without Stribeck friction, which is added where data.x has the direction.
Fit fit_of(const TorqueModel& model, const Refinement& refined, const TorqueData& data);

}  // namespace ulna::identify
