#pragma once

#include "ulna/identify/refine/refine.hpp"

/// The two ways of Cărămizaru 2023, section 4.2, from a log to a robot's parameters: what its Figure 6.8 compares.
namespace thesis {

struct Errors {
  double torque_percent = 0.0;  ///< of torques on a motion held out, without noise: ‖e‖/‖tau‖
  double base_percent = 0.0;    ///< of base parameters: ‖e‖/‖beta‖
};

/// Noise is weighed once, and nothing ends the search before it converges.
inline ulna::identify::RefineOptions weighed_once() {
  return {.passes = 1, .most_iterations = 1000};
}

/// A robot without friction whose inertias differ from its description's by up to 30 %, moved for 10 s and
/// measured at 100 Hz with noise on positions, velocities and torques. All ten parameters of each link are
/// asked for; what is known before is the description. The same seed gives the same log.
class Experiment {
 public:
  Experiment(const ulna::Model& robot, std::uint64_t seed);

  int parameters() const { return model_.unknowns(); }
  int base_parameters() const { return base_.size(); }
  /// Of the description's numbers, where both begin.
  Errors before() const { return errors(model_.nominal()); }
  Errors errors(const Eigen::VectorXd& z) const;

  /// Linear least squares on inverse dynamics, all joints alike (eq. 4.15).
  ulna::identify::Estimate linear() const;
  /// Nonlinear ones by multiple shooting (remark 4.2.9). Needs Ceres.
  ulna::identify::Refinement shooting(const ulna::identify::RefineOptions& options) const;

 private:
  ulna::identify::TorqueModel model_;
  ulna::identify::BaseParameters base_;
  Eigen::VectorXd truth_;
  ulna::identify::TorqueData held_out_;
  ulna::identify::Prepared log_;
};

}  // namespace thesis
