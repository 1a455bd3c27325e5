#include "ulna/identify/refine/refine.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "identify/messages.hpp"
#include "identify/refine/shooting_problem.hpp"

namespace ulna::identify {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Name<RefineStatus> status_table[] = {
    {RefineStatus::converged, "converged"},     {RefineStatus::iteration_limit, "iteration limit"},
    {RefineStatus::time_limit, "time limit"},   {RefineStatus::stopped, "stopped"},
    {RefineStatus::failed, "no step possible"},
};

/// Where data.x has the direction of a degree of freedom, and how: direction = factor x + shift.
struct DirectionColumn {
  int feature = -1;
  double factor = 1.0, shift = 0.0;
};
DirectionColumn direction_column(const TorqueModel& model) {
  for (int k = 0; k < model.feature_count(); ++k) switch (model.features()[k]) {
      case Feature::coulomb:
        return {k, 1.0, 0.0};
      case Feature::coulomb_positive:
        return {k, 2.0, -1.0};
      case Feature::coulomb_negative:
        return {k, 2.0, 1.0};
      default:
        break;
    }
  return {};
}

void check(const TorqueModel& model, const Estimate& start, const Prepared& prepared,
           const RefineOptions& options) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument("refine: " + what);
  };
  const Model& robot = model.model();
  for (int b = 1; b < robot.body_count(); ++b)
    if (!robot.joint(b).mimics && velocity_size(robot.joint(b).type) > 1)
      refuse("joint '" + std::string(robot.joint_name(b)) +
             "' has more than one degree of freedom");
  detail::require_size("start.z", start.z.size(), model.unknowns(), robot);
  if (!is_consistent(model, start.z))
    refuse("the start is not physically consistent; take one of Method::consistent");
  for (const Piece& piece : prepared.pieces)
    if (piece.tau.cols() != piece.size() || piece.direction.cols() != piece.size())
      refuse("a piece of motion has no torques");
  if (options.stribeck && direction_column(model).feature < 0)
    refuse(
        "Stribeck friction is what Coulomb friction grows by towards rest: add feature 'coulomb'");
  if (options.torques_noisy && (options.stribeck || options.delay))
    refuse(
        "with noisy torques, what pushes each window takes the place of Stribeck friction and of a "
        "delay: estimate these with exact torques");
  const auto positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  if (!positive(options.window) || !positive(options.rate_hz) || !positive(options.continuity) ||
      !positive(options.delay_deviation) || options.passes < 1 || options.most_steps < 1)
    refuse("window, rate, continuity, delay deviation, passes and steps must be positive");
}

}  // namespace

std::string_view to_string(RefineStatus status) {
  return name_in<RefineStatus>(status_table, status);
}

std::string Refinement::str() const {
  const auto size = [](const Vector& x) {
    return number(std::sqrt(x.squaredNorm() / double(std::max<Eigen::Index>(1, x.size()))));
  };
  return std::string(to_string(status)) + " after " + std::to_string(iterations) +
         " iterations in " + number(seconds) + " s: " + std::to_string(windows) + " windows of " +
         number(window) + " s, positions off by " + size(position_before) + " -> " +
         size(position_after) + ", velocities by " + size(velocity_before) + " -> " +
         size(velocity_after);
}

Matrix stribeck_torques(const Refinement& refined, const Matrix& V, const Matrix& directions) {
  if (refined.stribeck_level.size() == 0) return Matrix::Zero(V.rows(), V.cols());
  const Matrix u = refined.stribeck_velocity.cwiseInverse().asDiagonal() * V;
  const Matrix bump = (-u.array().square()).exp().matrix().cwiseProduct(directions);
  return refined.stribeck_level.asDiagonal() * bump;
}

Fit fit_of(const TorqueModel& model, const Refinement& refined, const TorqueData& data) {
  Matrix errors = data.tau - model.torques(refined.estimate.z, data.q, data.v, data.a, data.x);
  if (refined.stribeck_level.size() > 0) {
    const DirectionColumn column = direction_column(model);
    Matrix directions(data.v.rows(), data.v.cols());
    for (Eigen::Index i = 0; i < directions.rows(); ++i)
      directions.row(i) =
          (column.factor * data.x.row(model.feature_count() * i + column.feature)).array() +
          column.shift;
    errors -= stribeck_torques(refined, data.v, directions);
  }
  return fit_of(errors, data.tau);
}

#if !ULNA_WITH_CERES

bool can_refine() { return false; }

Refinement refine(const TorqueModel& model, const BaseParameters&, const Estimate& start,
                  const Prepared& prepared, const RefineOptions& options) {
  check(model, start, prepared, options);
  throw std::runtime_error("refine: ulna was built without Ceres (Debian: libceres-dev)");
}

#else

bool can_refine() { return true; }

Refinement refine(const TorqueModel& model, const BaseParameters& base, const Estimate& start,
                  const Prepared& prepared, const RefineOptions& options) {
  check(model, start, prepared, options);
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  ShootingProblem problem(model, base, start, prepared, options);

  Refinement result;
  result.estimate = start;
  result.estimate.steps = 0;
  problem.rms(result.position_before, result.velocity_before);
  problem.settle();
  for (int pass = 0; pass < options.passes; ++pass) {
    const double change = problem.weigh_by_noise();
    // the last word is with weights that fit
    if (pass > 0 && change < 0.02) break;
    const auto left = [&] { return options.most_seconds - seconds(); };
    result.status = problem.solve(
        options.most_iterations - result.iterations, left(), [&](int iteration, double cost) {
          return !options.progress ||
                 options.progress({result.iterations + iteration, cost, seconds()});
        });
    result.iterations += problem.iterations();
    result.reason = problem.reason();
    if (result.status != RefineStatus::converged) break;
  }
  problem.rms(result.position_after, result.velocity_after);
  problem.report(result);
  result.window = problem.window();
  result.windows = problem.windows();
  result.samples = problem.samples();
  result.estimate.consistent = is_consistent(model, result.estimate.z);
  result.estimate.steps = result.iterations;
  result.seconds = seconds();
  return result;
}

#endif

}  // namespace ulna::identify
