#pragma once

#include "ulna/view/page/messages.hpp"

namespace ulna::view {

/// A robot's motion as a page plays it, a column per moment.
struct Recording {
  Eigen::VectorXd times;
  Eigen::MatrixXd q, v, tau;  ///< v and tau may be empty
  std::string ended = {};     ///< why it is shorter than it should be; empty: it is not
};

/// What drives a simulated robot.
enum class Drive {
  none,
  gravity,  ///< torques that balance its weight
  pd,       ///< the same, and springs and dampers that hold it where it begins
};
/// "none", "gravity" or "pd".
std::optional<Drive> drive_from_string(std::string_view name);

struct RecordingOptions {
  double seconds = 5.0;
  Drive drive = Drive::none;
  double hz = 100.0;                 ///< moments per second
  double period = 1e-3;              ///< s for which a torque is held
  double bandwidth = 10.0;           ///< rad/s, of Drive::pd
  std::function<bool()> go_on = {};  ///< asked once a period; false ends it
};

/// Lets the robot move from a state. Throws std::invalid_argument for one that cannot be.
Recording record_simulation(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                            const RecordingOptions& options = {});

/// The plots of positions, velocities and torques, those that there are, and the tracks of the motion and of what is plotted.
/// Positions are plotted where each velocity has one.
std::vector<SeriesGroup> channels_of(const Model& model, const Recording& recording, int robot = 0);
std::vector<Message> tracks_of(const Model& model, const Recording& recording, int robot = 0);
/// The same of robots 0, 1, ... that move beside each other: what is plotted is at the times of all, between samples by straight lines,
/// and has no value before and after its own.
std::vector<Message> tracks_of(const Model& model, std::span<const Recording> recordings);

}  // namespace ulna::view
