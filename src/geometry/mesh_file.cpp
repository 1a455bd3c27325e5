#include "ulna/geometry/mesh_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>

#include "geometry/mesh_formats.hpp"
#include "model/names.hpp"

namespace ulna {
namespace fs = std::filesystem;
namespace {

std::string ending_of(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

/// All of a regular file, or what is wrong with it.
std::string read_all(const fs::path& file, std::string& text, const MeshLimits& limits) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  if (error) return "cannot be read: " + error.message();
  if (bytes > limits.max_bytes) return "";
  text.resize(static_cast<std::size_t>(bytes));
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in && bytes > 0) return "cannot be read to its end";
  return {};
}

}  // namespace

std::optional<Triangles> read_mesh(const fs::path& file, Diagnostics& out,
                                   const std::string& subject, const MeshLimits& limits) {
  const auto refuse = [&](const Rule& rule, std::string seen, int line = 0) {
    out.add(rule, {file.string(), line, 0}, subject, std::move(seen), "the shape is left out");
    return std::nullopt;
  };
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return refuse(mesh_rules::missing, "there is no such file");
  const std::string ending = ending_of(file);
  const auto bytes = fs::file_size(file, error);
  if (!error && bytes > limits.max_bytes)
    return refuse(mesh_rules::too_large, std::to_string(bytes) + " bytes; at most " +
                                             std::to_string(limits.max_bytes) + " are read");
  detail::MeshText mesh;
  if (ending == ".stl" || ending == ".obj") {
    std::string text;
    if (const std::string defect = read_all(file, text, limits); !defect.empty())
      return refuse(mesh_rules::broken, defect);
    mesh = ending == ".stl" ? detail::read_stl(text, limits.max_triangles)
                            : detail::read_obj(text, limits.max_triangles);
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
  return std::move(mesh.triangles);
}

std::optional<fs::path> find_mesh(std::string_view name, const fs::path& description,
                                  std::span<const fs::path> folders) {
  std::error_code error;
  const auto is_there = [&](const fs::path& file) { return fs::is_regular_file(file, error); };
  constexpr std::string_view package = "package://", local = "file://";
  if (name.starts_with(local)) name.remove_prefix(local.size());
  const fs::path home = fs::absolute(description, error).parent_path();
  if (!name.starts_with(package)) {
    const fs::path path(name);
    if (is_there(home / path)) return home / path;  // an absolute path replaces the folder
    for (const fs::path& folder : folders)
      if (is_there(folder / path)) return folder / path;
    return {};
  }
  const fs::path path(name.substr(package.size()));
  const fs::path inside = path.lexically_relative(*path.begin());
  for (fs::path folder = home;; folder = folder.parent_path()) {
    if (folder.filename() == *path.begin() && is_there(folder / inside)) return folder / inside;
    if (is_there(folder / path)) return folder / path;
    if (folder == folder.parent_path()) break;
  }
  for (const fs::path& folder : folders) {
    if (is_there(folder / path)) return folder / path;
    if (folder.filename() == *path.begin() && is_there(folder / inside)) return folder / inside;
  }
  return {};
}

}  // namespace ulna
