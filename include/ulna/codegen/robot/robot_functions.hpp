#pragma once

#include <optional>
#include <string_view>

#include "ulna/codegen/traced.hpp"
#include "ulna/model/model.hpp"

/// The dynamics of one robot as straight lines of operations.
namespace ulna::codegen {

/// What can be traced. Matrices go out column by column.
enum class RobotFunction {
  id,    ///< (q, v, a) -> tau
  M,     ///< q -> M
  Minv,  ///< q -> Minv
  fd,    ///< (q, v, tau) -> a
  did,   ///< (q, v, a) -> tau, dtau_dq, dtau_dv, M
  dfd,   ///< (q, v, tau) -> a, da_dq, da_dv, Minv
  Y,     ///< (q, v, a) -> Y, with Y pi = tau, friction and rotors aside

  // of the motors, with their gears and springs (docs/drives.md)
  drive_id,  ///< (q, v, a, jerk, snap) -> tau, theta, omega
  drive_fd,  ///< (q, v, theta, omega, tau) -> a, alpha
};

inline constexpr RobotFunction robot_functions[] = {
    RobotFunction::id,  RobotFunction::M,   RobotFunction::Minv, RobotFunction::fd,
    RobotFunction::did, RobotFunction::dfd, RobotFunction::Y};
inline constexpr RobotFunction drive_functions[] = {RobotFunction::drive_id,
                                                    RobotFunction::drive_fd};

std::string_view to_string(RobotFunction function);
std::optional<RobotFunction> robot_function_from_string(std::string_view name);

struct TraceOptions {
  /// The inertias are no constants but a last input, pi: ten per moving body as Plant::set_inertial
  /// takes them. Y depends on none, and has no such input.
  bool symbolic_inertias = false;
};

/// Traces the algorithms of dynamics and derivatives on expressions, with the robot's numbers for
/// constants. Named <robot>_<function>. Throws std::invalid_argument for robots of more than 64
/// degrees of freedom, whose functions would be too long to compile. All but the functions of drives compute the links alone.
Traced trace(const Model& model, RobotFunction function, const TraceOptions& options = {});

}  // namespace ulna::codegen
