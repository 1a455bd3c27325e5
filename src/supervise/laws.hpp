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
        a_(place_) {
    set_lag(0.0);
  }

  /// Of the drives, s. With a lag, damping at a rate r leaves r lag < 0.6: oscillations decay.
  void set_lag(double lag) {
    lags_ = lag > 0.0;
    fastest_ = 0.6 / (2.0 * period_ + lag);
    stiffest_ = lags_ ? std::min(0.08 / period_, 0.4 / (2.0 * period_ + lag)) : 0.08 / period_;
  }

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
      const double softest = lags_ ? std::min(hold_, stiffest_) : hold_;
      const double w = std::clamp(stiff, softest, std::max(softest, stiffest_));
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
      const double least = lags_ ? std::min(rate, fastest_) : rate;
      a_(i) =
          bounded(dynamics, i, -std::clamp(by_torque, least, std::max(least, fastest_)) * off(i));
    }
    return a_;
  }

  Limits limits_;
  double period_, hold_, retreat_share_;
  bool lags_ = false;
  double fastest_ = 0.0, stiffest_ = 0.0;  ///< 1/s
  Vector place_, away_, a_;
};

}  // namespace ulna::supervise
