#pragma once
// Stand-in with the names of libfranka that docs/robots.md uses.
#include <array>
#include <memory>
#include <utility>

#include "../simulated_arm.hpp"

namespace franka {

struct Duration {
  double seconds;
  double toSec() const { return seconds; }
};
struct RobotState {
  std::array<double, 7> q, dq, tau_J;
};
struct Finishable {
  bool motion_finished = false;
};
struct Torques : Finishable {
  Torques(const std::array<double, 7>& torques) : tau_J(torques) {}
  std::array<double, 7> tau_J;
};

class ActiveControlBase {
 public:
  explicit ActiveControlBase(SimulatedArm& with) : arm(with) {}
  std::pair<RobotState, Duration> readOnce() {
    RobotState s;
    for (std::size_t i = 0; i < 7; ++i)
      s.q[i] = arm.q[i], s.dq[i] = arm.v[i], s.tau_J[i] = arm.tau[i];
    return {s, {std::exchange(first, false) ? 0.0 : 0.001}};
  }
  void writeOnce(const Torques& torques) { arm.move(torques.tau_J.data(), 0.001, true); }

 private:
  SimulatedArm& arm;
  bool first = true;
};

struct Robot {
  explicit Robot(SimulatedArm& with) : arm(with) {}
  std::unique_ptr<ActiveControlBase> startTorqueControl() {
    return std::make_unique<ActiveControlBase>(arm);
  }
  SimulatedArm& arm;
};

}  // namespace franka
