#pragma once

#include <string>
#include <vector>

#include "ulna/identify/data/prepare.hpp"

/// Logs of robots whose base floats: legged robots, mobile arms, arms on a force plate.
namespace ulna::identify {

/// Whether the robot's base has a floating joint, and all joints behind it one degree of freedom.
bool floats(const Model& model);

/// The robot with its base held where it is in the neutral configuration, if the base floats: the robot of the joints that logs have
/// positions and torques of. Other robots are as they are.
Model limbs_of(const Model& model);

/// What a log of the robot has of its base, and what acts on it from outside.
struct BaseColumns {
  std::vector<int> orientation, position;  ///< qw, qx, qy, qz; x, y, z
  std::vector<int> twist;                  ///< wx, wy, wz, vx, vy, vz in the base's own axes
  struct Force {
    std::string frame;
    std::vector<int> force, moment;  ///< x, y, z; moment may be empty: none
    bool local = false;              ///< in the frame's own axes, else in the world's
  };
  std::vector<Force> forces;
};

/// Those of a table: q_<base>_qw, q_<base>_x, qd_<base>_wx, ..., f_<frame>_x and m_<frame>_x in the world's axes, f_local_<frame>_x and
/// m_local_<frame>_x in the frame's. Throws CsvError where one of several is missing, or where a frame is unknown.
BaseColumns base_columns(const Model& model, const std::vector<std::string>& names,
                         const std::string& file);

/// Sets Log::base_pose, base_twist and outside from the table of all columns, samples in columns. A base without columns stands still in its
/// neutral pose. Adds to `found` what contradicts itself.
void set_base(const Model& model, const BaseColumns& columns, const Eigen::Ref<const Matrix>& table,
              Log& log, Diagnostics& found);

/// The log as one of all coordinates of the robot: q and v of the base before those of the joints, torques with what acts from outside. The
/// linear velocity of the base is in the world's axes, where its rate is its acceleration. Velocities that were not measured are differences.
Log with_base(const Model& model, const Log& log);

/// Of samples that were prepared from such logs, makes the base as the robot's v and a have it, so that Y π = tau holds row by row: seen
/// from where its linear velocity is zero, which is no matter of forces [Galilei], accelerations in its own axes.
void settle_base(Prepared& prepared);

}  // namespace ulna::identify
