#pragma once

#include "ulna/identify/data/log.hpp"

namespace ulna::identify {

/// What repair_clock did.
struct ClockRepair {
  bool repaired = false;
  double period = 0.0;       ///< s, of the robot's own clock
  double share = 0.0;        ///< of the steps that can be judged, those that are whole periods
  double deviation = 0.0;    ///< s, root mean square of logged minus true time
  Eigen::Index dropped = 0;  ///< samples that repeat the motion of the one before
};

/// The times at which a robot really was measured. A robot measures at an even rate; the time in its
/// log is often that of the computer that wrote the line. How long a step took follows from
/// the motion: it is the time in which the velocities lead from one position to the next. If these
/// times are whole multiples of one period, the log gets the even clock back, with a note; otherwise
/// it is left alone. Needs measured velocities; to be called after screen().
ClockRepair repair_clock(Log& log, Diagnostics& found);

}  // namespace ulna::identify
