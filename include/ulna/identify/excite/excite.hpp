#pragma once

#include <cstdint>
#include <functional>

#include "ulna/identify/excite/excitation_problem.hpp"

/// The most informative motion of a robot.
namespace ulna::identify {

struct ExciteOptions {
  MotionKind kind = MotionKind::fourier;
  double duration = 20.0;     ///< s
  int harmonics = 0;          ///< 0: up to half a hertz, at least 5
  double share = 0.9;         ///< of the limits that may be used
  double acceleration = 0.0;  ///< rad/s², m/s²; 0: no limit
  double reserve = 0.0;       ///< of that share of velocity and effort, kept free for what is added
  int rest = 2;               ///< derivatives that vanish at both ends: see MotionBasis
  std::vector<int> known = {};            ///< unknowns that are not to be estimated
  std::optional<Vector> parameters = {};  ///< to compute efforts with; none: the robot's own
  Capsules::Options capsules = {};

  std::uint64_t seed = 1;
  int starts = 3;          ///< random motions to improve on, one after the other
  int iterations = 100;    ///< of the solver, from each
  double seconds = 120.0;  ///< in all; what is found by then is the result
  /// Called with progress: start, iteration, and the best log det so far. False: stop, with the best.
  std::function<bool(int, int, double)> progress = {};
};

enum class ExciteStatus {
  converged,        ///< at the best start, no nearby motion is better
  iteration_limit,  ///< nearby motions may be better
  time_limit,       ///< likewise; another run may come to another motion
  stalled,          ///< the solver gave up, its best point being as good as the rest
  random_search,    ///< there was no solver: the best of random changes
  stopped,          ///< by the callback
};
std::string_view to_string(ExciteStatus status);

struct ExciteResult {
  ExcitingMotion motion;
  ExciteStatus status = ExciteStatus::random_search;
  double log_det = 0.0;        ///< see ExcitationProblem
  double log_det_start = 0.0;  ///< the best of the random motions that were improved on
  Excitation excitation = {};  ///< rank and condition number of the base regressor
  int base_parameters = 0;
  std::vector<std::uint64_t> seeds = {};  ///< one of each start
  int iterations = 0;                     ///< of all starts
  /// On a grid four times finer than the solver's, as shares of the robot's whole limits, if any.
  Vector position_use = {}, velocity_use = {}, acceleration = {}, effort_use = {};
  double distance = 0.0;                        ///< m, least of all; infinite if none was watched
  std::string nearest = {};                     ///< and between which
  int pairs = 0;                                ///< that were watched
  std::vector<std::string> pairs_ignored = {};  ///< not watched: they nearly always meet
  double radius = 0.0;                          ///< of the capsules
  std::vector<std::string> notes = {};
};

/// Whether there is a solver (Ipopt) in this library, or random search only.
bool excite_has_solver();

/// Every motion that it returns keeps all limits, on the finer grid too. The same options give the same
/// motion, unless the time limit cuts in. Throws std::invalid_argument for robots that it cannot move,
/// and std::runtime_error if no configuration was found in which the robot may stand.
ExciteResult excite(const TorqueModel& model, const ExciteOptions& options = {});

}  // namespace ulna::identify
