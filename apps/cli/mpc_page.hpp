#pragma once

#include <string>

#include "mpc_results.hpp"

namespace ulna::cli {

/// A page of HTML that needs nothing else: figures, plots, and the robot in motion.
std::string mpc_page(const MpcResults& results);

}  // namespace ulna::cli
