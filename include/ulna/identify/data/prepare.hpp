#pragma once

#include <span>

#include "ulna/identify/data/log.hpp"

/// From screened logs to samples that a regression can use: even in time, filtered, with accelerations.
namespace ulna::identify {

struct PrepareOptions {
  double filter_hz = 10.0;  ///< cut-off of one pass; forwards and backwards half passes there
  int filter_order = 4;
  double rate_hz = 0.0;         ///< of the even samples; 0: one over the median step of each log
  int decimation = 1;           ///< of the filtered samples, every n-th is kept
  double torque_delay = 0.0;    ///< s: torques are measured this much later than motion
  bool velocity_logged = true;  ///< use measured velocities where there are any
  bool acceleration_logged = true;  ///< likewise
  double trim = -1.0;  ///< s, dropped at both ends; negative: half a period of the cut-off
};

/// Motion without gaps. Each column belongs to one time; all have passed the same filter.
struct Piece {
  int log = 0;           ///< which of the logs
  double rate_hz = 0.0;  ///< of these samples
  Vector t;
  Matrix q, v, a, tau;  ///< tau is empty if the log has none
  /// sign(v), filtered in turn: what Coulomb friction has become in the filtered torque. Where the
  /// direction changes, sign(v) itself would be a step that the torque no longer has.
  Matrix direction;
  /// The share of what the filter remembers in which a joint slides, so that its direction is known: 0 where it
  /// rests, so that the sign of its velocity is noise, and 1 along most motion. Empty: 1.
  Matrix sliding = {};
  /// Of robots with drives, as Log has them; alpha is the motors' acceleration.
  Matrix theta = {}, omega = {}, alpha = {}, link_tau = {};
  bool link_encoders = true;

  Index size() const { return t.size(); }
  /// Of the samples [begin, end), every `stride`-th.
  Piece part(Index begin, Index end, Index stride = 1) const;
};

struct Prepared {
  std::vector<Piece> pieces = {};
  /// How they were made: to be stated with every result.
  double filter_hz = 0.0;
  int filter_order = 0;
  int decimation = 1;
  double torque_delay = 0.0;
  bool velocity_measured = false, acceleration_measured = false;

  Index size() const;  ///< samples in all
  /// A share of each piece, from `begin` to `end`.
  Prepared part(double begin, double end) const;
  /// "10 Hz zero-phase low-pass (Butterworth, order 4, forwards and backwards), 1000 Hz, ..."
  std::string str() const;
};

/// One over the median step, unless most of the time went by in much longer ones: even samples would
/// then be many more than were measured. The log has at least two samples.
double natural_rate(const Log& log);

/// Resamples each log on its own clock, filters everything alike, and differentiates. A piece that
/// is too short for the filter is left out and reported; if none is left, that is an error.
/// Currents count as torques after apply_gains only. Times must increase, as screened ones do.
Prepared prepare(std::span<const Log> logs, const PrepareOptions& options, Diagnostics& found);

}  // namespace ulna::identify
