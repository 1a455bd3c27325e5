#pragma once

#include <numbers>

#include "supervise/limiter.hpp"

namespace ulna::supervise {

/// How the robot is moved when it is not the controller that moves it: accelerations that damp, brake or hold it, within
/// the deceleration that its drives are good for. A joint that is light for its drive is damped and held by what the
/// drive can do instead: by its inertia alone, small errors of the model would carry it away.
class Laws {
 public:
  using Vector = Eigen::VectorXd;

  Laws(const Limits& limits, double period, double hold_hz, double retreat_share)
      : limits_(limits),
        period_(period),
        hold_(2.0 * std::numbers::pi * hold_hz),
        retreat_share_(retreat_share),
        place_(Vector::Zero(limits.torque.size())),
        away_(place_),
        a_(place_) {}

  /// Where the robot is held from now on.
  void set_place(const Vector& q) { place_ = q; }
  /// Where to retreat to: the way that external torques push.
  void set_retreat(const Vector& external, const Vector& threshold) {
    for (int i = 0; i < away_.size(); ++i)
      away_(i) =
          retreat_share_ * limits_.speed(i) * std::clamp(external(i) / threshold(i), -1.0, 1.0);
  }

  // --- accelerations, by the inertia at hand ---

  const Vector& hold(const StateDynamics& dynamics, const Vector& q, const Vector& v) {
    for (int i = 0; i < a_.size(); ++i) {
      // the whole torque at a quarter of a radian or metre
      const double stiff = std::sqrt(4.0 * strength(dynamics, i));
      const double w = std::clamp(stiff, hold_, std::max(hold_, 0.08 / period_));
      a_(i) = bounded(dynamics, i, w * w * (place_(i) - q(i)) - 2.0 * w * v(i));
    }
    return a_;
  }
  const Vector& brake(const StateDynamics& dynamics, const Vector& v) {
    return damp(dynamics, v, 100.0, 1.0);
  }
  const Vector& slow(const StateDynamics& dynamics, const Vector& v) {
    return damp(dynamics, v, 20.0, 0.5);
  }
  const Vector& comply(const StateDynamics& dynamics, const Vector& v) {
    return damp(dynamics, v, 5.0, 0.25);
  }
  const Vector& retreat(const StateDynamics& dynamics, const Vector& v) {
    return damp(dynamics, v - away_, 20.0, 0.5);
  }

 private:
  /// The acceleration that the whole torque is worth.
  double strength(const StateDynamics& dynamics, int i) const {
    return limits_.torque(i) / dynamics.inertia(i, i);
  }
  double bounded(const StateDynamics& dynamics, int i, double a) const {
    const double most = std::max(limits_.braking(i), 0.2 * strength(dynamics, i));
    return std::clamp(a, -most, most);
  }
  /// At `rate`, 1/s, or where that is less by a share of the torque at the speed limit.
  template <class Off>
  const Vector& damp(const StateDynamics& dynamics, const Off& off, double rate, double share) {
    for (int i = 0; i < a_.size(); ++i) {
      const double by_torque = share * strength(dynamics, i) / limits_.speed(i);
      const double most = std::max(rate, 0.3 / period_);
      a_(i) = bounded(dynamics, i, -std::clamp(by_torque, rate, most) * off(i));
    }
    return a_;
  }

  Limits limits_;
  double period_, hold_, retreat_share_;
  Vector place_, away_, a_;
};

}  // namespace ulna::supervise
