#pragma once

#include "mpc/driven_dynamics.hpp"
#include "mpc/friction_compensator.hpp"
#include "supervise/response_estimator.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::mpc {

using supervise::ResponseEstimator;

/// How late a robot answers: by how many periods its readings are late, and with which lag of first order its drives follow
/// what they are sent.
///
/// Readings are as late as those of the torque sensors among them, against the torques that were sent. Beyond that, drives lag
/// as the torques that the motion needs do. A robot without torque sensors may be late in either way: then all of it is the drives'.
class LoopResponse {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  /// `scale`: of the joints' torques.
  LoopResponse(const Model& model, const Vector& scale, double rate_hz, double filter_hz)
      : period_(1.0 / rate_hz),
        readings_(scale, period_, {0.0, 0.002, 0.005, 0.01, 0.02}, most_delay, {}),
        drives_(scale, period_, drive_lags(), 0, {.least = 4.0, .after = 0.25, .enough = 0.5}),
        filter_(model.nv(), identify::LowPass(filter_hz, rate_hz, 2),
                identify::MotionFilter::Velocity::measured),
        dynamics_(model),
        needed_(Vector::Zero(model.nv())),
        lagging_(model.nv()) {}

  static constexpr int most_delay = 8;  ///< periods

  /// The torques that were sent for the period that is over; returns the mean of those that acted.
  const Vector& send(In tau) {
    readings_.cause(tau);
    return lagging_.send(tau, drives_.lag(), period_);
  }

  /// Torques that sensors measured at the end of it.
  void measure(In tau) {
    if (tau.size() != needed_.size() || !tau.allFinite() || !readings_.effect(tau)) return;
    // what drives were thought to lag was the readings' delay
    drives_.restart(), filter_.reset();
  }

  /// Where the robot was, and the torques that were sent for then. `plant`: without dry friction; `dry`: what it has.
  void move(const Plant<double>& plant, const Plant<double>& dry, In q, In v, In sent) {
    if (!filter_.update(q, v, sent)) return drives_.reset();
    drives_.cause(filter_.tau());
    if (!filter_.settled()) return;
    dynamics_.inverse(plant, filter_.q(), filter_.v(), filter_.a(), needed_);
    const auto way = filter_.direction().array();
    needed_.array() += (way > 0.0).select(dry.friction, dry.friction_negative).array() * way;
    dynamics_.reduce(needed_);
    // what holds a joint that rests is not what it needs
    moves_ = (filter_.v().array().abs() > friction_speed).cast<double>();
    if (barred_ > 0.0)
      barred_ -= period_;
    else
      (void)drives_.effect(needed_, moves_);
  }

  /// The drives' lag was none: it is not concluded again for a while, which is longer each time.
  void withdraw_lag() {
    if (drives_.lag() == 0.0) return;
    drives_.restart(), filter_.reset();
    barred_ = wait_, wait_ = std::min(2.0 * wait_, 8.0);
  }

  /// Periods are missing.
  void reset() { readings_.reset(), drives_.reset(), filter_.reset(); }

  int reading_delay() const { return readings_.delay(); }  ///< periods
  double drive_lag() const { return drives_.lag(); }       ///< s

 private:
  static std::vector<double> drive_lags() {
    return {0.0,   0.001, 0.002, 0.003, 0.004, 0.005, 0.006,
            0.008, 0.010, 0.012, 0.015, 0.020, 0.025, 0.030};
  }

  double period_;
  double barred_ = 0.0, wait_ = 0.25;  ///< s
  ResponseEstimator readings_, drives_;
  identify::MotionFilter filter_;
  DrivenDynamics dynamics_;
  Vector needed_, moves_ = needed_;
  supervise::LaggingDrives lagging_;
};

}  // namespace ulna::mpc
