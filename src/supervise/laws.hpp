#pragma once

#include "supervise/limiter.hpp"

namespace ulna::supervise {

/// How the robot is moved when it is not the controller that moves it: accelerations that damp, brake or hold it, within
/// the deceleration that its drives are good for.
class Laws {
 public:
  using Vector = Eigen::VectorXd;

  Laws(const Limits& limits, double hold_hz, double retreat_share)
      : limits_(limits),
        stiffness_(std::pow(2.0 * std::numbers::pi * hold_hz, 2)),
        damping_(2.0 * 2.0 * std::numbers::pi * hold_hz),
        retreat_share_(retreat_share),
        place_(Vector::Zero(limits.torque.size())),
        away_(place_),
        a_(place_) {}

  /// Where the robot is held from now on.
  void set_place(const Vector& q) { place_ = q; }
  /// Where to retreat to: the way that external torques push.
  void set_retreat(const Vector& external, const Vector& threshold) {
    for (int i = 0; i < away_.size(); ++i)
      away_(i) = retreat_share_ * limits_.speed(i) * std::clamp(external(i) / threshold(i), -1.0, 1.0);
  }

  void hold(const Vector& q, const Vector& v) { a_ = stiffness_ * (place_ - q) - damping_ * v; }
  void brake(const Vector& v) { a_ = v / -0.01; }
  void damp(const Vector& v) { a_ = v / -0.05; }
  void comply(const Vector& v) { a_ = v / -0.2; }
  void retreat(const Vector& v) { a_ = (away_ - v) / 0.05; }

  /// Of the law that was chosen last.
  const Vector& acceleration() {
    a_ = a_.cwiseMax(-limits_.braking).cwiseMin(limits_.braking);
    return a_;
  }

 private:
  Limits limits_;
  double stiffness_, damping_, retreat_share_;
  Vector place_, away_, a_;
};

}  // namespace ulna::supervise
