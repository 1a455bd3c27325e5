#include "ulna/control/robot/robot_problem_options.hpp"

namespace ulna::control {

const char* to_string(Transcription transcription) {
  return transcription == Transcription::forward_dynamics ? "forward_dynamics" : "inverse_dynamics";
}

MotionWeights::MotionWeights(const Model& model)
    : position(Eigen::VectorXd::Constant(model.nv(), 10.0)),
      velocity(Eigen::VectorXd::Constant(model.nv(), 0.1)),
      torque(model.nv()) {
  for (int i = 0; i < model.nv(); ++i) {
    const double most = model.effort_limit()(i);
    torque(i) = std::isfinite(most) ? 1.0 / (most * most) : 1e-4;
  }
}

MotionLimits::MotionLimits(const Model& model)
    : lower(Eigen::VectorXd::Constant(model.nv(), -infinity)),
      upper(Eigen::VectorXd::Constant(model.nv(), infinity)),
      velocity(model.velocity_limit()),
      torque(model.effort_limit()) {
  for (const Joint& j : model.joints())
    if (!j.mimics && velocity_size(j.type) == 1)
      lower(j.v) = model.lower_limit()(j.q), upper(j.v) = model.upper_limit()(j.q);
}

MotionLimits& MotionLimits::tighten(double share) {
  for (Eigen::Index i = 0; i < lower.size(); ++i) {
    const double range = upper(i) - lower(i);
    if (!std::isfinite(range)) continue;
    lower(i) += share * range, upper(i) -= share * range;
  }
  velocity *= 1.0 - 2.0 * share;
  torque *= 1.0 - 2.0 * share;
  return *this;
}

}  // namespace ulna::control
