#include "view/page/shape_triangles.hpp"

#include <numbers>

#include "geometry/height_grid.hpp"
#include "geometry/triangle_mesh.hpp"
#include "ulna/geometry/convex_hull.hpp"

namespace ulna::view {
namespace {

/// By longitude and latitude.
Triangles ellipsoid(const Vec3<double>& radii) {
  constexpr int around = 32, up = 16;
  Triangles out;
  for (int j = 0; j <= up; ++j)
    for (int i = 0; i < around; ++i) {
      const double a = 2.0 * std::numbers::pi * i / around,
                   b = std::numbers::pi * (j / double(up) - 0.5);
      out.vertices.push_back(radii.cwiseProduct(
          Vec3<double>(std::cos(a) * std::cos(b), std::sin(a) * std::cos(b), std::sin(b))));
    }
  for (int j = 0; j < up; ++j)
    for (int i = 0; i < around; ++i) {
      const int a = j * around + i, b = j * around + (i + 1) % around;
      out.faces.push_back({a, b, b + around});
      out.faces.push_back({a, b + around, a + around});
    }
  return out;
}

Triangles hull(const ConvexHull& body) {
  Triangles out{{body.vertices().begin(), body.vertices().end()}, {}};
  for (int f = 0; f < body.face_count(); ++f) {
    const std::span<const int> corners = body.face(f);
    for (std::size_t i = 2; i < corners.size(); ++i)
      out.faces.push_back({corners[0], corners[i - 1], corners[i]});
  }
  return out;
}

void add(Triangles& to, const detail::SurfaceTriangle& triangle) {
  const int first = int(to.vertices.size());
  for (const auto& corner : triangle.corners) to.vertices.emplace_back(corner);
  to.faces.push_back({first, first + 1, first + 2});
}

}  // namespace

Triangles triangles_of(const CollisionShape& shape) {
  Triangles out;
  if (shape.kind() == ShapeKind::ellipsoid) return ellipsoid(shape.half_size());
  if (shape.hull()) return hull(*shape.hull());
  if (shape.mesh())
    for (int i = 0; i < shape.mesh()->triangle_count(); ++i) add(out, shape.mesh()->triangle(i));
  if (shape.height_field())
    shape.height_field()->for_each_near(shape.box(), [&](const auto& t) { add(out, t); });
  return out;
}

}  // namespace ulna::view
