#pragma once

#include <Eigen/Dense>

#include "ulna/model/model.hpp"

namespace ulna::drive {

/// What pushing a robot showed, in the robot's own numbers: their order, units and directions.
struct ContactData {
  explicit ContactData(Eigen::Index n)
      : q(Eigen::VectorXd::Zero(n)),
        tau(q),
        position_noise(q),
        velocity_noise(q),
        torque_noise(q),
        base(q),
        response(Eigen::MatrixXd::Zero(n, n)),
        sensed(response),
        friction(q),
        breakaway(q),
        rate_ratio(Eigen::VectorXd::Ones(n)) {}

  bool has_torques = false;
  Eigen::VectorXd q, tau;  ///< while it held itself
  Eigen::VectorXd position_noise, velocity_noise, torque_noise;
  Eigen::VectorXd base;  ///< torques on top of which it was pushed
  /// Column i: accelerations as read, and change of measured torques, per torque on number i, beyond friction.
  Eigen::MatrixXd response, sensed;
  Eigen::VectorXd friction, breakaway;  ///< of number i as commanded
  Eigen::VectorXd
      rate_ratio;  ///< change of position over the integral of velocity, of number j as read
  Eigen::VectorXd deficit =
      friction;  ///< of a push, what sensors did not see of it beyond the share `sensed`
  double period = 0.0, period_jitter = 0.0, reading_age = 0.0, delay = 0.0;
};

}  // namespace ulna::drive
