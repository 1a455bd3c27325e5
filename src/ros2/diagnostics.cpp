#include "ros2/diagnostics.hpp"

#include <charconv>
#include <string_view>

namespace ulna::ros2 {
namespace {

constexpr const char *robot_status = "ulna: robot", *holds = "holds", *watchdog = "watchdog";

}  // namespace

dds_return_t write_diagnostics(dds_entity_t writer, std::span<const Status> all) {
  std::vector<diagnostic_msgs_msg_dds__DiagnosticStatus_> statuses;
  std::vector<std::vector<diagnostic_msgs_msg_dds__KeyValue_>> values;
  for (const Status& s : all) {
    auto& pairs = values.emplace_back();
    for (const auto& [key, value] : s.values) pairs.push_back({borrow(key), borrow(value)});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& to = statuses.emplace_back();
    to.level = std::uint8_t(all[i].level), to.name = borrow(all[i].name),
    to.message = borrow(all[i].message);
    to.hardware_id = borrow(all[i].hardware_id);
    borrow(to.values, values[i]);
  }
  const std::string frame;
  diagnostic_msgs_msg_dds__DiagnosticArray_ message{};
  message.header = {stamp_of(system_time()), borrow(frame)};
  borrow(message.status, statuses);
  return dds_write(writer, &message);
}

Status status_of(const RobotHealth& health, const std::string& robot) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), health.watchdog).ptr;
  return {health.refuses ? Status::Level::error : Status::Level::ok,
          robot_status,
          health.refuses ? "refuses the torques"
          : health.holds ? "holds itself"
                         : "driven",
          robot,
          {{holds, health.holds ? "true" : "false"},
           {watchdog, std::string(digits.data(), std::size_t(end - digits.data()))}}};
}

std::optional<RobotHealth> find_health(const diagnostic_msgs_msg_dds__DiagnosticArray_& message,
                                       const std::string& robot) {
  for (std::uint32_t i = 0; i < message.status._length; ++i) {
    const auto& s = message.status._buffer[i];
    if (std::string_view(s.name) != robot_status || std::string_view(s.hardware_id) != robot)
      continue;
    RobotHealth health{.refuses = s.level == std::uint8_t(Status::Level::error)};
    bool known = false;
    for (std::uint32_t k = 0; k < s.values._length; ++k) {
      const std::string_view key = s.values._buffer[k].key, value = s.values._buffer[k].value;
      if (key == holds) known = value == "true" || value == "false", health.holds = value == "true";
      if (key != watchdog) continue;
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), health.watchdog);
      if (error != std::errc() || !(health.watchdog >= 0.0 && health.watchdog < 1e6))
        health.watchdog = 0.0;
    }
    if (known) return health;
  }
  return std::nullopt;
}

}  // namespace ulna::ros2
