#pragma once
// Stand-in with the names of Universal Robots' client library that docs/robots.md uses.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../simulated_arm.hpp"

namespace urcl {

using vector6d_t = std::array<double, 6>;
namespace comm {
enum class ControlMode { MODE_TORQUE };
}
struct RobotReceiveTimeout {
  static RobotReceiveTimeout millisec(unsigned) { return {}; }
};

namespace rtde_interface {
struct DataPackage {
  explicit DataPackage(std::vector<std::string> names) : recipe(std::move(names)) {}
  bool has(const std::string& name) const {
    for (const std::string& n : recipe)
      if (n == name) return arm != nullptr;
    return false;
  }
  bool getData(const std::string& name, double& value) const {
    return has(name) && name == "timestamp" && (value = 100.0 + arm->time, true);
  }
  bool getData(const std::string& name, vector6d_t& values) const {
    if (!has(name)) return false;
    for (std::size_t i = 0; i < 6; ++i)
      values[i] = name == "actual_q"                   ? arm->q[i]
                  : name == "actual_qd"                ? arm->v[i]
                  : name == "actual_current_as_torque" ? arm->tau[i] - arm->gravity[i]
                                                       : NAN;
    return true;
  }
  std::vector<std::string> recipe;
  const SimulatedArm* arm = nullptr;
};
}  // namespace rtde_interface

struct UrDriver {
  explicit UrDriver(SimulatedArm& with) : arm(with) {
    ulna_gravity_torque(arm.robot, arm.n, arm.q.data(), arm.gravity.data());
  }
  std::vector<std::string> getRTDEOutputRecipe() { return recipe; }
  void startRTDECommunication(bool in_background) { started = !in_background; }
  bool getDataPackageBlocking(std::unique_ptr<rtde_interface::DataPackage>& package) {
    package->arm = &arm;
    return started;
  }
  bool writeJointCommand(const vector6d_t& tau, comm::ControlMode, const RobotReceiveTimeout&) {
    arm.move(tau.data(), 0.002, true);
    ulna_gravity_torque(arm.robot, arm.n, arm.q.data(), arm.gravity.data());
    return true;
  }
  SimulatedArm& arm;
  std::vector<std::string> recipe = {"timestamp", "actual_q", "actual_qd",
                                     "actual_current_as_torque"};
  bool started = false;
};

}  // namespace urcl
