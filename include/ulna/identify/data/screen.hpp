#pragma once

#include <unordered_set>

#include "ulna/identify/data/log.hpp"

/// Finds what is wrong with a log before anything is concluded from it.
namespace ulna::identify {

struct ScreenOptions {
  double filter_hz = 10.0;   ///< cut-off of the filter to come: gaps and rates are judged by it
  Index fewest = 50;         ///< samples that must be left
  double most_lost = 0.2;    ///< share of the rows that may be dropped as faulty
  bool limits_known = true;  ///< hold positions against the joints' limits
};

/// What was seen of a log, for reports.
struct LogFigures {
  Index rows = 0;                                                              ///< in the file
  Index samples = 0;                                                           ///< left
  Index corrupt = 0, outliers = 0, duplicates = 0, held = 0, out_of_time = 0;  ///< dropped
  double duration = 0.0;                                                       ///< s, gaps included
  double rate_hz = 0.0;  ///< one over the median step
  double jitter = 0.0;   ///< standard deviation of the step over its median, gaps left out
  double shortest_step = 0.0, longest_step = 0.0;  ///< s
  Index gaps = 0;                                  ///< places where samples are missing
  Index pieces = 1;  ///< between gaps and jumps that cannot be bridged
};

/// Drops the rows that are corrupt, out of time or repeated, unwraps angles, marks breaks, and says
/// what it did; refuses logs that contradict themselves or the robot. Empties the log then.
LogFigures screen(Log& log, const Model& model, const ScreenOptions& options, Diagnostics& found);

/// Warns of joints whose torques are beyond their effort limits, or stay at them.
void screen_efforts(const Log& log, const Model& model, Diagnostics& found);

/// The samples of a log, number by number, times aside: to find them again in another log.
class KnownSamples {
 public:
  explicit KnownSamples(const Log& log);
  /// Of the samples of a log at which the robot moves, the share that is among these.
  double share_of(const Log& log) const;

 private:
  std::unordered_set<std::size_t> keys_;
};

inline double shared_samples(const Log& log, const Log& other) {
  return KnownSamples(other).share_of(log);
}

/// Compares measured torques (n x N) with predicted ones, by a prior model for example, and warns of
/// joints whose torque looks much more like another's.
void screen_torques(const Log& log, const Matrix& predicted, const Matrix& measured,
                    Diagnostics& found);

/// What repair_clock did.
struct ClockRepair {
  bool repaired = false;
  double period = 0.0;     ///< s, of the robot's own clock
  double share = 0.0;      ///< of the steps that can be judged, those that are whole periods
  double deviation = 0.0;  ///< s, root mean square of logged minus true time
  Index dropped = 0;       ///< samples that repeat the motion of the one before
};

/// The times at which a robot really was measured. A robot measures at an even rate; the time in its
/// log is often that of the computer that wrote the line. How long a step took follows from
/// the motion: it is the time in which the velocities lead from one position to the next. If these
/// times are whole multiples of one period, the log gets the even clock back, with a note; otherwise
/// it is left alone. Needs measured velocities; to be called after screen().
ClockRepair repair_clock(Log& log, Diagnostics& found);

}  // namespace ulna::identify
