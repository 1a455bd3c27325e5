#pragma once
// Stand-in with the names of ros2_control that docs/robots.md uses.
#include <optional>
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
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class interface_configuration_type { INDIVIDUAL };
struct InterfaceConfiguration {
  interface_configuration_type type;
  std::vector<std::string> names;
};
struct Interface {
  double* value;
  bool busy = false;  // another thread has it
  [[nodiscard]] std::optional<double> get_optional() const {
    return busy ? std::nullopt : std::optional(*value);
  }
  [[nodiscard]] bool set_value(double x) { return !busy && (*value = x, true); }
};

class ControllerInterface {
 public:
  virtual ~ControllerInterface() = default;
  virtual CallbackReturn on_init() = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;

  std::vector<Interface> command_interfaces_, state_interfaces_;
};

}  // namespace controller_interface
