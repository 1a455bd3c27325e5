#pragma once

#include "ulna/model/rule_list.hpp"

/// Every rule that a mesh of a robot can break: identifier, name, severity, meaning, remedy. docs/geometry.md explains
/// them.
// clang-format off
#define ULNA_MESH_RULES(X) \
  X(missing, "mesh-missing", warning, "the file of a mesh is not found", "correct the path, or name the folder of the package") \
  X(format, "mesh-format", warning, "this build of ulna cannot read this kind of mesh", "convert it to STL or OBJ, or build with assimp (Debian: libassimp-dev)") \
  X(broken, "mesh-broken", warning, "the file of a mesh is not what its name says, or is cut off", "export the mesh again") \
  X(too_large, "mesh-too-large", warning, "a mesh exceeds the limit on bytes or triangles", "reduce the mesh: contact needs a few hundred triangles; or raise the limit in ShapeOptions") \
  X(flat, "mesh-flat", warning, "a mesh has no volume", "give it a thickness, or use a box") \
  X(open, "mesh-open", warning, "a mesh bounds no solid: it has holes, triangles that are turned, or is inside out", "close the mesh, with all triangles anticlockwise as seen from outside, or give the link an inertial") \
  X(concave, "mesh-concave", note, "a concave mesh is taken by its convex hull", "split it into convex parts, or use boxes, cylinders and capsules")
// clang-format on

namespace ulna::mesh_rules {
ULNA_DEFINE_RULES(ULNA_MESH_RULES)
}  // namespace ulna::mesh_rules

#undef ULNA_MESH_RULES
