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

}  // namespace ulna::cli
