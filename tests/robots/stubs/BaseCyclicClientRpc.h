#pragma once
// Stand-in with the names of Kinova's Kortex that docs/robots.md uses.
#include <cstdint>
#include <deque>

#include "simulated_arm.hpp"

namespace Kinova::Api::BaseCyclic {

struct ActuatorFeedback {
  float p = 0, v = 0, t = 0;
  float position() const { return p; }
  float velocity() const { return v; }
  float torque() const { return t; }
};
struct Feedback {
  std::deque<ActuatorFeedback> all;
  const ActuatorFeedback& actuators(int i) const { return all[std::size_t(i)]; }
};
struct ActuatorCommand {
  float p = 0, t = 0;
  std::uint32_t id = 0;
  void set_position(float x) { p = x; }
  void set_torque_joint(float x) { t = x; }
  void set_command_id(std::uint32_t x) { id = x; }
};
struct Command {
  std::deque<ActuatorCommand> all;
  std::uint32_t frame = 0;
  ActuatorCommand* add_actuators() { return &all.emplace_back(); }
  ActuatorCommand* mutable_actuators(int i) { return &all[std::size_t(i)]; }
  std::uint32_t frame_id() const { return frame; }
  void set_frame_id(std::uint32_t x) { frame = x; }
};

struct BaseCyclicClient {
  BaseCyclicClient(SimulatedArm& with, double h) : arm(with), period(h) {}
  Feedback RefreshFeedback() const {
    constexpr double degrees = 180.0 / 3.14159265358979323846;
    Feedback f;
    for (std::size_t i = 0; i < arm.q.size(); ++i) {
      const double at = std::fmod(arm.q[i] * degrees + 720.0, 360.0);
      f.all.push_back({float(at), float(arm.v[i] * degrees), float(-arm.tau[i])});
    }
    return f;
  }
  Feedback Refresh(const Command& command) {
    std::vector<double> tau;
    for (std::size_t i = 0; i < arm.q.size(); ++i) {
      tau.push_back(command.all[i].t);
      if (command.all[i].id != command.frame || command.frame == last_frame) ++wrong_ids;
    }
    last_frame = command.frame;
    arm.move(tau.data(), period, false);
    return RefreshFeedback();
  }
  SimulatedArm& arm;
  double period;
  int wrong_ids = 0;
  std::uint32_t last_frame = 0;
};

}  // namespace Kinova::Api::BaseCyclic
