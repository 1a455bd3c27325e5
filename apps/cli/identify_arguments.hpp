#pragma once

#include "states.hpp"
#include "ulna/identify/identify.hpp"

namespace ulna::cli {

/// What `ulna identify` was given.
struct IdentifyArguments {
  RobotArgument robot;
  identify::Options how;
  std::vector<std::string> logs, validate, loaded;  ///< files, or "-"
  std::string gain, friction, prior, known_payload, method = "consistent", out, report;
  std::optional<double> filter_hz, late_ms;
  bool online = false, armature = false, no_armature = false, as_usual = false, all = false,
       force = false;

  std::string prior_source() const { return prior.empty() ? robot.source() : prior; }
  std::string method_name() const { return online ? "online" : method; }
};

}  // namespace ulna::cli
