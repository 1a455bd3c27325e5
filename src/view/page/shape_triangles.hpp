#pragma once

#include "ulna/geometry/shape.hpp"

namespace ulna::view {

/// The surface of a shape that has no simpler name: an ellipsoid, a hull, a mesh, a height field.
Triangles triangles_of(const CollisionShape& shape);

}  // namespace ulna::view
