#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/drive/clock.hpp"
#include "ulna/link/link.hpp"
#include "ulna/rig/wired_rig.hpp"

/// The first contact with a robot: is it wired as its model says? docs/drive.md
namespace ulna::drive {

struct ContactOptions {
  double rate_hz = 1000.0;
  double look = 0.5;           ///< s for which the robot is only read
  double pulse = 0.02;         ///< s that a joint is pushed
  double torque_share = 0.4;   ///< of the effort limit: the largest push
  double largest_speed = 0.5;  ///< rad/s or m/s as read, which ends a push
  double largest_move = 0.05;  ///< rad or m as read; the same
  double delay_limit = 2e-3;   ///< s: more is a finding
  link::TorqueSensors sensors = link::TorqueSensors::motor_side;  ///< as the robot says
  std::function<bool()> go_on = {};
  std::function<void(double share, std::string_view what)> progress = {};
};

/// What is not as it should be.
struct ContactFinding {
  std::string
      name;  ///< joints-exchanged, sign, degrees, gear-ratio, torque-constant, torque-side, delay, ...
  std::vector<int> joints;  ///< that it is about; empty: all
  std::string text;
};

/// Of one joint of the model, in SI units, with what was found put right.
struct JointContact {
  double q = 0.0;                                                         ///< where it was
  double position_noise = 0.0, velocity_noise = 0.0, torque_noise = 0.0;  ///< standard deviations
  double holding = 0.0, gravity = 0.0;  ///< torque that held it as measured, and by the model
  double friction = 0.0;                ///< dry, Nm or N, from pushes
  double breakaway = 0.0;               ///< torque that set it in motion from rest
  double response =
      0.0;  ///< torque that accelerated it in the hardest push, over what the model needs for that
  double damping = 0.0;  ///< viscous, Nm s/rad or N s/m, as far as pushes show it
  double sensor_deficit =
      0.0;  ///< torque that the sensor does not see, Nm or N: friction, behind the gear
  double sensor_gain = 0.0;  ///< measured torque of a push, as a share of it
};

struct ContactReport {
  bool complete = false;
  std::string ended = {};  ///< why it is not
  std::vector<ContactFinding> findings = {};
  rig::Wiring wiring{0};                                    ///< that puts the robot right
  link::TorqueSensors sensors = link::TorqueSensors::none;  ///< as found
  double period = 0.0, period_jitter = 0.0;  ///< s between readings, and its standard deviation
  double reading_age = 0.0;                  ///< s, the mean when it is used
  double delay = 0.0;                        ///< s from a torque to its effect, beyond sampling
  double gravity_error = 0.0;                ///< the model holds the arm within so many Nm or N
  double drift = 0.0;  ///< rad or m in 0.2 s under the model's gravity torques
  double misfit_before = 0.0,
         misfit = 0.0;  ///< of the responses, as wired and put right; below 1 it fits
  std::vector<JointContact> joints = {};

  bool found(std::string_view name) const;
};

/// Looks, pushes each joint a little and back, and compares with the model. The robot must hold itself by its own means
/// (Rig::hold): it does so between pushes, and as soon as one moves it too far. Throws std::invalid_argument for senseless
/// options and robots that it is not for.
ContactReport first_contact(rig::Rig& rig, const ContactOptions& options, Clock& clock);

}  // namespace ulna::drive
