#pragma once

#include "ulna/ulna.hpp"
#include "verb.hpp"

/// What happens to a simulated robot and to its readings, by options of the command line.
namespace ulna::cli {

inline constexpr double longest_simulation = 3600.0;  ///< s

/// "2,0,0,0.1@1.5..3": from 1.5 s to 3 s, a ball of 2 kg at a place in the frame of the last link. Throws UsageError.
void schedule_payload(Schedule& schedule, const Model& model, const std::string& text,
                      double duration);

/// "2@1..3": friction grows from what it usually is to twice that between 1 s and 3 s. Throws UsageError.
void schedule_friction(Schedule& schedule, const Plant<double>& usual, const std::string& text,
                       double duration);

/// Throw UsageError for runs that are too long, in s or in steps, and for logs with too many numbers.
void require_reasonable_duration(double duration, double step);
void require_loggable(double duration, double period, std::size_t columns);

/// Options for what sensors do to the log.
void add_sensors(Parser& app, SensorsOptions& sensors);

}  // namespace ulna::cli
