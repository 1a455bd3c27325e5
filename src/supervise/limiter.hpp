#pragma once

#include <algorithm>
#include <cmath>

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
  double approach;  ///< within which a bound on speed is approached
  double reaction;  ///< from the decision to brake until a joint is braked
  double period;
};

/// The most that a joint may accelerate in the positive direction. Speed bounds are control barrier functions [Ames et
/// al. 2019]: with s the highest speed where the joint is, v may approach s no faster than by (s - v) / approach.
///
///   a <= (s - v) / approach + ds/dt
///
/// A slow joint may accelerate faster, as long as its drive can end that in time: from a, at `slew` less every second, it gains
/// a² / (2 slew). By half of what that allows, and a third of the way in a period: torques that overcome friction would
/// otherwise be cut.
///
/// A joint that is too fast already is braked, by `urgency` times the acceleration limit at most: only a robot that is
/// not the one of the model gets there.
inline constexpr double urgency = 4.0;
inline Bound highest_acceleration(double room, double v, double speed, double acceleration,
                                  double braking, double slew, const LimiterTimes& times) {
  // from 60 to 30 % of the speed
  const double slow = std::clamp(2.0 - v / (0.3 * speed), 0.0, 1.0);
  const double most = std::min(0.5 * std::sqrt(2.0 * slew * std::max(speed - v, 0.0)),
                               0.3 * (speed - v) / times.period);
  const auto relaxed = [&](double a) { return a + slow * std::max(0.0, most - a); };
  Bound bound{acceleration, Cause::acceleration_limit};
  const double by_speed = relaxed((speed - v) / times.approach);
  if (by_speed < bound.value) bound = {by_speed, Cause::speed_limit};
  if (std::isfinite(room)) {
    const double s = stoppable_speed(room, braking, times.reaction);
    const double slope = braking / (s + braking * times.reaction);  // ds/d(room)
    const double by_position = (s - v) / times.approach - slope * std::max(v, 0.0);
    if (by_position < bound.value) bound = {by_position, Cause::position_limit};
  }
  bound.value = std::max(bound.value, -urgency * acceleration);
  return bound;
}

/// Keeps torques within limits: of torque and torque rate always, of acceleration, speed and position by what the model
/// predicts for the next period. Torques within all of them are not touched.
///
/// If a joint would accelerate too much, its acceleration is cut, the others keep theirs, and the torques follow from the
/// equation of motion. Where drives cannot follow:
///
/// 1. A drive that would need more than `reserve` of its torque: all joints are braked as far as brings it back there.
/// 2. Torques that would change too fast: the robot goes on accelerating as it does, joints at their bounds excepted, and
///    comes as close to what was wanted as the drives allow, all joints alike.
/// 3. A drive that has reached its limit: it stays there, its joint moves as it must, and the other joints accelerate as
///    they should.
class Limiter {
 public:
  using Vector = Eigen::VectorXd;

  Limiter(const Limits& limits, double period, double drive_delay, double friction_speed)
      : limits_(limits),
        period_(period),
        drive_delay_(drive_delay),
        friction_speed_(friction_speed),
        lowest_(limits.torque),
        highest_(limits.torque),
        a_(limits.torque),
        drag_(a_),
        asked_(a_),
        steady_(a_),
        most_(a_),
        full_(static_cast<std::size_t>(a_.size())),
        index_(full_.size()),
        rest_(a_),
        L_(Eigen::MatrixXd::Zero(a_.size(), a_.size())) {
    times_.resize(static_cast<std::size_t>(limits.torque.size()));
    set_lag(0.0);
  }

  /// Of the drives, s: speeds are approached as much more slowly, or braking would come too late and be too much.
  void set_lag(double lag) {
    for (Eigen::Index i = 0; i < limits_.torque.size(); ++i) {
      const double swing = limits_.torque(i) / limits_.torque_rate(i);
      times_[static_cast<std::size_t>(i)] = {std::max(6.0 * period_, swing) + lag,
                                             drive_delay_ + 2.0 * period_ + swing + lag, period_};
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

  /// What a torque is about to do to a robot, and where it comes from.
  struct Moment {
    const StateDynamics& dynamics;
    const Plant<double>& plant;
    const Vector& q;
    const Vector& v;
    const Vector& disturbance;   ///< what acts beside the drives
    const Vector& sent;          ///< the torques of the last period
    const Vector& acceleration;  ///< the most that joints may
  };

  /// Cuts torques that are within the range to what motion allows.
  void limit(const Moment& now, Vector& tau, Alarms& alarms) {
    predict(now, tau);
    if (bound(now, &alarms)) resolve(now, tau, alarms);
  }
  /// The torques that come closest to an acceleration, which friction helps with or hinders.
  void follow(const Moment& now, const Vector& a, Vector& tau, Alarms& alarms) {
    a_ = a;
    drag_.setZero();
    bound(now, nullptr);
    resolve(now, tau, alarms);
  }

  /// How the robot accelerates under torques; of a joint that hardly moves, dry friction holds what it can.
  const Vector& predict(const Moment& now, const Vector& tau) {
    a_ = tau + now.disturbance - now.dynamics.bias - now.dynamics.viscous;
    for (int i = 0; i < tau.size(); ++i) {
      const double forward = std::max(now.plant.friction(i), 0.0);
      const double backward = -std::max(now.plant.friction_negative(i), 0.0);
      const double dry = std::abs(now.v(i)) <= friction_speed_
                             ? std::clamp(a_(i), backward, forward)
                         : now.v(i) > 0.0 ? forward
                                          : backward;
      a_(i) -= dry;
      drag_(i) = now.dynamics.viscous(i) + dry;
    }
    now.dynamics.solve(a_);
    return a_;
  }

  const Limits& limits() const { return limits_; }

 private:
  /// Share of the torque limits that keeping bounds may take before the robot is braked.
  static constexpr double reserve = 0.7;

  struct Bounds {
    Bound least, most;
  };
  /// Where limits are so close to each other that their bounds contradict, the middle of the two.
  Bounds bounds(int i, const Moment& now) const {
    const LimiterTimes& times = times_[static_cast<std::size_t>(i)];
    const double q = now.q(i), v = now.v(i);
    const double slew = limits_.torque_rate(i) / now.dynamics.inertia(i, i);
    const auto highest = [&](double room, double speed) {
      return highest_acceleration(room, speed, limits_.speed(i), now.acceleration(i),
                                  limits_.braking(i), slew, times);
    };
    Bound most = highest(limits_.upper(i) - q, v), least = highest(q - limits_.lower(i), -v);
    least.value = -least.value;
    if (least.value > most.value) least.value = most.value = 0.5 * (least.value + most.value);
    return {least, most};
  }
  /// Cuts accelerations to their bounds. Whether anything was cut.
  bool bound(const Moment& now, Alarms* alarms) {
    bool any = false;
    for (int i = 0; i < a_.size(); ++i) {
      const auto [least, most] = bounds(i, now);
      const double wanted = a_(i);
      a_(i) = std::clamp(wanted, least.value, most.value);
      if (a_(i) == wanted) continue;
      const Bound& cut = wanted > most.value ? most : least;
      if (alarms) alarms->raise(cut.cause, i, wanted, cut.value);
      any = true;
    }
    return any;
  }
  void set_torque(const Moment& now, Vector& tau) const {
    tau.noalias() = now.dynamics.inertia.lazyProduct(a_);
    tau += now.dynamics.bias + drag_ - now.disturbance;
  }

  /// From accelerations within bounds to torques that can be sent.
  void resolve(const Moment& now, Vector& tau, Alarms& alarms) {
    set_torque(now, asked_);
    give_way(now, alarms);
    keep_rates(now, alarms);
    saturate(now);
    cut(asked_);
    if (asked_.allFinite()) tau = asked_;
  }
  void give_way(const Moment& now, Alarms& alarms) {
    if (((asked_.cwiseAbs() - reserve * limits_.torque).array() <= 0.0).all()) return;
    for (int i = 0; i < a_.size(); ++i) {
      const double slowing = -now.v(i) / times_[static_cast<std::size_t>(i)].approach;
      a_(i) = std::clamp(slowing, -limits_.braking(i), limits_.braking(i));
    }
    bound(now, nullptr);
    set_torque(now, steady_);
    const double share = possible_share(-reserve * limits_.torque, reserve * limits_.torque);
    alarms.raise(Cause::drive_limit, -1, share, 1.0);
    asked_ = steady_ + share * (asked_ - steady_);
  }
  void keep_rates(const Moment& now, Alarms& alarms) {
    most_ = period_ * limits_.torque_rate;
    if (rate_excess(asked_, now.sent) <= 1.0) return;
    predict(now, now.sent);
    bound(now, nullptr);
    set_torque(now, steady_);
    const double excess = rate_excess(steady_, now.sent);
    const double share = excess <= 1.0 ? possible_share(now.sent - most_, now.sent + most_) : 0.0;
    alarms.raise(Cause::drive_limit, -1, share, 1.0);
    asked_ = steady_ + share * (asked_ - steady_);
    // all torques change in proportion, so that no joint is pushed the wrong way by the others
    if (excess > 1.0) asked_ = now.sent + (asked_ - now.sent) / excess;
  }
  /// By how many times the fastest change of torque is too fast.
  double rate_excess(const Vector& to, const Vector& from) const {
    return (to - from).cwiseAbs().cwiseQuotient(most_).maxCoeff();
  }
  /// How far one can go from the torques of a steady acceleration to those asked for.
  template <class Low, class High>
  double possible_share(const Low& lowest, const High& highest) const {
    double share = 1.0;
    for (int i = 0; i < asked_.size(); ++i) {
      const double from = steady_(i), step = asked_(i) - from;
      if (step != 0.0 && from >= lowest(i) && from <= highest(i))
        share = std::min(share, ((step > 0.0 ? highest(i) : lowest(i)) - from) / step);
    }
    return share;
  }

  /// Drives at their limits stay there, and their joints accelerate by a_S with M_SS a_S = tau_S - ... - M_SU a_U; the
  /// torques of the others follow. Those that reach their limits by that join them.
  void saturate(const Moment& now) {
    const auto outside = [&](int i) { return std::abs(asked_(i)) > limits_.torque(i); };
    std::fill(full_.begin(), full_.end(), false);
    for (int round = 0; round < asked_.size(); ++round) {
      bool more = false;
      if (round == 0) {
        a_ = asked_ + now.disturbance - now.dynamics.bias - drag_;
        now.dynamics.solve(a_);
      }
      for (int i = 0; i < asked_.size(); ++i)
        if (!full_[static_cast<std::size_t>(i)] && outside(i)) {
          full_[static_cast<std::size_t>(i)] = more = true;
          asked_(i) = std::copysign(limits_.torque(i), asked_(i));
        }
      if (!more) return;
      if (!accelerate_full(now)) return;
      set_torque(now, steady_);
      for (int i = 0; i < asked_.size(); ++i)
        if (!full_[static_cast<std::size_t>(i)]) asked_(i) = steady_(i);
    }
  }
  /// a_S of saturate(), by Cholesky's method.
  bool accelerate_full(const Moment& now) {
    const Eigen::MatrixXd& M = now.dynamics.inertia;
    int m = 0;
    for (int i = 0; i < asked_.size(); ++i)
      if (full_[static_cast<std::size_t>(i)]) index_[static_cast<std::size_t>(m++)] = i;
    for (int r = 0; r < m; ++r) {
      const int i = index_[static_cast<std::size_t>(r)];
      double rest = asked_(i) + now.disturbance(i) - now.dynamics.bias(i) - drag_(i);
      for (int k = 0; k < asked_.size(); ++k)
        if (!full_[static_cast<std::size_t>(k)]) rest -= M(i, k) * a_(k);
      rest_(r) = rest;
      for (int c = 0; c <= r; ++c) L_(r, c) = M(i, index_[static_cast<std::size_t>(c)]);
    }
    for (int c = 0; c < m; ++c) {
      for (int k = 0; k < c; ++k) L_(c, c) -= L_(c, k) * L_(c, k);
      if (!(L_(c, c) > 0.0)) return false;
      L_(c, c) = std::sqrt(L_(c, c));
      for (int r = c + 1; r < m; ++r) {
        for (int k = 0; k < c; ++k) L_(r, c) -= L_(r, k) * L_(c, k);
        L_(r, c) /= L_(c, c);
      }
    }
    const auto L = L_.topLeftCorner(m, m).triangularView<Eigen::Lower>();
    auto x = rest_.head(m);
    L.solveInPlace(x);
    L.transpose().solveInPlace(x);
    for (int r = 0; r < m; ++r) a_(index_[static_cast<std::size_t>(r)]) = x(r);
    return true;
  }

  Limits limits_;
  double period_, drive_delay_, friction_speed_;
  std::vector<LimiterTimes> times_;
  Vector lowest_, highest_;
  Vector a_, drag_;         ///< accelerations, and the friction that is reckoned with
  Vector asked_, steady_;   ///< torques
  Vector most_;             ///< change of torques in a period
  std::vector<bool> full_;  ///< drives at their limits
  std::vector<int> index_;
  Vector rest_;
  Eigen::MatrixXd L_;
};

}  // namespace ulna::supervise
