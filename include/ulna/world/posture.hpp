#pragma once

#include "ulna/constraints/contact_inverse_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/world/world.hpp"

namespace ulna {

/// Holds a robot of a world in a posture: the torques of standing still on what it touches, and a proportional and
/// derivative controller. A robot with a fixed base is held against gravity alone; one with a floating base stands on
/// its contacts with the least effort (ContactInverseDynamics). Where joints are elastic, the motors are held, less the deflections under
/// these torques: feedback of links behind springs is unstable [Tomei 1991].
///
///     Posture stand(world, robot, q);
///     stand.torque(world, tau);
///     world.set_torque(robot, tau);
class Posture {
 public:
  struct Options {
    double bandwidth = 10.0;  ///< rad/s
    double period = 1e-3;     ///< s between calls: damping is kept low enough for it
  };
  Posture(const World& world, int robot, const Eigen::VectorXd& target, Options options);
  Posture(const World& world, int robot, const Eigen::VectorXd& target)
      : Posture(world, robot, target, Options{}) {}

  /// Writes tau (nv). Allocates only when there are more contacts than before.
  void torque(const World& world, Eigen::VectorXd& tau);
  /// Whether the contacts of the last call were enough to stand on.
  bool stands() const { return stands_; }

 private:
  void set_gains();
  /// The configuration and velocity that are fed back, of motors behind springs under tau.
  void see(const World& world, const Eigen::VectorXd& tau);

  int robot_;
  Options options_;
  Transform<double> X_WR_;
  Plant<double> plant_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  ContactInverseDynamics stand_;
  Eigen::VectorXd target_, error_, gain_, inertia_, q_, v_;
  Eigen::MatrixXd M_;
  std::vector<Support> supports_;
  std::vector<Vec3<double>> forces_;
  bool floats_, stands_ = false;
};

}  // namespace ulna
