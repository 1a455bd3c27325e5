#include "geometry/pairs.hpp"

// Shapes with corners, rims and curved surfaces on a plane.
namespace ulna::detail {

void plane_box(const Vector3& n, const CollisionShape& box, const Mat3<double>& R, const Vector3& d,
               Collector& out) {
  const Vector3& h = box.half_size();
  const Vector3 slope = R.transpose() * n;
  const Vector3 rise = h.cwiseProduct(slope);  // of the centre above the end of each half axis
  const double middle = n.dot(d);
  if (middle - rise.cwiseAbs().sum() >= out.margin()) return;
  // the corners of the face that looks down most
  int down = 0;
  slope.cwiseAbs().maxCoeff(&down);
  for (unsigned corner = 0; corner < 8; ++corner) {
    const auto sign = [&](int axis) { return corner >> axis & 1u ? 1.0 : -1.0; };
    if (sign(down) * slope(down) > 0.0) continue;
    const Vector3 signs{sign(0), sign(1), sign(2)};
    const double gap = middle + signs.dot(rise);
    if (!(gap < out.margin())) continue;
    out.add(d + R * signs.cwiseProduct(h) - (0.5 * gap) * n, n, gap, corner + 2u);
  }
}

/// Four places of the lower rim, one of which is the lowest; and the lowest of the upper rim, for a cylinder that lies.
void plane_cylinder(const Vector3& n, const CollisionShape& cylinder, const Mat3<double>& R,
                    const Vector3& d, Collector& out) {
  const double r = cylinder.radius(), h = cylinder.half_size().z(), middle = n.dot(d);
  const Vector3 slope = R.transpose() * n;
  const double across = std::hypot(slope.x(), slope.y()), side = slope.z() > 0.0 ? -1.0 : 1.0;
  if (middle - r * across - h * std::abs(slope.z()) >= out.margin()) return;
  const auto add = [&](const Vector3& p, std::uint32_t feature) {
    const double gap = middle + slope.dot(p);
    out.add(d + R * p - (0.5 * gap) * n, n, gap, feature);
  };
  const bool tilted = across > 1e-12;
  const Vector3 lowest = tilted ? Vector3(-r * slope.x() / across, -r * slope.y() / across, 0.0)
                                : Vector3(r, 0.0, 0.0);
  const bool along_x = std::abs(lowest.x()) >= std::abs(lowest.y());
  const Vector3 up(0.0, 0.0, h);
  const std::uint32_t end = side > 0.0 ? 8 : 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const bool x = k < 2;
    Vector3 p = (k % 2 ? -r : r) * (x ? Vector3::UnitX() : Vector3::UnitY());
    // of the four, the nearest to the lowest place is moved there
    if (x == along_x && p.dot(lowest) > 0.0) p = lowest;
    add(p + side * up, end + k + 2u);
  }
  if (tilted) add(lowest - side * up, end + 6u);
}

void plane_ellipsoid(const Vector3& n, const CollisionShape& ellipsoid, const Mat3<double>& R,
                     const Vector3& d, Collector& out) {
  const Vector3 p = d + R * convex_of(ellipsoid).support(R.transpose() * -n);
  const double gap = n.dot(p);
  out.add(p - (0.5 * gap) * n, n, gap, 1);
}

/// The lowest corner, and those of the face around it that looks down most.
void plane_hull(const Vector3& n, const CollisionShape& shape, const Mat3<double>& R,
                const Vector3& d, Collector& out) {
  const ConvexHull& hull = *shape.hull();
  const Vector3 down = R.transpose() * -n;
  const int lowest = hull.support(down);
  const auto add = [&](int vertex) {
    const Vector3 p = d + R * hull.vertices()[static_cast<std::size_t>(vertex)];
    const double gap = n.dot(p);
    out.add(p - (0.5 * gap) * n, n, gap, static_cast<std::uint32_t>(vertex) + 2u);
    return gap;
  };
  if (!(add(lowest) < out.margin())) return;
  int face = -1;
  for (const int f : hull.faces_of(lowest))
    if (face < 0 || hull.normal(f).dot(down) > hull.normal(face).dot(down)) face = f;
  for (const int vertex : hull.face(face))
    if (vertex != lowest) add(vertex);
}

}  // namespace ulna::detail
