#pragma once

#include "mpc_scenario.hpp"

/// The report of trials: a page of HTML, its pictures, and the robot in motion.
namespace ulna::cli {

/// A page of HTML that needs nothing else: figures, plots, and the robot in motion.
std::string mpc_page(const MpcResults& results);

// --- the robot in motion: a drawing that can be turned and played, with all it needs inside the page
// but its style, arm_view.css

/// The runs over each other, the first solid and the others as ghosts, what they should do as a thin
/// line, and the payload while there is one. Empty if nothing was recorded. Plots of class `timeplot`
/// in the same page get a mark at the time that is shown.
std::string arm_view(const MpcResults& results);

// --- pictures as SVG over one time, with their events marked; all have the class that arm_view marks
// the time in

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
