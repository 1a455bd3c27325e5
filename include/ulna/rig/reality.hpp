#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna::rig {

/// Where the robot touches its surroundings and carries things: the last frame of its last body.
const Frame& tip_frame(const Model& model);
/// The effort limits, of which shares are meant: 50 Nm where there is none.
Eigen::VectorXd nominal_efforts(const Model& model);

/// From a time to before another, s.
struct Interval {
  double from = 0.0, to = 0.0;
  bool contains(double time) const { return time >= from && time < to; }
};

/// A force on the tip of the robot, the origin of tip_frame, in axes of the world.
struct Push {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< N
  Interval when = {};
};

/// Joints that somebody holds fast.
struct Grip {
  int coordinate = -1;  ///< of v; -1: all
  Interval when = {};
};

/// An elastic half-space that the tip cannot enter without force. The normal points out of it.
struct Wall {
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitX();
  double stiffness = 5000.0;  ///< N/m
  double damping = 50.0;      ///< N s/m; the wall does not pull
};

/// A torque sensor that fails.
struct TorqueFault {
  enum class Kind {
    dead,     ///< reads 0
    frozen,   ///< reads what it read last
    negated,  ///< reads the negative
  };
  Kind kind = Kind::dead;
  int coordinate = -1;  ///< of v; -1: all
  Interval when = {};
};

/// In what a robot differs from the usual assumptions about it. Shares are of nominal_efforts. What
/// differs from joint to joint is drawn by the seed. Noise, resolution, delay and loss of measurements
/// are in SensorsOptions.
struct Reality {
  std::uint64_t seed = 1;

  // --- the mechanism ---

  /// Gravity, in the base's axes, in place of the model's: of a base that is tilted, too.
  std::optional<Eigen::Vector3d> gravity = {};
  double rotor_inertia = 0.0;  ///< kg m², more at each joint
  /// Dry friction, more at each joint: this share as the mean of both directions, larger in one of them, by chance, and
  /// smaller in the other by friction_asymmetry of it: 1 is friction in one direction only.
  double friction_by_direction = 0.0;
  double friction_asymmetry = 0.75;
  /// Dry friction after Stribeck (Armstrong-Hélouvry 1991), more at each joint: this share when it slides fast, twice as much at
  /// rest, in between by exp(-(v / stribeck_velocity)²).
  double stribeck = 0.0;
  double stribeck_velocity = 0.1;  ///< rad/s
  /// Torque ripple of a strain wave gear, at most this share: the second and fourth harmonic of the motor's turn, in
  /// the ratio 2 to 1; phases by chance.
  double ripple = 0.0;
  double gear_ratio = 100.0;

  // --- the drives ---

  double drive_lag = 0.0;     ///< s, of first order
  double action_delay = 0.0;  ///< s from write to the drives
  double late_share = 0.0;    ///< chance that an action comes later by
  double late_by = 1e-3;      ///< s

  // --- the surroundings ---

  std::vector<Push> pushes = {};
  std::vector<Grip> grips = {};
  std::optional<Wall> wall = {};

  // --- torque sensors ---

  /// Behind the gear, as in the Panda and the iiwa: they measure neither friction nor rotors.
  bool link_side_torque = false;
  bool commanded_torque = false;  ///< none: what is commanded is read
  double torque_offset = 0.0;     ///< share, of each sensor with a sign by chance
  double torque_gain = 1.0;
  std::vector<TorqueFault> torque_faults = {};

  // --- measurements ---

  std::vector<Interval> silences = {};  ///< without new measurements
};

}  // namespace ulna::rig
