#pragma once

#include <string>
#include <vector>

#include "ulna/identify/identify.hpp"

/// Robots that are not as they are described, and logs of them that tell little or that no model explains: what identification
/// makes of these, beside the truth.
namespace poor_data {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// How a robot was moved.
enum class Motion {
  pd_move,     ///< 4 s: a step of the target, and rest where dry friction holds
  rest_added,  ///< 10 s of exciting motion and 10 s of rest
  one_joint,   ///< 10 s in which one joint moves and the others are held
  two_seconds,
  moves_and_rests,  ///< 12 s: six targets, each held
  exciting,         ///< 20 s
};
std::string to_string(Motion motion);

/// What a robot has that its model has not.
enum class Effect {
  none,
  stribeck,    ///< dry friction that is half as much again at rest, and falls within 0.1 rad/s
  ripple,      ///< of the gears: 2 % of the joint's usual torque, 40 times a turn
  elasticity,  ///< of the gears, so that encoders see the motors
  all,
};
std::string to_string(Effect effect);

/// A robot with links and friction of its own, and one log of it.
struct Case {
  ulna::identify::TorqueModel model;  ///< of the robot as it is described
  ulna::identify::BaseParameters base;
  Vector truth;
  ulna::identify::Log log;
  ulna::identify::TorqueData
      fresh;  ///< wide and lively motion that is not in the log; torques without noise
};
/// Of an embedded robot, driven by feedback and by what its description asks for, in simulation. The same seed gives the same log.
Case simulated(const std::string& robot, Motion motion, std::uint64_t seed);
/// Moved exactly along sums of sines for 20 s, with torques of the effect.
Case outside_the_model(const std::string& robot, Effect effect, std::uint64_t seed);

/// Beside the truth.
struct Verdict {
  double prior_percent = 0.0, percent = 0.0;  ///< error of fresh motion's torques
  int base_within = 0, base_count = 0;        ///< base parameters within two deviations
  int within = 0, count = 0;                  ///< and single ones that are said to be estimated
  double worst = 0.0;    ///< deviations of the base parameter that is farthest off
  std::string farthest;  ///< and its name
  int estimated = 0;
  bool converged = true;
};
/// Of the log, filtered at 10 Hz.
ulna::identify::TorqueData prepared(const Case& c);
inline ulna::identify::Estimate identified(const Case& c) {
  return ulna::identify::estimate(c.model, c.base, prepared(c));
}
Verdict judged(const Case& c, const ulna::identify::Estimate& found);

/// The log as a table.
std::string table(const ulna::identify::Log& log);

}  // namespace poor_data
