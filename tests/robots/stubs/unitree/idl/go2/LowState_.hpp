#pragma once
// Stand-in with the names of unitree_sdk2 that docs/robots.md uses.
#include <array>
#include <cstdint>

namespace unitree_go::msg::dds_ {

struct MotorState_ {
  float q_ = 0, dq_ = 0, tau_est_ = 0;
  float q() const { return q_; }
  float dq() const { return dq_; }
  float tau_est() const { return tau_est_; }
};
struct LowState_ {
  std::array<MotorState_, 20> motors;
  const std::array<MotorState_, 20>& motor_state() const { return motors; }
};

}  // namespace unitree_go::msg::dds_
