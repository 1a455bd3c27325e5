#pragma once
// Stand-in with the names of Universal Robots' client library that docs/robots.md uses.
#include <array>
#include <memory>
#include <string>

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
  SimulatedArm& arm;
  bool getData(const std::string& name, double& value) const {
    return name == "timestamp" && (value = 100.0 + arm.time, true);
  }
  bool getData(const std::string& name, vector6d_t& values) const {
    for (std::size_t i = 0; i < 6; ++i)
      values[i] = name == "actual_q"                   ? arm.q[i]
                  : name == "actual_qd"                ? arm.v[i]
                  : name == "actual_current_as_torque" ? arm.tau[i] - arm.gravity[i]
                                                       : NAN;
    return true;
  }
};
}  // namespace rtde_interface

struct UrDriver {
  explicit UrDriver(SimulatedArm& with) : arm(with) {
    ulna_gravity_torque(arm.robot, arm.n, arm.q.data(), arm.gravity.data());
  }
  std::unique_ptr<rtde_interface::DataPackage> getDataPackage() {
    return std::unique_ptr<rtde_interface::DataPackage>(new rtde_interface::DataPackage{arm});
  }
  bool writeJointCommand(const vector6d_t& tau, comm::ControlMode, const RobotReceiveTimeout&) {
    arm.move(tau.data(), 0.002, true);
    ulna_gravity_torque(arm.robot, arm.n, arm.q.data(), arm.gravity.data());
    return true;
  }
  SimulatedArm& arm;
};

}  // namespace urcl
