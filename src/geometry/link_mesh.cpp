#include "geometry/link_mesh.hpp"

#include "model/names.hpp"

namespace ulna {

std::optional<Triangles> link_mesh(const Description& robot, const LinkDescription& link,
                                   const Mesh& mesh, const ShapeOptions& options,
                                   Diagnostics& out) {
  const std::string subject = detail::quoted("link", link.name);
  const auto file = find_mesh(mesh.file, robot.file, options.mesh_folders, options.packages);
  if (!file) {
    out.add(mesh_rules::missing, robot.source(link.line), subject,
            detail::quoted("mesh", mesh.file) + " is not found", "the shape is left out");
    return {};
  }
  auto triangles = read_mesh(*file, out, subject, options.limits);
  if (!triangles) return {};
  for (Vec3<double>& v : triangles->vertices) v = v.cwiseProduct(mesh.scale);
  // a mirrored mesh is turned inside out
  if (mesh.scale.prod() < 0.0)
    for (auto& face : triangles->faces) std::swap(face[1], face[2]);
  return triangles;
}

}  // namespace ulna
