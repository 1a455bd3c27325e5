#include "ulna/identify/refine/refine.hpp"
#include "ulna/model/inspect.hpp"

#include <algorithm>
#include <array>

#include "identify/messages.hpp"
#include "identify/refine/shooting.hpp"

namespace ulna::identify {
namespace {

/// A feature that goes by the direction alone, or none: -1.
int dry_feature(const TorqueModel& model) {
  for (int k = 0; k < model.feature_count(); ++k)
    if (terms_of(model.features()[k]).direction != 0.0) return k;
  return -1;
}

}  // namespace

std::string_view to_string(RefineStatus status) {
  return std::array{"converged", "iteration limit", "time limit", "stopped",
                    "no step possible"}[int(status)];
}

std::string Refinement::str() const {
  const auto size = [](const Vector& x) {
    return std::sqrt(x.squaredNorm() / double(std::max<Index>(1, x.size())));
  };
  return message(to_string(status), " after ", iterations,
                 iterations == 1 ? " iteration in " : " iterations in ", seconds, " s: ", windows,
                 " windows of ", window, " s, position error ", size(position_before), " -> ",
                 size(position_after), ", velocity error ", size(velocity_before), " -> ",
                 size(velocity_after));
}

Matrix stribeck_torques(const Refinement& refined, const Matrix& V, const Matrix& directions) {
  if (refined.stribeck_level.size() == 0) return Matrix::Zero(V.rows(), V.cols());
  const Matrix u = refined.stribeck_velocity.cwiseInverse().asDiagonal() * V;
  const Matrix bump = (-u.array().square()).exp().matrix().cwiseProduct(directions);
  return refined.stribeck_level.asDiagonal() * bump;
}

Fit fit_of(const TorqueModel& model, const Refinement& refined, const TorqueData& data) {
  Matrix errors = errors_of(model, refined.estimate.z, data);
  if (refined.stribeck_level.size() > 0) {
    const int k = dry_feature(model);
    const FeatureTerms& by = terms_of(model.features()[k]);
    const auto rows = Eigen::seqN(k, data.v.rows(), model.feature_count());
    const Matrix directions = (data.x(rows, Eigen::all).array() - by.one) / by.direction;
    errors -= stribeck_torques(refined, data.v, directions);
  }
  return fit_of(errors, data.tau);
}

void require_refinable(const TorqueModel& model, const Estimate& start, const Prepared& prepared,
                       const RefineOptions& options) {
  const Model& robot = model.model();
  const int compound = compound_joint(robot);
  require(compound == 0, "refine: joint '", robot.joint_name(compound),
          "' has more than one degree of freedom");
  ulna::detail::require_size("start.z", start.z.size(), model.unknowns(), robot);
  require(is_consistent(model, start.z),
          "refine: the start is not physically consistent; take one of Method::consistent");
  for (const Piece& piece : prepared.pieces)
    require(piece.tau.cols() == piece.size() && piece.direction.cols() == piece.size(),
            "refine: a piece of motion has no torques");
  require(!options.stribeck || dry_feature(model) >= 0,
          "refine: Stribeck friction is an increase of Coulomb friction near rest: add feature "
          "'coulomb'");
  require(!options.torques_noisy || (!options.stribeck && !options.delay),
          "refine: with noisy torques, the additional torque of each window would absorb Stribeck "
          "friction and a delay: estimate these with exact torques");
  const auto positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  require(positive(options.window) && positive(options.rate_hz) && positive(options.continuity) &&
              positive(options.delay_deviation) && options.passes >= 1 && options.most_steps >= 1,
          "refine: window, rate, continuity, delay deviation, passes and steps must be positive");
}

bool can_refine() { return ULNA_WITH_CERES; }

#if !ULNA_WITH_CERES
Refinement refine(const TorqueModel& model, const BaseParameters&, const Estimate& start,
                  const Prepared& prepared, const RefineOptions& options) {
  require_refinable(model, start, prepared, options);
  throw std::runtime_error("refine: ulna was built without Ceres (Debian: libceres-dev)");
}
#endif

}  // namespace ulna::identify
