#pragma once

#include "supervise/response_estimator.hpp"

namespace ulna::supervise {

/// With which lag of first order the drives follow what they are sent, as the motion shows: gains that are right for drives
/// without it would make the robot oscillate. It is found from the oscillation itself, in which torques are large and
/// fast; a robot whose torques are small shows no lag, and needs none to be known. Readings that are late without saying so
/// look the same, and count for the same.
class DriveLag {
 public:
  using Vector = Eigen::VectorXd;

  DriveLag(const Vector& torque_limit, double period)
      : period_(period),
        smoothing_(1.0 - std::exp(-period / smoothed)),
        estimator_(torque_limit, period, {0.0, 0.005, 0.01, 0.02, 0.03, 0.04}, 0,
                   {.least = 0.05, .after = 0.06, .enough = 0.6, .memory = 0.2}),
        lagging_(torque_limit.size()),
        sent_(Vector::Zero(torque_limit.size())),
        needed_(sent_) {}

  /// Begins at torques that act already.
  void start(const Vector& sent) {
    estimator_.reset();
    lagging_.start(sent);
    sent_ = needed_ = sent;
  }

  /// The torques that were sent for the period that is over; returns the mean of those that acted.
  const Vector& send(const Vector& sent) {
    sent_ += smoothing_ * (sent - sent_);
    estimator_.cause(sent_);
    return lagging_.send(sent, estimator_.lag(), period_);
  }

  /// The torques that the motion of that period needed, after `send`. True: the lag is another one than before.
  bool move(const Vector& needed) {
    needed_ += smoothing_ * (needed - needed_);
    return estimator_.effect(needed_);
  }
  /// Periods are missing; what was found stays.
  void reset() { estimator_.reset(); }

  double lag() const { return estimator_.lag(); }  ///< s

 private:
  static constexpr double smoothed = 0.003;  ///< s: differences of noisy velocities are no torques
  double period_, smoothing_;
  ResponseEstimator estimator_;
  LaggingDrives lagging_;
  Vector sent_, needed_;  ///< smoothed alike
};

}  // namespace ulna::supervise
