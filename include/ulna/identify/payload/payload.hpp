#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ulna/identify/estimate/estimate.hpp"

/// What a link carries, from motion with it and, if there is any, motion without.
namespace ulna::identify {

struct PayloadOptions {
  /// By which share of itself what a joint resists with may differ from log to log, as it warms up: a standard deviation. Offsets by that
  /// share of dry friction.
  double friction_change = 0.2;
  /// How far off the bodies of the robot may be, relative, where there is no log without the payload.
  double robot_deviation = 0.05;
};

/// A motion that would show more of a payload: one joint to and fro for 10 s, the others where they were.
struct PayloadMotion {
  std::string joint;      ///< empty: all joints at once, at different frequencies
  double low, high;       ///< of the joint
  double mass_deviation;  ///< that there would be, kg
  double com_deviation;   ///< and of the centre of mass, m, in the direction that is known least
};

/// A body that a link carries beside what the robot has there.
struct LinkPayload {
  enum class State {
    found,
    none,    ///< nothing that weighs anything
    unseen,  ///< the motion does not show what it weighs
  };
  std::string link;
  State state = State::unseen;
  double mass = 0.0, mass_deviation = infinity;
  /// In the link's frame; rotational inertia about the centre of mass.
  Vec3<double> com = Vec3<double>::Zero(), com_deviation = Vec3<double>::Constant(infinity);
  Mat3<double> rotational = Mat3<double>::Zero(),
               rotational_deviation = Mat3<double>::Constant(infinity);
  /// What is added to the ten numbers of the body that the link belongs to: a body that can exist.
  Eigen::Matrix<double, 10, 1> added = Eigen::Matrix<double, 10, 1>::Zero();
  /// The same by least squares alone, and its standard deviations.
  Eigen::Matrix<double, 10, 1> unconstrained = Eigen::Matrix<double, 10, 1>::Zero(),
                               deviation = Eigen::Matrix<double, 10, 1>::Constant(infinity);
  /// Torque that is not explained of the motion with the payload, and by the robot without it.
  double percent = 0.0, without_percent = 0.0;
  /// By how much features of joints differ from those of the motion without, as TorqueModel::names has them.
  Vector feature_changes;
  Index samples = 0, samples_without = 0;
  std::vector<std::string> reasons;    ///< why it is seen badly, if it is
  std::vector<PayloadMotion> helpful;  ///< what would help then, the best first
};
std::string_view to_string(LinkPayload::State state);

/// What `link` carries beside the robot that is known as `robot`, which was estimated from `without`; both samples are of one robot,
/// filtered alike. What is known of the robot, and how well, counts: errors of its numbers, and of what its joints resist with now, are
/// unknowns beside the payload. If `without` is empty, the numbers are those of a description (`robot` has only z and noise) that is as
/// good as PayloadOptions::robot_deviation. Deviations are the larger ones of two: by the noise that is left, and by how much stretches
/// of the motion disagree, which counts what the model lacks. Throws std::invalid_argument where a number is missing or the link does not move.
LinkPayload weigh_payload(const TorqueModel& model, const std::string& link, const Estimate& robot,
                          const TorqueData& without, const TorqueData& with,
                          const EstimateOptions& how = {}, const PayloadOptions& options = {});

}  // namespace ulna::identify
