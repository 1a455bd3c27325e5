#pragma once

#include "ulna/identify/data/log.hpp"

/// Finds what is wrong with a log before anything is concluded from it.
namespace ulna::identify {

struct ScreenOptions {
  double filter_hz = 10.0;   ///< cut-off of the filter to come: gaps and rates are judged by it
  Eigen::Index fewest = 50;  ///< samples that must be left
  double most_lost = 0.2;    ///< share of the rows that may be dropped as faulty
  bool limits_known = true;  ///< hold positions against the joints' limits
};

/// What was seen of a log, for reports.
struct LogFigures {
  Eigen::Index rows = 0;     ///< in the file
  Eigen::Index samples = 0;  ///< left
  Eigen::Index corrupt = 0, outliers = 0, duplicates = 0, held = 0, out_of_time = 0;  ///< dropped
  double duration = 0.0;  ///< s, gaps included
  double rate_hz = 0.0;   ///< one over the median step
  double jitter = 0.0;    ///< standard deviation of the step over its median, gaps left out
  double shortest_step = 0.0, longest_step = 0.0;  ///< s
  Eigen::Index gaps = 0;                           ///< places where samples are missing
  Eigen::Index pieces = 1;  ///< between gaps and jumps that cannot be bridged
};

/// Drops the rows that are corrupt, out of time or repeated, unwraps angles, marks breaks, and says
/// what it did; refuses logs whose columns contradict each other or the robot. The log is empty after
/// an error.
LogFigures screen(Log& log, const Model& model, const ScreenOptions& options, Diagnostics& found);

/// Compares measured torques (n x N) with predicted ones, by a prior model for example, and warns of
/// joints whose torque looks much more like another's.
void screen_torques(const Log& log, const Eigen::MatrixXd& predicted,
                    const Eigen::MatrixXd& measured, Diagnostics& found);

}  // namespace ulna::identify
