#pragma once

#include "mpc_scenario.hpp"

/// The report of trials: a page of HTML, its pictures, and the robot in motion.
namespace ulna::cli {

/// A page of HTML that needs nothing else: figures, plots, and the robot in motion.
std::string mpc_page(const MpcResults& results);

/// Tracking errors over time, or of elastic joints that come to rest, how the tip moves then: a document of SVG that needs nothing else.
std::string mpc_plot(const MpcResults& results);

/// The robot in motion, a drawing to turn and play. It needs the style arm_view.css, marks its time in
/// plots of class `timeplot`, and is empty if nothing was recorded.
std::string arm_view(const MpcResults& results);

}  // namespace ulna::cli
