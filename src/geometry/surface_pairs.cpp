#include "geometry/gjk.hpp"
#include "geometry/height_grid.hpp"
#include "geometry/pairs.hpp"

// Convex shapes on surfaces of triangles.
namespace ulna::detail {
namespace {

/// Whether a normal at a point of a triangle is one of the surface and not only of the triangle: at an edge or a corner, no
/// triangle across the edge may rise above the plane of the normal.
bool is_normal_of_surface(const SurfaceTriangle& t, const Vector3& point, const Vector3& n) {
  const auto& [a, b, c] = t.corners;
  const Vector3 area = cross(b - a, c - a);
  const double squared = area.squaredNorm(), size = std::sqrt(std::sqrt(squared));
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 &from = t.corners[k], &to = t.corners[(k + 1) % 3];
    const double share =
        area.dot(cross(to - from, point - from)) / squared;  // of the corner opposite
    if (share > 1e-6 || t.open[k]) continue;
    if (n.dot(t.beyond[k] - from) > 1e-6 * std::max(size, (t.beyond[k] - from).norm()))
      return false;
  }
  return true;
}

bool is_inside(const SurfaceTriangle& t, const Vector3& point, const Vector3& n) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 &from = t.corners[k], &to = t.corners[(k + 1) % 3];
    if (n.dot(cross(to - from, point - from)) < 0.0) return false;
  }
  return true;
}

/// Around a shape in the frame of the surface, with the margin.
Aabb box_around(const CollisionShape& shape, const Relative& X_SC, double margin) {
  return shape.box({Rotation<double>::from_matrix(X_SC.R), X_SC.p}).grown(std::max(margin, 0.0));
}

}  // namespace

void triangle_convex(const SurfaceTriangle& t, const Convex& core, const Relative& X_SC,
                     Collector& out) {
  const auto& [a, b, c] = t.corners;
  const Convex triangle = convex_of(a, b, c);
  const Vector3 up = cross(b - a, c - a).normalized();
  const CorePair pair{triangle, core, X_SC};
  Simplex simplex;
  Separation at;
  const GjkResult result = separate(pair, out.margin(), simplex, at);
  if (result == GjkResult::far && !t.solid) return;
  Collector found(out.margin());
  if (result != GjkResult::far && at.normal.dot(up) > 0.0 &&
      is_normal_of_surface(t, at.on_a, at.normal)) {
    add_patch(triangle, core, X_SC, at, found);
  } else if (t.solid ||
             (result == GjkResult::overlapping && up.dot(X_SC * core.middle - a) > 0.0)) {
    // inside of the surface: out along the triangle's own normal, as far as the body lies above or below it
    const Difference deepest = pair.support(-up);
    at = {up, up.dot(deepest.w) - pair.margins(), deepest.b - up.dot(deepest.w) * up, deepest.b};
    if (at.gap >= 0.0) return;
    if (is_inside(t, deepest.b, up)) {
      add_patch(triangle, core, X_SC, at, found);
    } else {
      add_overlap(triangle, core, X_SC, at, found);
    }
  }
  found.append_to(out, t.id);
}

void convex_mesh(const CollisionShape& a, const TriangleMesh& mesh, const Relative& X_BA,
                 Collector& out) {
  const Convex core = convex_of(a);
  const Aabb box = box_around(a, X_BA, out.margin());
  mesh.for_each_in(box, [&](int i) { triangle_convex(mesh.triangle(i), core, X_BA, out); });
  out.merge_closer_than(1e-6 * core.size);
}

void convex_height_field(const CollisionShape& a, const HeightGrid& field, const Relative& X_BA,
                         Collector& out) {
  const Convex core = convex_of(a);
  const Aabb box = box_around(a, X_BA, out.margin());
  field.for_each_near(box, [&](const SurfaceTriangle& t) { triangle_convex(t, core, X_BA, out); });
  out.merge_closer_than(1e-6 * core.size);
}

}  // namespace ulna::detail
