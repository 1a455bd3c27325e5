#pragma once

#include <Eigen/Dense>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna::drive {

/// A push with a torque on one of the robot's numbers, there and back: halves of differences, so that what was wrong with
/// the torques beneath does not count. In the robot's own numbers: their order, units and directions.
struct ContactPush {
  int number = 0;
  double torque = 0.0;
  Eigen::VectorXd acceleration, velocity;  ///< as read, the mean of the push
  Eigen::VectorXd sensed;                  ///< change of the measured torques
};

/// What looking at a robot and pushing it showed.
struct ContactData {
  explicit ContactData(Eigen::Index n)
      : q(Eigen::VectorXd::Zero(n)),
        tau(q),
        position_noise(q),
        velocity_noise(q),
        torque_noise(q),
        base(q),
        breakaway(q),
        rate_ratio(Eigen::VectorXd::Ones(n)) {}

  bool has_torques = false;
  Eigen::VectorXd q, tau;  ///< while it held itself
  Eigen::VectorXd position_noise, velocity_noise, torque_noise;
  Eigen::VectorXd base;       ///< torques on top of which it was pushed
  Eigen::VectorXd breakaway;  ///< of number i as commanded
  Eigen::VectorXd
      rate_ratio;  ///< change of position over the integral of velocity, of number j as read
  std::vector<ContactPush> pushes;
  double period = 0.0, period_jitter = 0.0, reading_age = 0.0, delay = 0.0;
};

}  // namespace ulna::drive
