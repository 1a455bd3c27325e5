#pragma once

#include <string>

#include "ulna/world/world.hpp"

namespace ulna::cli {

/// The world as it is now, seen from the front right above, without perspective, as an SVG: convex shapes, ground, and contact
/// forces as arrows. Meshes and height fields are not drawn.
std::string scene_picture(const World& world, const std::string& title);

}  // namespace ulna::cli
