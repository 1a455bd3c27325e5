#include "ulna/ros2/dds.hpp"

#include <algorithm>

#include "num/message.hpp"

namespace ulna::ros2 {

std::string dds_topic(const std::string& ros_name) {
  const std::string name = ros_name.starts_with('/') ? ros_name.substr(1) : ros_name;
  bool good = !name.empty() && name.size() < 200 && !name.ends_with('/');
  for (std::size_t i = 0; good && i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool begins = i == 0 || name[i - 1] == '/';
    good = letter || (!begins && (c == '/' || (c >= '0' && c <= '9')));
  }
  messages::require(
      good, "'", ros_name,
      "' is no name of a topic of ROS 2: it is made of letters, digits and _ with / between parts, "
      "and no part begins with a digit");
  return "rt/" + name;
}

const char* to_string(CommandType type) {
  return type == CommandType::multi_array ? "multi_array" : "joint_effort";
}

const char* to_string(Fault fault) {
  static constexpr std::array names{"none", "garbled",    "joint missing", "reordered", "late",
                                    "lost", "not finite", "silent",        "unsent"};
  static_assert(names.size() == fault_count);
  return names[std::size_t(fault)];
}

std::string Traffic::report() const {
  std::string text;
  for (int i = 1; i < fault_count; ++i)
    if (const auto n = faults[std::size_t(i)])
      text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + to_string(Fault(i));
  return text.empty() ? "none" : text;
}

}  // namespace ulna::ros2
