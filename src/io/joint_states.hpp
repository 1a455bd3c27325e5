#pragma once

#include <map>

#include "io/binary_table.hpp"

namespace ulna::detail {

/// Collects the messages of type sensor_msgs/JointState of a bag, by topic.
class JointStates {
 public:
  /// A message as ROS 1 writes it; ROS 2 aligns numbers, behind four bytes that say in which order they are.
  void add_ros1(const std::string& topic, std::string_view message, std::uint64_t received_ns);
  void add_cdr(const std::string& topic, std::string_view message, std::uint64_t received_ns);
  void saw_topic() { ++topics_seen_; }

  /// Columns t, q_<joint>, qd_<joint>, tau_<joint>. Time begins at 0.
  BinaryTable table() const;

  static bool is_type(std::string_view type) {
    return type == "sensor_msgs/JointState" || type == "sensor_msgs/msg/JointState";
  }

 private:
  struct State {
    std::uint64_t ns;
    std::vector<double> values;  ///< positions, velocities, efforts, as many as the device has
  };
  /// Messages of the same joints that give the same quantities.
  struct Device {
    std::vector<std::string> joints;
    bool position, velocity, effort;
    auto operator<=>(const Device&) const = default;
  };
  struct Message {
    std::uint64_t ns;
    std::vector<std::string> joints;
    std::vector<double> position, velocity, effort;
  };
  void add(const std::string& topic, Message message, std::uint64_t received_ns);

  std::map<std::string, std::map<Device, std::vector<State>>> topics_;
  std::size_t topics_seen_ = 0, numbers_ = 0, devices_ = 0;
};

}  // namespace ulna::detail
