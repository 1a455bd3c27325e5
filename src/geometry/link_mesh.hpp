#pragma once

#include "ulna/geometry/robot_shapes.hpp"

namespace ulna {

/// The triangles of a mesh that a link of a description has, at their size and with their outside outside. None, and a diagnostic,
/// where it is missing, broken or too large.
std::optional<Triangles> link_mesh(const Description& robot, const LinkDescription& link,
                                   const Mesh& mesh, const ShapeOptions& options, Diagnostics& out);

}  // namespace ulna
