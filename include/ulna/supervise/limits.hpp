#pragma once

#include "ulna/model/model.hpp"

namespace ulna::supervise {

/// What stands in for limits that a model does not have.
struct LimitDefaults {
  double turning = 2.0;       ///< rad/s, where there is no speed limit
  double sliding = 1.0;       ///< m/s
  double torque_rise = 0.01;  ///< s from no torque to the torque limit: the torque rate
  double slow_down = 0.1;     ///< s from the speed limit to rest: the deceleration of a stop
  double speed_up = 0.1;      ///< s from rest to the speed limit: the acceleration limit
  /// Light joints accelerate faster: by this share of their torque, up to the speed limit in `light_speed_up` s.
  double light_share = 0.1;
  double light_speed_up = 0.02;
  double torque_share =
      0.75;  ///< share of the torque limit that braking and holding may need together
  double coupling_share =
      1.0;  ///< of what holding leaves of it: what one joint's acceleration may ask of another's drive
  double braking_share =
      0.1;  ///< of slow_down's deceleration: what braking is at least taken to be
  /// For planners that are trusted: accelerations up to all that drives and weight can do, so that torques which overcome
  /// friction that the plant does not have are not cut. Limits of speed and position are then kept less well: docs/supervisor.md.
  bool trusted_planner = false;
};

/// What a robot's motion is bounded by, per coordinate; nv numbers each, nq being nv.
struct Limits {
  /// Positions, speeds and torques as the model has them, joints that mimic one included; what it lacks by the
  /// defaults: without an effort limit, twice the largest gravity torque plus what the acceleration limit takes.
  /// `braking` is what drives can do wherever the robot is: by the mass matrix and gravity torques at the neutral and
  /// 64 random configurations. Throws std::invalid_argument where joints have several coordinates, or no inertia.
  explicit Limits(const Model& model, const LimitDefaults& defaults = {});

  Eigen::VectorXd lower, upper;  ///< infinite where there is none
  Eigen::VectorXd speed;         ///< rad/s or m/s
  Eigen::VectorXd acceleration;  ///< rad/s² or m/s²
  Eigen::VectorXd braking;       ///< the deceleration that can be counted on
  Eigen::VectorXd torque;        ///< Nm or N
  Eigen::VectorXd torque_rate;   ///< Nm/s or N/s
  Eigen::VectorXd weight;        ///< the largest gravity torque that was found
};

}  // namespace ulna::supervise
