#pragma once
// Stand-in with the names of ros2_control that docs/robots.md uses.
#include <string>
#include <vector>

namespace rclcpp {
struct Time {
  double s;
  double seconds() const { return s; }
};
struct Duration {};
}  // namespace rclcpp

namespace controller_interface {

enum class return_type { OK, ERROR };
enum class interface_configuration_type { INDIVIDUAL };
struct InterfaceConfiguration {
  interface_configuration_type type;
  std::vector<std::string> names;
};
struct Interface {
  double* value;
  double get_value() const { return *value; }
  void set_value(double x) { *value = x; }
};

class ControllerInterface {
 public:
  virtual ~ControllerInterface() = default;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;

  std::vector<Interface> command_interfaces_, state_interfaces_;
};

}  // namespace controller_interface
