#pragma once

#include <optional>
#include <span>

#include "ros2/domain.hpp"

namespace ulna::ros2 {

dds_return_t write_diagnostics(dds_entity_t writer, std::span<const Status> all);

/// What a robot says of itself, as a status among diagnostics: docs/ros2.md.
struct RobotHealth {
  bool holds = false;     ///< itself: no torques of a controller are in force
  bool refuses = false;   ///< the torques that come
  double watchdog = 0.0;  ///< s without torques after which it holds itself; 0: it never does

  bool operator==(const RobotHealth&) const = default;
};

Status status_of(const RobotHealth& health, const std::string& robot);
/// Nothing where there is no status of this robot, or one that cannot be.
std::optional<RobotHealth> find_health(const diagnostic_msgs_msg_dds__DiagnosticArray_& message,
                                       const std::string& robot);

}  // namespace ulna::ros2
