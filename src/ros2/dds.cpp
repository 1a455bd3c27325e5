#include "ulna/ros2/dds.hpp"

#include <charconv>

#include "num/message.hpp"
#include "ulna/model/diagnostic.hpp"
#include "ulna/ros2/dds_rig.hpp"

namespace ulna::ros2 {
namespace {

using messages::require;

/// The parts of a text between marks; the last may be empty.
std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == mark ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

template <class T>
T number(const std::string& key, const std::string& text) {
  T x{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  require(error == std::errc() && end == text.data() + text.size(), "DDS address: ", key, " is '",
          text, "', which is no number");
  return x;
}

void set_option(RigOptions& o, const std::string& key, const std::string& value) {
  static constexpr std::array<std::string_view, 12> keys{
      "domain",     "interface",   "states",     "commands",     "command",  "joints",
      "parameters", "diagnostics", "late_after", "silent_after", "watchdog", "priority"};
  if (key == "domain") return void(o.network.domain = number<int>(key, value));
  if (key == "interface") return void(o.network.interface = value);
  if (key == "priority") return void(o.network.priority = number<int>(key, value));
  if (key == "states") return void(o.states = value);
  if (key == "commands") return void(o.commands = value);
  if (key == "parameters") return void(o.parameters = value);
  if (key == "diagnostics") return void(o.diagnostics = value);
  if (key == "joints") return void(o.joints = split(value, '+'));
  if (key == "late_after") return void(o.late_after = number<double>(key, value));
  if (key == "silent_after") return void(o.silent_after = number<double>(key, value));
  if (key == "watchdog") return void(o.watchdog = number<double>(key, value));
  require(key == "command", "DDS address: '", key, "' is unknown", did_you_mean(key, keys));
  require(value == "multi_array" || value == "joint_effort", "DDS address: command is '", value,
          "'; it is multi_array or joint_effort");
  o.command = value == "multi_array" ? CommandType::multi_array : CommandType::joint_effort;
}

}  // namespace

RigOptions rig_options(std::string_view address) {
  require(address.starts_with("dds:"), "'", address, "' is no address of DDS: it begins with dds:");
  RigOptions options;
  const std::string_view rest = address.substr(4);
  if (rest.empty()) return options;
  for (const std::string& part : split(rest, ',')) {
    const auto mark = part.find('=');
    require(mark != std::string::npos, "DDS address: '", part, "' is not of the form KEY=VALUE");
    set_option(options, part.substr(0, mark), part.substr(mark + 1));
  }
  return options;
}

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
                                    "lost", "not finite", "silent",        "unsent",    "refused"};
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
