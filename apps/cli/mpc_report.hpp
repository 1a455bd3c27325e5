#pragma once

#include "mpc_scenario.hpp"

/// Reports of trials.
namespace ulna::cli {

/// A page of HTML that needs nothing else: figures, plots, and the robot in motion.
std::string mpc_report(const MpcResults& results);

/// Tracking errors over time, or of elastic joints that come to rest, how the tip moves then: a document of SVG that needs nothing else.
std::string mpc_picture(const MpcResults& results);

}  // namespace ulna::cli
