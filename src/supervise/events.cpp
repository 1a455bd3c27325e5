#include "ulna/supervise/events.hpp"

namespace ulna::supervise {

const char* to_string(State state) {
  return std::array{"run", "hold", "stop", "fault"}[static_cast<std::size_t>(state)];
}

const char* to_string(Cause cause) {
  constexpr std::array<const char*, cause_count> names{"none",
                                                       "torque limit",
                                                       "torque rate limit",
                                                       "acceleration limit",
                                                       "speed limit",
                                                       "position limit",
                                                       "drive limit",
                                                       "contact limit",
                                                       "torque sensor not finite",
                                                       "torque sensor dead",
                                                       "torque sensor frozen",
                                                       "torque sensor of the wrong sign",
                                                       "torque sensor late",
                                                       "torque sensor implausible",
                                                       "plant not physical",
                                                       "weak drive",
                                                       "drives lag",
                                                       "command not finite",
                                                       "reading of the wrong size",
                                                       "reading not finite",
                                                       "reading out of range",
                                                       "reading stale",
                                                       "reading late",
                                                       "clock of readings wrong",
                                                       "state frozen",
                                                       "position jump",
                                                       "over speed",
                                                       "over position",
                                                       "requested",
                                                       "collision",
                                                       "position frozen",
                                                       "velocity frozen",
                                                       "velocity inconsistent",
                                                       "blind"};
  return names[static_cast<std::size_t>(cause)];
}

const char* to_string(Severity severity) {
  return std::array{"note", "stop", "latch", "fault"}[static_cast<std::size_t>(severity)];
}

Severity severity(Cause cause) {
  if (cause < Cause::command_not_finite) return Severity::note;
  if (cause < Cause::collision) return Severity::stop;
  return cause == Cause::collision ? Severity::latch : Severity::fault;
}

const char* to_string(Reaction reaction) {
  return std::array{"report", "stop", "compliant", "retreat"}[static_cast<std::size_t>(reaction)];
}

}  // namespace ulna::supervise
