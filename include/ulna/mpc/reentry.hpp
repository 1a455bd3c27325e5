#pragma once

#include "ulna/mpc/controller.hpp"

namespace ulna::mpc {

/// The way back to a motion that went on while the robot was stopped: from where it is, each joint joins the motion as
/// soon as limits of speed and acceleration allow. As long as it was never stopped, it is the motion itself.
///
///     Reentry way(motion, limits.speed, limits.braking);
///     controller.follow([&](double time, auto& q, auto& v) { way(time, q, v); });
///     every period:
///       if (supervisor.state() != State::run) way.stay(supervisor.q());
///       else if (way.stays()) way.join(time, supervisor.q(), supervisor.v());
///
/// The distance from the motion shrinks as a polynomial of fifth degree in time, which begins at the velocity that the
/// robot has and ends at rest.
class Reentry {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  /// Throws std::invalid_argument for limits of two sizes, or that are not above 0.
  Reentry(MotionReference motion, Vector speed, Vector acceleration);

  /// From now on: at rest at a place.
  void stay(In q);
  bool stays() const { return stays_; }
  /// From where the robot is back to the motion, which is asked for where it will be.
  void join(double time, In q, In v);
  /// When all joints have joined the motion, s; infinite while the robot stays.
  double joined_at() const;

  /// Where the robot is to be.
  void operator()(double time, Vector& q, Vector& v) const;

 private:
  struct Way {
    double from = 0.0, speed = 0.0;  ///< distance from the motion and its rate, at first
    double seconds = 0.0;            ///< until it is joined
    double settled = 0.0;            ///< s until the rate is that of the way alone
  };
  bool is_allowed(const Way& way, double time, Eigen::Index joint);

  MotionReference motion_;
  Vector speed_, acceleration_, q_, v_;
  bool stays_ = false;
  double begins_ = 0.0;
  std::vector<Way> ways_;
};

}  // namespace ulna::mpc
