#include "ulna/geometry/mesh_file.hpp"

#include <algorithm>
#include <fstream>

#include "geometry/mesh_formats.hpp"
#include "model/names.hpp"
#include "ulna/geometry/colored_mesh.hpp"

namespace ulna {
namespace fs = std::filesystem;
namespace {

std::string ending_of(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

/// The first bytes of a file, or all of them; whether they could be read.
bool read_bytes(const fs::path& file, std::size_t count, std::string& bytes) {
  bytes.resize(count);
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  return static_cast<bool>(in) || count == 0;
}

}  // namespace

std::optional<Triangles> read_mesh(const fs::path& file, Diagnostics& out,
                                   const std::string& subject, const MeshLimits& limits) {
  auto mesh = read_colored_mesh(file, out, subject, limits);
  if (!mesh) return {};
  return std::move(mesh->triangles);
}

std::optional<ColoredMesh> read_colored_mesh(const fs::path& file, Diagnostics& out,
                                             const std::string& subject, const MeshLimits& limits) {
  const auto refuse = [&](const Rule& rule, std::string seen, int line = 0) {
    out.add(rule, {file.string(), line, 0}, subject, std::move(seen), "the shape is left out");
    return std::nullopt;
  };
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return refuse(mesh_rules::missing, "there is no such file");
  const std::string ending = ending_of(file);
  const auto bytes = static_cast<std::size_t>(fs::file_size(file, error));
  if (error) return refuse(mesh_rules::broken, "cannot be read: " + error.message());
  if (bytes > limits.max_bytes)
    return refuse(mesh_rules::too_large, std::to_string(bytes) + " bytes; at most " +
                                             std::to_string(limits.max_bytes) + " are read");
  detail::MeshText mesh;
  if (ending == ".stl" || ending == ".obj") {
    std::string text;
    // the head of a binary STL says how large it is
    constexpr std::size_t head = 84;
    if (!read_bytes(file, std::min(bytes, head), text))
      return refuse(mesh_rules::broken, "cannot be read");
    const auto count = ending == ".stl" ? detail::binary_stl_count(text, bytes) : std::nullopt;
    if (count && *count >= limits.max_triangles) {
      mesh.too_large = true;
    } else if (!read_bytes(file, bytes, text)) {
      return refuse(mesh_rules::broken, "cannot be read to its end");
    } else {
      mesh = ending == ".stl" ? detail::read_stl(text, limits.max_triangles)
                              : detail::read_obj(text, limits.max_triangles);
    }
  } else if (detail::assimp_reads(ending)) {
    mesh = detail::read_by_assimp(file.string(), limits.max_triangles);
  } else {
    return refuse(mesh_rules::format, "files that end in '" + ending + "' cannot be read");
  }
  if (mesh.too_large)
    return refuse(mesh_rules::too_large,
                  "it has " + std::to_string(limits.max_triangles) + " triangles or more",
                  mesh.line);
  if (!mesh.defect.empty()) return refuse(mesh_rules::broken, mesh.defect, mesh.line);
  if (mesh.triangles.faces.empty()) return refuse(mesh_rules::broken, "it has no triangle");
  return ColoredMesh{std::move(mesh.triangles), std::move(mesh.colors)};
}

std::optional<fs::path> find_mesh(std::string_view name, const fs::path& description,
                                  std::span<const fs::path> folders,
                                  const PackageFolders& packages) {
  std::error_code error;
  const auto is_there = [&](const fs::path& file) { return fs::is_regular_file(file, error); };
  constexpr std::string_view package = "package://", local = "file://";
  if (name.starts_with(local)) name.remove_prefix(local.size());
  if (!name.starts_with(package)) {
    const fs::path path(name), home = fs::absolute(description, error).parent_path();
    if (is_there(home / path)) return home / path;  // an absolute path replaces the folder
    for (const fs::path& folder : folders)
      if (is_there(folder / path)) return folder / path;
    return {};
  }
  const fs::path path(name.substr(package.size()));
  if (path.empty()) return {};
  const fs::path named = *path.begin(), inside = path.lexically_relative(named);
  if (auto found = find_in_package(named.string(), inside, description, packages)) return found;
  for (const fs::path& folder : folders) {
    if (is_there(folder / path)) return folder / path;
    if (folder.filename() == named && is_there(folder / inside)) return folder / inside;
  }
  return {};
}

}  // namespace ulna
