#include "ulna/view/page/meshes.hpp"

#include <cmath>
#include <filesystem>

#include "model/names.hpp"
#include "view/page/bytes.hpp"

namespace ulna::view {
namespace {

std::string to_bytes(const ColoredMesh& colored) {
  std::string text;
  const Triangles& mesh = colored.triangles;
  const bool has_colors = colored.colors.size() == mesh.faces.size();
  text.reserve(8 + 12 * mesh.vertices.size() + (has_colors ? 16 : 12) * mesh.faces.size());
  Bytes bytes(text);
  bytes.add(std::uint32_t(mesh.vertices.size())).add(std::uint32_t(mesh.faces.size()));
  for (const Vec3<double>& v : mesh.vertices) bytes.add(v);
  for (const auto& [a, b, c] : mesh.faces)
    bytes.add(std::uint32_t(a)).add(std::uint32_t(b)).add(std::uint32_t(c));
  if (has_colors)
    for (const auto& color : colored.colors)
      for (const float x : color) bytes.add(std::uint8_t(std::lround(255.0F * x)));
  return text;
}

/// A file that was written anew is another one.
std::string version_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error).time_since_epoch().count();
  return std::filesystem::weakly_canonical(file, error).string() + '\n' + std::to_string(written) +
         '\n' + std::to_string(std::filesystem::file_size(file, error));
}

}  // namespace

int Meshes::number(const Description& robot, const LinkDescription& link, const Mesh& mesh,
                   Diagnostics& found) {
  const std::string subject = detail::quoted("link", link.name);
  const auto refuse = [&](const Rule& rule, std::string seen) {
    found.add(rule, {robot.file, link.line, 0}, subject, std::move(seen), "it is not drawn");
    return -1;
  };
  const auto file =
      find_mesh(mesh.file, robot.file, options_.files.mesh_folders, options_.files.packages);
  if (!file)
    return refuse(mesh_rules::missing, detail::quoted("mesh", mesh.file) + " is not found");
  const std::string version = version_of(*file);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = numbers_.find(version); known != numbers_.end()) return known->second;
  }
  // nobody waits while it is read
  const auto triangles = read_colored_mesh(*file, found, subject, options_.files.limits);
  if (!triangles) return -1;
  std::string bytes = to_bytes(*triangles);
  const std::lock_guard lock(mutex_);
  const int number = keep(std::move(bytes));
  if (number >= 0) return numbers_[version] = number;
  if (meshes_.size() >= options_.most_meshes)
    return refuse(mesh_rules::too_large,
                  std::to_string(options_.most_meshes) + " meshes are shown already");
  return refuse(mesh_rules::too_large,
                "all meshes together exceed " + std::to_string(options_.most_bytes) + " bytes");
}

int Meshes::add(const ColoredMesh& mesh) {
  std::string bytes = to_bytes(mesh);
  const std::lock_guard lock(mutex_);
  return keep(std::move(bytes));
}

int Meshes::keep(std::string bytes) {
  if (meshes_.size() >= options_.most_meshes || bytes.size() > options_.most_bytes - bytes_)
    return -1;
  bytes_ += bytes.size();
  meshes_.push_back(std::make_shared<const std::string>(std::move(bytes)));
  return int(meshes_.size()) - 1;
}

std::shared_ptr<const std::string> Meshes::bytes(int number) const {
  const std::lock_guard lock(mutex_);
  if (number < 0 || std::size_t(number) >= meshes_.size()) return nullptr;
  return meshes_[std::size_t(number)];
}

int Meshes::size() const {
  const std::lock_guard lock(mutex_);
  return int(meshes_.size());
}

}  // namespace ulna::view
