#pragma once

#include <string>

#include "mpc_results.hpp"

/// The pictures of trials as SVG over one time, with their events marked. All have the class that
/// arm_view marks the time in.
namespace ulna::cli {

/// How far the robot is from where it should be, root of the mean square of the joints, on a
/// logarithmic scale.
std::string error_plot(const MpcResults& results);

/// Of one coordinate: where it is and should be.
std::string position_plot(const MpcResults& results, int joint);

/// Of one coordinate: its torque between its limits.
std::string effort_plot(const MpcResults& results, int joint);

/// What a body weighs, and what the controllers take it to weigh.
std::string mass_plot(const MpcResults& results, int body);

/// The same of a joint's dry friction.
std::string friction_plot(const MpcResults& results, int joint);

/// Where the actions came from: a strip for each run.
std::string action_plot(const MpcResults& results);

/// What errors are given in: as many of the unit as one, "mrad".
struct ErrorUnit {
  double factor;
  std::string_view name;
};
ErrorUnit error_unit(const Model& model);

}  // namespace ulna::cli
