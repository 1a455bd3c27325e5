#pragma once

#include <optional>

#include "ros2/domain.hpp"
#include "ros2/joint_table.hpp"

namespace ulna::ros2 {

/// The two kinds of messages that torques travel in.
inline const dds_topic_descriptor_t& descriptor_of(CommandType type) {
  return type == CommandType::multi_array ? std_msgs_msg_dds__Float64MultiArray__desc
                                          : sensor_msgs_msg_dds__JointState__desc;
}

/// A JointState whose memory is here.
class JointMessage {
 public:
  explicit JointMessage(const std::vector<std::string>& names) : names_(names) {
    for (const std::string& name : names_) pointers_.push_back(borrow(name));
    message_.header.frame_id = borrow(none_);
    borrow(message_.name, pointers_);
  }
  JointMessage(const JointMessage&) = delete;

  dds_return_t write(dds_entity_t writer, double time) {
    message_.header.stamp = stamp_of(time);
    borrow(message_.position, position), borrow(message_.velocity, velocity),
        borrow(message_.effort, effort);
    return dds_write(writer, &message_);
  }
  std::vector<double> position, velocity, effort;

 private:
  std::vector<std::string> names_;
  std::vector<char*> pointers_;
  std::string none_;
  JointState message_{};
};

/// Torques as numbers in an order.
class ArrayMessage {
 public:
  dds_return_t write(dds_entity_t writer) {
    borrow(message_.data, data);
    return dds_write(writer, &message_);
  }
  std::vector<double> data;

 private:
  Float64MultiArray message_{};
};

}  // namespace ulna::ros2
