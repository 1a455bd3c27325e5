#pragma once
// Stand-in with the names of unitree_sdk2 that docs/robots.md uses.
#include <array>
#include <cstdint>

namespace unitree_go::msg::dds_ {

struct MotorCmd_ {
  std::uint8_t mode_ = 0;
  float q_ = 9, dq_ = 9, tau_ = 0, kp_ = 9, kd_ = 9;
  std::uint8_t& mode() { return mode_; }
  float& q() { return q_; }
  float& dq() { return dq_; }
  float& tau() { return tau_; }
  float& kp() { return kp_; }
  float& kd() { return kd_; }
};
struct LowCmd_ {
  std::array<MotorCmd_, 20> motors;
  std::array<MotorCmd_, 20>& motor_cmd() { return motors; }
};

}  // namespace unitree_go::msg::dds_
