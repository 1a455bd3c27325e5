#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::mpc {

/// What a robot does without a plan: gravity is compensated, and motion damped.
class Fallback {
 public:
  /// `damping`: of joints of full effort, Nm s/rad; weaker ones have their share.
  Fallback(const Model& model, double damping)
      : motion_(model), ws_(model), damping_(Eigen::VectorXd::Constant(model.nv(), damping)) {
    const double strongest = model.effort_limit().maxCoeff();
    if (std::isfinite(strongest)) damping_ = damping / strongest * model.effort_limit();
  }

  void torque(const Plant<double>& plant, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
              Eigen::VectorXd& tau) {
    motion_.set(q);
    gravity_torque<double>(plant, motion_, ws_, tau);
    tau -= damping_.cwiseProduct(v);
  }

 private:
  Motion<double> motion_;
  Workspace<double> ws_;
  Eigen::VectorXd damping_;
};

}  // namespace ulna::mpc
