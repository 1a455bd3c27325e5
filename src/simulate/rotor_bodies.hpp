#pragma once

#include "ulna/dynamics/drive_dynamics.hpp"

namespace ulna::detail {

/// A sum of coordinates with constant factors, by their places in q and v.
struct CoordinateSum {
  struct Part {
    int q, v;
    double factor;
  };
  std::vector<Part> parts;

  double position(const Eigen::VectorXd& q) const {
    double sum = 0.0;
    for (const Part& p : parts) sum += p.factor * q(p.q);
    return sum;
  }
  double rate(const Eigen::VectorXd& v) const {
    double sum = 0.0;
    for (const Part& p : parts) sum += p.factor * v(p.v);
    return sum;
  }
  /// A force along it.
  void push(double force, Eigen::VectorXd& tau) const {
    for (const Part& p : parts) tau(p.v) += p.factor * force;
  }
  /// An inertia that moves as it does.
  void load(double inertia, Eigen::MatrixXd& M) const {
    for (const Part& a : parts)
      for (const Part& b : parts) M(a.v, b.v) += inertia * a.factor * b.factor;
  }
};

/// A spring between a motor's side and a link, as in DriveParameters at coordinate c.
struct SpringBetween {
  int c;
  CoordinateSum theta, deflection;
  double inertia = 0.0;  ///< of a rotor that is seen at the joint
};

/// A robot whose separate motors (DriveTrain) are bodies of their own: a rotor for each, without mass, on an axis in the base, or in the link
/// that carries it, whose coordinate is the motor's angle. Springs are forces between coordinates, and where rigid joints are
/// coupled, rows say that motors and joints move together. Inertia and friction of a motor are then
/// those of its joint, as of any other; the inertia of a rotor that a link carries is that of the body.
class RotorBodies {
 public:
  explicit RotorBodies(const Model& model);

  bool empty() const { return motors_.empty(); }
  /// The robot with its rotors: their coordinates are the last. The robot itself if there are none.
  const Model& model() const { return with_rotors_; }
  const std::vector<SpringBetween>& springs() const { return springs_; }
  /// Sums whose rates are zero: of a rigid joint's motors, less the joint, which is the last part.
  const std::vector<CoordinateSum>& rows() const { return rows_; }

  /// Puts the robot's numbers into the one with rotors.
  void set(const Plant<double>& plant, Plant<double>& with_rotors);
  /// Whether a motor has no inertia, as those of <transmission> have none.
  bool massless(const Plant<double>& with_rotors) const;
  /// What motors exert, seen at the joints, as torques of the coordinates.
  void set_torque(const Eigen::VectorXd& tau, Eigen::VectorXd& with_rotors) const;
  /// Positions of the robot with rotors; q and v are its own part already.
  void set_motors(const DriveState<double>& motors, Eigen::VectorXd& q, Eigen::VectorXd& v) const;
  void get_motors(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                  DriveState<double>& motors) const;

 private:
  /// Where the motor is, as seen at coordinate c.
  CoordinateSum motor_side(int c) const;

  using Body = Plant<double>::Body;
  struct Rotor {
    int motor, q, v, body;
  };
  std::vector<Rotor> motors_;
  DriveTrain train_;
  Model with_rotors_;
  std::vector<SpringBetween> springs_;
  std::vector<CoordinateSum> rows_;
  int nv_;
};

}  // namespace ulna::detail
