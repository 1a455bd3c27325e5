#pragma once

#include "mpc_results.hpp"

namespace ulna::cli {

/// Results with plots and a moving picture of the arm, as one HTML file.
std::string mpc_page(const MpcResults& results);

}  // namespace ulna::cli
