#pragma once

#include <optional>
#include <string>

#include "ulna/geometry/shape.hpp"

namespace ulna::detail {

/// What was read, or what is wrong and where.
struct MeshText {
  Triangles triangles;
  std::vector<std::array<float, 4>> colors = {};  ///< of each face, or none
  std::string defect;
  int line = 0;
  bool too_large = false;
};

/// How many triangles the head of a binary STL file of this size announces; none: it is no such file.
std::optional<std::size_t> binary_stl_count(std::string_view head, std::size_t bytes);

/// They stop at `limit` triangles.
MeshText read_stl(std::string_view bytes, std::size_t limit);
MeshText read_obj(std::string_view text, std::size_t limit);

/// Whether this build reads files with this ending (".dae") by assimp.
bool assimp_reads(const std::string& ending);
MeshText read_by_assimp(const std::string& file, std::size_t limit);

}  // namespace ulna::detail
