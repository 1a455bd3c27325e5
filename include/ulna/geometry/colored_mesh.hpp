#pragma once

#include "ulna/geometry/mesh_file.hpp"

namespace ulna {

/// A mesh as it looks: contact has no use for colours.
struct ColoredMesh {
  Triangles triangles;
  std::vector<std::array<float, 4>> colors =
      {};  ///< of each face: red, green, blue, opacity, 0 to 1; empty: it has none
};

/// As read_mesh, with the colours of the file's materials: of what assimp reads, DAE among it.
std::optional<ColoredMesh> read_colored_mesh(const std::filesystem::path& file, Diagnostics& out,
                                             const std::string& subject,
                                             const MeshLimits& limits = {});

}  // namespace ulna
