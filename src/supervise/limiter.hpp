#pragma once

#include "supervise/alarms.hpp"
#include "supervise/state_dynamics.hpp"
#include "ulna/supervise/limits.hpp"

namespace ulna::supervise {

/// A bound, and what it is due to.
struct Bound {
  double value;
  Cause cause;
};

/// How fast a joint may be, `room` away from its limit, so that it can still be stopped there: it goes on for the time
/// that the drives need to react, and is then braked.
///
///   v reaction + v² / (2 braking) = room
inline double stoppable_speed(double room, double braking, double reaction) {
  if (!(room > 0.0)) return 0.0;
  return braking * (std::sqrt(reaction * reaction + 2.0 * room / braking) - reaction);
}

/// The times that bounds are computed with, s.
struct LimiterTimes {
  double period;
  double approach;  ///< within which a bound on speed is approached
  double reaction;  ///< from the decision to brake until a joint is braked
};

/// The most that a joint may accelerate in the positive direction. Speed bounds are control barrier functions [Ames et
/// al. 2019]: with s the highest speed where the joint is, v may approach s no faster than by (s - v) / approach.
///
///   a <= (s - v) / approach + ds/dt
///
/// A joint that is too fast already is braked, by the acceleration limit at most.
inline Bound highest_acceleration(double room, double v, double speed, double acceleration,
                                  double braking, const LimiterTimes& times) {
  Bound bound{acceleration, Cause::acceleration_limit};
  const double by_speed = (speed - v) / times.approach;
  if (by_speed < bound.value) bound = {by_speed, Cause::speed_limit};
  if (std::isfinite(room)) {
    const double s = stoppable_speed(room, braking, times.reaction);
    const double slope = braking / (s + braking * times.reaction);  // ds/d(room)
    const double by_position = (s - v) / times.approach - slope * std::max(v, 0.0);
    if (by_position < bound.value) bound = {by_position, Cause::position_limit};
  }
  bound.value = std::max(bound.value, -acceleration);
  return bound;
}

/// Keeps torques within limits: of torque and torque rate always, of acceleration, speed and position by what the model
/// predicts for the next period. Torques within all of them are not touched.
///
/// If a joint would accelerate too much, its acceleration is cut, the others keep theirs, and the torques follow from the
/// equation of motion. If the drives cannot do that, all joints give way alike: from those accelerations to those that
/// brake every joint, as far as is needed. If braking is too much for a drive, it gives what it can.
class Limiter {
 public:
  using Vector = Eigen::VectorXd;

  Limiter(const Limits& limits, double period, double drive_delay, double rest_speed)
      : limits_(limits),
        period_(period),
        rest_speed_(rest_speed),
        lowest_(limits.torque),
        highest_(limits.torque),
        a_(limits.torque),
        dry_(a_),
        asked_(a_),
        braking_(a_) {
    const Eigen::Index n = limits.torque.size();
    times_.reserve(static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i) {
      const double swing = limits.torque(i) / limits.torque_rate(i);
      times_.push_back({period, std::max(6.0 * period, swing), drive_delay + 2.0 * period + swing});
    }
  }

  /// From the torques that were sent last to those that may be sent now.
  void set_range(const Vector& sent) {
    const Vector& T = limits_.torque;
    lowest_ = (sent - period_ * limits_.torque_rate).cwiseMax(-T).cwiseMin(T);
    highest_ = (sent + period_ * limits_.torque_rate).cwiseMin(T).cwiseMax(-T);
  }
  /// Cuts torques to the range.
  void cut(Vector& tau) const { tau = tau.cwiseMax(lowest_).cwiseMin(highest_); }
  /// The same, with alarms.
  void cut(Vector& tau, Alarms& alarms) const {
    for (int i = 0; i < tau.size(); ++i) {
      const double wanted = tau(i);
      tau(i) = std::clamp(wanted, lowest_(i), highest_(i));
      if (std::abs(wanted) > limits_.torque(i))
        alarms.raise(Cause::torque_limit, i, wanted, limits_.torque(i));
      else if (tau(i) != wanted)
        alarms.raise(Cause::torque_rate_limit, i, wanted, tau(i));
    }
  }

  /// Cuts torques that are within the range to what motion allows. `disturbance`: what acts beside the drives.
  void limit(const StateDynamics& dynamics, const Plant<double>& plant, const Vector& q,
             const Vector& v, const Vector& disturbance, Vector& tau, Alarms& alarms) {
    predict(dynamics, plant, v, disturbance, tau);
    bool cut_any = false;
    for (int i = 0; i < tau.size(); ++i) {
      const auto [least, most] = bounds(i, q(i), v(i));
      const double wanted = a_(i);
      a_(i) = std::clamp(wanted, least.value, most.value);
      if (a_(i) == wanted) continue;
      const Bound& cut = wanted > most.value ? most : least;
      alarms.raise(cut.cause, i, wanted, cut.value);
      cut_any = true;
    }
    if (!cut_any) return;
    set_torque(dynamics, disturbance, asked_);
    if (((asked_ - lowest_).array() < 0.0).any() || ((highest_ - asked_).array() < 0.0).any()) {
      brake(q, v);
      set_torque(dynamics, disturbance, braking_);
      const double share = possible_share();
      alarms.raise(Cause::braked_together, -1, share, 1.0);
      asked_ = braking_ + share * (asked_ - braking_);
      cut(asked_);
    }
    if (asked_.allFinite()) tau = asked_;
  }

  /// How the robot accelerates under torques; at rest, dry friction holds what it can.
  const Vector& predict(const StateDynamics& dynamics, const Plant<double>& plant, const Vector& v,
                        const Vector& disturbance, const Vector& tau) {
    a_ = tau + disturbance - dynamics.bias - dynamics.viscous;
    for (int i = 0; i < tau.size(); ++i) {
      const double forward = std::max(plant.friction(i), 0.0);
      const double backward = -std::max(plant.friction_negative(i), 0.0);
      dry_(i) = std::abs(v(i)) <= rest_speed_ ? std::clamp(a_(i), backward, forward)
                : v(i) > 0.0                  ? forward
                                              : backward;
    }
    a_ -= dry_;
    dynamics.solve(a_);
    return a_;
  }

  const Limits& limits() const { return limits_; }

 private:
  struct Bounds {
    Bound least, most;
  };
  /// Where limits are so close to each other that their bounds contradict, the middle of the two.
  Bounds bounds(int i, double q, double v) const {
    const LimiterTimes& times = times_[static_cast<std::size_t>(i)];
    const auto highest = [&](double room, double speed) {
      return highest_acceleration(room, speed, limits_.speed(i), limits_.acceleration(i),
                                  limits_.braking(i), times);
    };
    Bound most = highest(limits_.upper(i) - q, v), least = highest(q - limits_.lower(i), -v);
    least.value = -least.value;
    if (least.value > most.value) least.value = most.value = 0.5 * (least.value + most.value);
    return {least, most};
  }
  /// How far one can go from the torques that brake to those asked for, of drives that can brake.
  double possible_share() const {
    double share = 1.0;
    for (int i = 0; i < asked_.size(); ++i) {
      const double from = braking_(i), step = asked_(i) - from;
      if (from < lowest_(i) || from > highest_(i) || step == 0.0) continue;
      share = std::min(share, ((step > 0.0 ? highest_(i) : lowest_(i)) - from) / step);
    }
    return share;
  }
  void brake(const Vector& q, const Vector& v) {
    for (int i = 0; i < v.size(); ++i) {
      const double slowing = -v(i) / times_[static_cast<std::size_t>(i)].approach;
      const auto [least, most] = bounds(i, q(i), v(i));
      a_(i) = std::clamp(std::clamp(slowing, -limits_.braking(i), limits_.braking(i)), least.value,
                         most.value);
    }
  }
  void set_torque(const StateDynamics& dynamics, const Vector& disturbance, Vector& tau) const {
    tau.noalias() = dynamics.inertia.lazyProduct(a_);
    tau += dynamics.bias + dynamics.viscous + dry_ - disturbance;
  }

  Limits limits_;
  double period_, rest_speed_;
  std::vector<LimiterTimes> times_;
  Vector lowest_, highest_;
  Vector a_, dry_;  ///< what is predicted: accelerations, and dry friction
  Vector asked_, braking_;  ///< torques
};

}  // namespace ulna::supervise
