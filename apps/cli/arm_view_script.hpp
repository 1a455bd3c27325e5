#pragma once

#include <string_view>

namespace ulna::cli {

/// Draws what arm_view put into the page: shaded shapes on a canvas, the nearest
/// point of each kept.
extern const std::string_view arm_view_script;

}  // namespace ulna::cli
