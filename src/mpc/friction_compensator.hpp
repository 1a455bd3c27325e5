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

/// Adds to planned torques what a plan without dry friction leaves out, and pushes joints that are stuck.
class FrictionCompensator {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  /// `noise`: standard deviation of torques, nv; pushes grow by it.
  FrictionCompensator(const Model& model, double rate_hz, const Vector& noise)
      : period_(1.0 / rate_hz),
        noise_(noise),
        near_(0.05 * model.velocity_limit().cwiseMin(4.0)),
        stuck_for_(Vector::Zero(model.nv())) {}

  /// Once a period, for the velocity that is planned and the one that is measured.
  void compensate(const Plant<double>& plant, In planned, In v, Vector& tau) {
    const Vector& effort = plant.model().effort_limit();
    for (Eigen::Index i = 0; i < tau.size(); ++i) {
      // a joint that nothing moves, as one at a stop, leaves nothing behind that is larger than its drive
      push_(i) = std::clamp(push(i, planned(i), v(i)), -effort(i), effort(i));
      tau(i) += friction(plant, i, planned(i), v(i)) + push_(i);
    }
  }

 private:
  /// Dry friction in the direction of the plan. Viscous friction is part of the plan, at the velocity of now;
  /// if it is estimated too large, it would drive a light joint that turns too fast on and on, so that it is
  /// only compensated near the velocity that the plan goes to.
  double friction(const Plant<double>& plant, Eigen::Index i, double planned, double v) const {
    const double dry = planned > 0.0 ? plant.friction(i) : plant.friction_negative(i);
    const double compensated = std::clamp(v, planned - near_(i), planned + near_(i));
    return dry * std::tanh(planned / friction_speed) + plant.damping(i) * (compensated - v);
  }

  /// A plan with too little friction yields too little torque, again and again.
  double push(Eigen::Index i, double planned, double v) {
    constexpr double patience = 0.05, growth = 100.0, release = 0.05;  // s, noises a second, s
    const bool stuck = std::abs(v) < friction_speed && std::abs(planned) > friction_speed;
    stuck_for_(i) = stuck ? stuck_for_(i) + period_ : 0.0;
    if (stuck_for_(i) > patience)
      return push_(i) + std::copysign(growth * noise_(i) * period_, planned);
    return push_(i) * (1.0 - std::min(1.0, period_ / release));
  }

  double period_;
  Vector noise_, near_;
  Vector stuck_for_, push_ = stuck_for_;  ///< s, Nm
};

}  // namespace ulna::mpc
