#pragma once

#include <chrono>

#include "ulna/mpc/elastic_controller.hpp"

namespace ulna::mpc {

/// One way to drive an elastic robot.
class ElasticController::Way {
 public:
  virtual ~Way() = default;
  virtual void follow(SmoothReference reference) = 0;
  virtual const Vector& act(double time, const DriveReading& reading) noexcept = 0;
  virtual void update(double time, const DriveReading& reading) noexcept = 0;
  virtual void set_plant(const Plant<double>& plant) = 0;

  virtual ActionKind kind() const = 0;
  virtual ActionFault fault() const = 0;
  virtual const Plant<double>& plant() const = 0;
  virtual const identify::OnlineEstimator& estimator() const = 0;
  virtual Payload payload() = 0;

  double act_us = 0.0, update_us = 0.0, identify_us = 0.0;

 protected:
  using Clock = std::chrono::steady_clock;
  static double microseconds_from(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }
  /// The reference of a time; false if there is none that a robot could follow.
  static bool refer(const SmoothReference& reference, double time, SmoothMotion& motion) noexcept {
    if (!reference) return false;
    const Eigen::Index n = motion.q.size();
    try {
      reference(time, motion);
    } catch (...) {
      return false;
    }
    for (const Vector* x : {&motion.q, &motion.v, &motion.a, &motion.jerk, &motion.snap})
      if (x->size() != n || !x->allFinite()) return false;
    return true;
  }
};

}  // namespace ulna::mpc
