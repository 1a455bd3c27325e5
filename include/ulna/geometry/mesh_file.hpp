#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "ulna/geometry/mesh_rules.hpp"
#include "ulna/geometry/shape.hpp"
#include "ulna/model/packages.hpp"

namespace ulna {

struct MeshLimits {
  std::size_t max_bytes = 512u << 20;
  std::size_t max_triangles = 10'000'000;  ///< this many or more are refused
};

/// Reads STL (binary or text) and OBJ; all that assimp reads, DAE among it, where ulna is built with it. None where the
/// file is missing, broken or too large, which is then a diagnostic. `subject` is whose mesh it is: "link 'hand'".
std::optional<Triangles> read_mesh(const std::filesystem::path& file, Diagnostics& out,
                                   const std::string& subject, const MeshLimits& limits = {});

/// Where a mesh is that a description names: relative to the folder of the description; package://name/path in the package
/// of that name (find_in_package), then in the other folders. None: nowhere.
std::optional<std::filesystem::path> find_mesh(std::string_view name,
                                               const std::filesystem::path& description,
                                               std::span<const std::filesystem::path> folders = {},
                                               const PackageFolders& packages = {});

}  // namespace ulna
