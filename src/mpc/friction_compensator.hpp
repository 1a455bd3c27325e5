#pragma once

#include <algorithm>
#include <cmath>

#include "ulna/model/plant.hpp"

namespace ulna::mpc {

/// rad/s at which the compensation of dry friction is three quarters of it: it must not chatter.
inline constexpr double friction_speed = 0.02;

inline void remove_dry_friction(Plant<double>& plant) {
  plant.friction.setZero(), plant.friction_negative.setZero();
}

inline Plant<double> without_dry_friction(Plant<double> plant) {
  remove_dry_friction(plant);
  return plant;
}

/// Dry friction, which plans leave out, in the direction of the plan, and viscous friction where the joint does
/// not move as planned.
class FrictionCompensator {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  explicit FrictionCompensator(const Model& model)
      : near_(0.05 * model.velocity_limit().cwiseMin(4.0)), dry_(Vector::Zero(model.nv())) {}

  /// Adds to planned torques, for the velocity that is planned and the one that the robot has.
  void compensate(const Plant<double>& plant, In planned, In v, Vector& tau) {
    set_dry(plant, planned);
    for (Eigen::Index i = 0; i < tau.size(); ++i) {
      // Viscous friction is part of the plan, at the velocity of now; if it is estimated too large, it would
      // drive a light joint that turns too fast on and on, so that it is only compensated near the
      // velocity that the plan goes to.
      const double compensated = std::clamp(v(i), planned(i) - near_(i), planned(i) + near_(i));
      tau(i) += dry_(i) + plant.damping(i) * (compensated - v(i));
    }
  }

  void set_dry(const Plant<double>& plant, In planned) {
    set_dry(plant.friction, plant.friction_negative, planned);
  }
  void set_dry(In positive, In negative, In planned) {
    for (Eigen::Index i = 0; i < dry_.size(); ++i)
      dry_(i) =
          (planned(i) > 0.0 ? positive(i) : negative(i)) * std::tanh(planned(i) / friction_speed);
  }
  void reset() { dry_.setZero(); }

  /// What was added for dry friction last, Nm.
  const Vector& dry() const { return dry_; }

 private:
  Vector near_, dry_;
};

}  // namespace ulna::mpc
