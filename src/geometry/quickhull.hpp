#pragma once

#include <vector>

#include "geometry/convex.hpp"

namespace ulna::detail {

/// The hull of points as triangles, anticlockwise as seen from outside. Empty where all points are within the tolerance
/// (a length) of one plane, or where rounding tears the surface.
std::vector<std::array<int, 3>> quickhull(std::span<const Vector3> points, double tolerance);

}  // namespace ulna::detail
