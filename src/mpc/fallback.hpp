#pragma once

#include "mpc/robot_scale.hpp"

namespace ulna::mpc {

/// What a robot does without a plan: gravity is compensated, and motion damped.
class Fallback {
 public:
  /// `damping`: of joints of full effort, Nm s/rad; weaker ones have their share. A joint without effort limit counts by
  /// what it usually needs, and changes the share of no joint that has one.
  Fallback(const Model& model, double damping)
      : dynamics_(model), damping_(scale_of(Plant<double>(model)).torque) {
    const Eigen::VectorXd& limit = model.effort_limit();
    double strongest = limit.array().isFinite().select(limit.array(), 0.0).maxCoeff();
    if (strongest == 0.0) strongest = damping_.maxCoeff();
    damping_ = damping / strongest * damping_.cwiseMin(strongest);
  }

  void torque(const Plant<double>& plant, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
              Eigen::VectorXd& tau) {
    dynamics_.gravity(plant, q, tau);
    tau -= damping_.cwiseProduct(v);
    dynamics_.reduce(tau);
  }

 private:
  DrivenDynamics dynamics_;
  Eigen::VectorXd damping_;
};

}  // namespace ulna::mpc
