#pragma once

#include <memory>

#include "ulna/rig/rig.hpp"
#include "ulna/ros2/dds.hpp"

namespace ulna::ros2 {

struct RobotOptions {
  Network network = {};
  std::string states = "joint_states", commands = "effort_controller/commands";
  std::string diagnostics = "diagnostics";  ///< whether it holds itself, and its watchdog
  CommandType command = CommandType::multi_array;
  std::vector<std::string> joints = {};  ///< of CommandType::multi_array; empty: the model's order
  bool efforts = true;                   ///< whether states have them
  double watchdog =
      0.05;  ///< s without torques after which the robot holds itself; older ones are not used
};

/// The robot's side: offers any rig, as a simulated robot, to controllers that speak ROS 2.
///
///     DdsRobot robot(rig);
///     every period:
///       robot.take();   // torques, or the robot holds itself
///       robot.send();   // the state
///
/// Without torques the rig holds itself; one that cannot is held by gravity torques, damping and a spring, computed with its
/// model. `take` and `send` are for the robot's thread, and do not wait.
class DdsRobot {
 public:
  /// Throws as DdsRig does.
  explicit DdsRobot(rig::Rig& rig, const RobotOptions& options = {});
  ~DdsRobot();

  void take() noexcept;
  void send() noexcept;

  /// Whether torques of a controller are in force.
  bool driven() const noexcept;
  Traffic traffic() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::ros2
