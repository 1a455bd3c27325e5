#pragma once

#include <Eigen/Dense>

namespace ulna::drive {

/// What was read during a push, a column each.
struct Push {
  static constexpr Eigen::Index enough = 5;  ///< readings of one that can be used

  Push(Eigen::Index n, Eigen::Index most)
      : time(most), q(n, most), v(n, most), tau(n, most), acceleration(Eigen::VectorXd::Zero(n)) {}
  void add(double at, const Eigen::VectorXd& position, const Eigen::VectorXd& speed,
           const Eigen::VectorXd& torque) {
    time(count) = at, q.col(count) = position, v.col(count) = speed, tau.col(count) = torque;
    ++count;
  }

  Eigen::VectorXd time;  ///< since the torque was first sent, s
  Eigen::MatrixXd q, v, tau;
  Eigen::Index count = 0;
  bool ended = false;            ///< by the limits of speed and way
  Eigen::VectorXd acceleration;  ///< of each number
  Eigen::VectorXd velocity = acceleration,
                  sensed = acceleration;  ///< means; and the change of measured torques
  double onset = -1.0;                    ///< s after which it was seen; negative: it was not
};

/// Half the difference of a push there and one back, in which what was wrong with the torques beneath does not count, from when
/// the torque shows. `noise`: of velocities.
Push difference(const Push& there, const Push& back, const Eigen::VectorXd& noise, double period);

}  // namespace ulna::drive
