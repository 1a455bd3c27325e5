#pragma once

#include <string_view>

namespace ulna::cli {

/// Draws what arm_view put into the page: shapes as flat-shaded faces on a canvas, sorted by depth.
extern const std::string_view arm_view_script;

}  // namespace ulna::cli
