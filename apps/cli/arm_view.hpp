#pragma once

#include <string>
#include <string_view>

#include "mpc_results.hpp"

/// The robot in motion: a drawing that can be turned and played, with all it needs inside the page but
/// its style, arm_view.css.
namespace ulna::cli {

/// The runs over each other, the first solid and the others as ghosts, what they should do as a thin
/// line, and the payload while there is one. Empty if nothing was recorded. Plots of class `timeplot`
/// in the same page get a mark at the time that is shown.
std::string arm_view(const MpcResults& results);

/// The colour that a run has in all pictures: a name of the page's style.
std::string_view run_colour(const MpcResults& results, std::size_t run);

/// How many moments of a run hold numbers only: all of them, unless it diverged.
Eigen::Index finite_moments(const TrialRecord& record);

}  // namespace ulna::cli
