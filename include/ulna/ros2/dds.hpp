#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Robots and controllers that speak ROS 2: its messages over DDS, without any part of ROS. See docs/ros2.md.
namespace ulna::ros2 {

/// Whether this library was built with Cyclone DDS. Without it, constructors throw DdsError.
bool has_dds() noexcept;

/// A name or an interface cannot be used, or who was expected did not show up.
class DdsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where messages travel. All that one process has in a domain uses the same interface.
struct Network {
  int domain = 0;  ///< ROS_DOMAIN_ID, 0 to 232
  /// The name or the address of an interface, or "auto", which Cyclone chooses. "lo": nothing leaves this machine.
  std::string interface = "lo";
  std::string config = {};  ///< more of Cyclone's configuration, as in CYCLONEDDS_URI
  /// SCHED_FIFO of the threads that send and receive, where the system allows it; 0: as the thread that makes the rig.
  int priority = 0;
};

/// The topic of DDS for one of ROS: "/joint_states" and "joint_states" are "rt/joint_states". Throws std::invalid_argument
/// for what is no name of ROS.
std::string dds_topic(const std::string& ros_name);

/// What torques are sent as.
enum class CommandType {
  multi_array,   ///< std_msgs/msg/Float64MultiArray, as ros2_control's effort controllers take it
  joint_effort,  ///< sensor_msgs/msg/JointState with names and efforts
};
const char* to_string(CommandType type);

/// What is wrong with a message, or with the other side.
enum class Fault {
  none,
  garbled,        ///< numbers that are not as many as there are names, or a joint twice
  joint_missing,  ///< a joint of the model is not among the names
  reordered,      ///< its time stamp is not later than that of the one before
  late,           ///< it is too old
  lost,           ///< messages that never came, as DDS noticed
  not_finite,     ///< a torque that is no number
  silent,         ///< the other side was gone: how many times
  unsent,         ///< DDS took no message
  refused,        ///< torques that a robot does not take: it holds itself
};
inline constexpr int fault_count = static_cast<int>(Fault::refused) + 1;
const char* to_string(Fault fault);

/// What came and went, since the beginning.
struct Traffic {
  std::uint64_t states = 0;    ///< that were used, or sent by a robot
  std::uint64_t commands = 0;  ///< that were sent, or acted on by a robot
  std::uint64_t superseded =
      0;  ///< that a newer one had followed before they were read, or were sent
  std::array<std::uint64_t, fault_count> faults = {};

  std::uint64_t count(Fault fault) const { return faults[std::size_t(fault)]; }
  /// The faults there were, "3 lost, 1 late"; "none".
  std::string report() const;
};

/// diagnostic_msgs/msg/DiagnosticStatus
struct Status {
  enum class Level : std::uint8_t { ok, warn, error, stale };
  Level level = Level::ok;
  std::string name = {}, message = {}, hardware_id = {};
  std::vector<std::pair<std::string, std::string>> values = {};
};

}  // namespace ulna::ros2
