#include "ulna/identify/excite/excite.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "identify/excite/excite_solver.hpp"
#include "identify/messages.hpp"

namespace ulna::identify {
namespace {

constexpr int most_joints_moved = 40;

/// Coefficients of standing still at q.
Matrix still(const MotionBasis& basis, const Vector& q) {
  Matrix C = Matrix::Zero(q.size(), basis.size());
  if (basis.kind() == MotionKind::fourier)
    C.col(0) = q;
  else
    C.colwise() = q;
  return C;
}

/// Whether all limits are kept; numbers that are not finite keep none.
bool is_kept(const Eigen::Ref<const Vector>& peak) {
  return peak.allFinite() && (peak.array() <= 1.0).all();
}

bool feasible(ExcitationProblem& problem, const Matrix& C) {
  return is_kept(problem.fine_peak(C.reshaped()));
}

/// Why no place was found where the robot can stand, and what to do about it.
std::string why_nowhere(const ExcitationProblem& problem, bool drives_hold, bool is_clear) {
  std::string limits, remedies;
  const auto add = [](std::string& to, const std::string& text, const char* between) {
    to += (to.empty() ? "" : between) + text;
  };
  if (!drives_hold || is_clear) {
    add(limits, "the effort limits", " and ");
    add(remedies,
        "allow more of the limits (ExciteOptions::share), or take a lighter payload "
        "(ExciteOptions::parameters)",
        ", or ");
  }
  if (!is_clear || drives_hold) {
    add(limits, "the distances between links and from the floor", " and ");
    add(remedies,
        message("capsules of ", problem.capsules().radius(),
                " m may be too thick, or the floor too high (ExciteOptions::capsules)"),
        ", or ");
  }
  return "none of 300 random configurations keeps " + limits + "; " + remedies;
}

/// The middle of the range, or a random place where the robot can stand.
Vector find_middle(ExcitationProblem& problem, const Model& model, std::mt19937_64& random) {
  const ExcitationLimits& limits = problem.limits();
  const int n = problem.joints();
  Vector q = 0.5 * (limits.lower + limits.upper);
  bool drives_hold = false, is_clear = false;  // somewhere
  for (int k = 0; k < 300; ++k) {
    const Vector peak = problem.fine_peak(still(problem.basis(), q).reshaped());
    if (is_kept(peak)) return q;
    drives_hold |= is_kept(peak.segment(3 * n, n));
    is_clear |= is_kept(peak.tail(peak.size() - 4 * n));
    // within the inner half, then anywhere
    const double edge = k < 150 ? 0.25 : 0.0;
    for (Index i = 0; i < q.size(); ++i) {
      const double margin = edge * (limits.upper(i) - limits.lower(i));
      q(i) = uniform(random, limits.lower(i) + margin, limits.upper(i) - margin);
    }
  }
  throw std::runtime_error(
      message("robot '", model.name(), "': ", why_nowhere(problem, drives_hold, is_clear)));
}

/// What to change if no motion keeps all limits.
std::string what_may_help(const ExcitationProblem& problem, const ExciteOptions& options) {
  std::vector<const char*> ways{"take more time (ExciteOptions::duration)"};
  if (options.acceleration > 0.0)
    ways.push_back("allow more acceleration (ExciteOptions::acceleration)");
  if (problem.capsules().size() > 0)
    ways.push_back("take thinner capsules (ExciteOptions::capsules)");
  if (options.parameters) ways.push_back("a lighter payload (ExciteOptions::parameters)");
  ways.push_back("or allow more of the limits (ExciteOptions::share)");
  std::string text;
  for (const char* way : ways) text += (text.empty() ? "" : ", ") + std::string(way);
  return text;
}

/// A random motion about a place, as large as limits let it be.
Matrix random_motion(ExcitationProblem& problem, const Vector& middle, std::mt19937_64& random) {
  const ExcitationLimits& limits = problem.limits();
  const MotionBasis& basis = problem.basis();
  const bool fourier = basis.kind() == MotionKind::fourier;
  Matrix way = Matrix::Zero(middle.size(), basis.size());
  for (Index i = 0; i < way.rows(); ++i) {
    const double half = 0.5 * (limits.upper(i) - limits.lower(i));
    for (Index f = 0; f < way.cols(); ++f)
      way(i, f) = uniform(random, -1.0, 1.0) * (fourier && f > 0 ? limits.velocity(i) : half);
  }
  const Matrix here = still(basis, middle);
  double size = 1.0;
  for (int k = 0; k < 24; ++k, size *= 0.7)
    if (const Matrix C = here + size * way; feasible(problem, C)) return C;
  return here + 1e-3 * size * way;
}

/// From the whole limits to those of the share that was allowed.
void report_use(ExcitationProblem& problem, const Model& model, const ExciteOptions& options,
                const Vector& x, ExciteResult& result) {
  const int n = problem.joints();
  const Vector peak = problem.fine_peak(x);
  result.position_use = options.share * peak.head(n);
  const double share = options.share * (1.0 - options.reserve);
  result.velocity_use = share * peak.segment(n, n);
  result.effort_use = share * peak.segment(3 * n, n);
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(model.lower_limit()(i)) || !std::isfinite(model.upper_limit()(i)))
      result.position_use(i) = none;
    if (!std::isfinite(model.velocity_limit()(i))) result.velocity_use(i) = none;
    if (!std::isfinite(problem.limits().effort(i))) result.effort_use(i) = none;
  }
  const Vector t = Vector::LinSpaced(4 * problem.samples() + 1, 0.0, problem.basis().duration());
  result.acceleration = result.motion.at(t, 2).cwiseAbs().rowwise().maxCoeff();

  const Capsules& capsules = problem.capsules();
  result.pairs = capsules.size(), result.pairs_ignored = capsules.ignored();
  result.radius = capsules.radius();
  result.distance = infinity;
  for (int p = 0; p < capsules.size(); ++p) {
    const double d =
        capsules.required() + (1.0 - peak(4 * n + p)) * (capsules.required() + capsules.radius());
    if (d < result.distance) result.distance = d, result.nearest = capsules.name(p);
  }
}

}  // namespace

std::string_view to_string(ExciteStatus status) {
  return std::array{"converged", "iteration limit", "time limit",
                    "stalled",   "random search",   "stopped"}[int(status)];
}

bool BestPoint::visit(const Vector& x) {
  problem_.evaluate(x);
  if (!is_kept(problem_.peak) || !(problem_.log_det > log_det_)) return false;
  if (!is_kept(problem_.fine_peak(x))) return false;
  x_ = x, log_det_ = problem_.log_det;
  return true;
}

void BestPoint::approach(const Vector& x) {
  for (const double share : {1.0, 0.98, 0.93, 0.8}) {
    if (visit(home_ + share * (x - home_))) return;
    if (!(problem_.log_det > log_det_)) return;
  }
}

ExciteResult excite(const TorqueModel& model, const ExciteOptions& options) {
  const Model& robot = model.model();
  ExcitationLimits limits = excitation_limits(robot, options.share);
  require(robot.nv() <= most_joints_moved, "robot '", robot.name(), "' has ", robot.nv(),
          " joints; excitation is for up to ", most_joints_moved,
          ": lock some, or take a part of it");
  require(options.starts >= 1 && options.iterations >= 0 && options.seconds > 0.0,
          "starts must be at least 1, iterations not negative, seconds positive");
  require(options.reserve >= 0.0 && options.reserve < 1.0,
          "the share of limits kept free must be at least 0 and below 1");
  if (options.acceleration > 0.0) limits.acceleration.setConstant(options.acceleration);
  limits.velocity *= 1.0 - options.reserve, limits.effort *= 1.0 - options.reserve;
  const int harmonics = options.harmonics > 0
                            ? options.harmonics
                            : int(std::clamp(std::lround(0.5 * options.duration), 5L, 25L));
  const BaseParameters base = find_base_parameters(model, options.known);
  require(base.size() > 0,
          "there is nothing to identify: all parameters are known, or no torque depends on them");
  ExcitationProblem problem(model, base, options.parameters ? *options.parameters : model.nominal(),
                            limits, options.capsules,
                            {options.kind, options.duration, harmonics, options.rest});

  const auto begin = std::chrono::steady_clock::now();
  const auto time_is_left = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
           options.seconds;
  };
  BestPoint best(problem);
  ExciteResult result{problem.motion(Vector::Zero(problem.variables()))};
  result.base_parameters = base.size();
  result.notes = limits.notes;
  bool stopped = false;
  for (int start = 0; !stopped && start < options.starts && (start == 0 || time_is_left());
       ++start) {
    const std::uint64_t seed = options.seed + std::uint64_t(start);
    result.seeds.push_back(seed);
    std::mt19937_64 random(seed);
    const Vector middle = find_middle(problem, robot, random);
    best.set_home(still(problem.basis(), middle).reshaped());
    const Vector x = random_motion(problem, middle, random).reshaped();
    const double before = best.log_det();
    best.visit(x);
    result.log_det_start = std::max(result.log_det_start, problem.log_det);
    int done = 0;
    const ExciteStatus status = solve_excitation(
        problem, x, options.iterations, best,
        [&](int iteration) {
          stopped = options.progress && !options.progress(start, iteration, best.log_det());
          return !stopped && time_is_left();
        },
        done);
    result.iterations += done;
    if (start == 0 || best.log_det() > before) result.status = status;
  }
  if (stopped) result.status = ExciteStatus::stopped;
  if (!best.any() && stopped)
    throw std::runtime_error("stopped before a motion was found that keeps all limits");
  if (!best.any())
    throw std::runtime_error(message("robot '", robot.name(),
                                     "': no motion was found that keeps all limits; ",
                                     what_may_help(problem, options)));
  problem.evaluate(best.x());
  result.motion = problem.motion(best.x());
  result.log_det = problem.log_det;
  result.excitation = excitation(problem.information());
  report_use(problem, robot, options, best.x(), result);
  return result;
}

}  // namespace ulna::identify
