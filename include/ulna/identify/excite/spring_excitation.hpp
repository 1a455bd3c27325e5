#pragma once

#include "ulna/identify/drives/drive_estimate.hpp"
#include "ulna/identify/excite/exciting_motion.hpp"
#include "ulna/num/smooth_step.hpp"

/// Motions that show springs (docs/drives.md#identification).
namespace ulna::identify {

/// Small sines in each joint, from rest to rest up to the fourth derivative: they grow and fade within `ramp` seconds.
struct FastSines {
  double duration = 0.0, ramp = 0.0;
  Matrix size = {}, hz = {}, phase = {};  ///< joints x sines

  /// A joint's position and its derivatives.
  Rates at(int joint, double t) const;
};

/// A wide and slow motion of the links with small and fast sines on top.
struct ElasticMotion {
  ExcitingMotion slow;
  FastSines fast = {};

  int joints() const { return slow.joints(); }
  double duration() const { return slow.duration(); }
  /// q, v, a, jerk and snap of the links (joints x times).
  std::array<Matrix, 5> at(const Vector& t) const;
};

/// What motors and springs do along a motion (nv x times), by inverse dynamics.
struct DrivenSamples {
  Vector t;
  Matrix q = {}, v = {}, a = {};              ///< of the links
  Matrix theta = {}, omega = {}, alpha = {};  ///< of the motors, as they are seen at the joints
  Matrix motor = {};                          ///< torques at the motors' shafts
  Matrix tau = {};                            ///< those that they exert on the joints
  Matrix spring = {};                         ///< torques behind the springs
};
DrivenSamples drive_along(const Plant<double>& plant, const ElasticMotion& motion, const Vector& t);

struct SpringExcitationOptions {
  DriveSensors sensors = {};  ///< that the log will have beside motors' encoders
  double share = 0.9;         ///< of the limits that may be used, by links, motors and springs
  double fast_share = 0.15;   ///< of that share of a joint's effort: what its sines may take
  double fastest_hz = 15.0;   ///< of the sines
  std::uint64_t seed = 1;     ///< of their frequencies and phases
};

struct SpringExcitation {
  ElasticMotion motion;
  double filter_hz = 0.0;  ///< a cut-off that passes the sines: 1.75 times the fastest
  Vector link_hz = {};     ///< link_frequencies along the motion
  /// Shares of the robot's whole limits that are used, those without limits being 0.
  Vector motor_use = {}, spring_use = {}, velocity_use = {};
  /// Deviations that the numbers of drives will have, relative, in the order of TorqueModel::drives: if motors' torques are measured a
  /// hundred times a second to 1 % of the efforts, those of springs to 0.2 %, and deflections to 10 µrad.
  Vector deviation = {};
};

/// Adds sines to a motion of the links that begins and ends at rest to the fourth derivative. Each elastic joint gets four, within one of some
/// bands beside its link's frequency: the one that shows its stiffness best. They are as large as the limits let them be. Throws
/// std::invalid_argument for robots without springs, and std::runtime_error if the slow motion alone uses up a limit.
SpringExcitation excite_springs(const TorqueModel& model, const ExcitingMotion& slow,
                                const SpringExcitationOptions& options = {});

}  // namespace ulna::identify
