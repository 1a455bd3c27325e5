#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ulna/rig/rig.hpp"
#include "ulna/ros2/dds.hpp"

namespace ulna::ros2 {

struct RigOptions {
  Network network = {};
  std::string states = "joint_states";  ///< sensor_msgs/msg/JointState, from the robot
  std::string commands = "effort_controller/commands";  ///< to the robot
  CommandType command = CommandType::multi_array;
  /// Of CommandType::multi_array: the joints in the order of the controller's parameter `joints`. Empty: the model's order.
  std::vector<std::string> joints = {};
  std::string parameters =
      "ulna/parameters";  ///< std_msgs/msg/Float64MultiArray: what was identified
  /// diagnostic_msgs/msg/DiagnosticArray: what the link does, and what the robot says of itself.
  std::string diagnostics = "diagnostics";
  double late_after = 0.02;   ///< s: an older state is not used
  double silent_after = 0.1;  ///< s without a state after which the robot counts as gone
  /// s without torques after which the robot holds itself; 0: as it says among diagnostics. Where nobody says so it does not, as
  /// ros2_control's effort controllers do not.
  double watchdog = 0.0;
};

/// From an address such as "dds:domain=3,states=arm/joint_states": "dds:", and any of domain, interface, states, commands,
/// command (multi_array or joint_effort), joints (names with + between), parameters, diagnostics, late_after, silent_after, priority and
/// watchdog. Throws std::invalid_argument.
RigOptions rig_options(std::string_view address);

/// A robot that speaks ROS 2, driven from outside of ROS.
///
///     DdsRig rig(model, {.network = {.domain = 3}});
///     rig.connect(5.0);
///     every period:
///       if (rig.read(reading)) rig.write(law(reading));
///
/// Joints are found by their names. Efforts that a robot does not measure are NaN. The time of a reading is its time
/// stamp where the robot's clock is this machine's, otherwise when it came.
/// `read`, `write`, `hold` and `now` call nothing of DDS: its threads put states aside, and one of this object sends.
class DdsRig final : public rig::Rig {
 public:
  /// Throws DdsError for an interface that there is not, std::invalid_argument for senseless options and joints of several
  /// coordinates.
  explicit DdsRig(const Model& model, const RigOptions& options = {});
  ~DdsRig() override;

  /// Waits until there is a state with all joints and somebody who takes torques. Throws DdsError that says what is missing.
  void connect(double seconds);

  const Model& model() const noexcept override;
  bool read(rig::Reading& reading) noexcept override;
  /// False also while the robot says that it refuses the torques; they are sent all the same.
  bool write(const Eigen::Ref<const Eigen::VectorXd>& tau) noexcept override;
  /// Torques are no longer sent; a message without any says that the robot shall hold itself. False: this robot would not notice.
  bool hold() noexcept override;
  /// As the robot says among diagnostics. False where it says nothing.
  bool holds() const noexcept override;
  double now() const noexcept override;

  Traffic traffic() const noexcept;
  /// What is wrong now: silent, refused, or with the last message.
  Fault fault() const noexcept;
  /// Whether readings have the robot's time stamps.
  bool stamped() const noexcept;

  // These allocate and may wait: they are for another thread than that of the loop.

  /// Of what was identified, names with values and standard deviations, which may be empty. Who comes later gets the last ones, too.
  void publish_parameters(std::span<const std::string> names,
                          const Eigen::Ref<const Eigen::VectorXd>& values,
                          const Eigen::Ref<const Eigen::VectorXd>& deviations);
  /// Beside that of the link itself, which is sent once a second.
  void publish_diagnostics(std::span<const Status> all);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::ros2
