#include <algorithm>

#include "geometry/pairs.hpp"

// Spheres and capsules with each other, with planes, boxes and cylinders.
namespace ulna::detail {
namespace {

/// The contact of two spheres, the second at d from the first; where centres coincide any normal is right.
void add_spheres(const Vector3& centre, double ra, const Vector3& d, double rb,
                 std::uint32_t feature, Collector& out) {
  const double far = ra + rb + out.margin(), squared = d.squaredNorm();
  if (!(squared < far * far) || far < 0.0) return;
  const double length = std::sqrt(squared);
  const Vector3 n = length > 0.0 ? Vector3(d / length) : Vector3::UnitZ();
  out.add_from(centre + ra * n, n, length - ra - rb, feature);
}

/// Of two capsules that lie beside each other, the points above the ends of the part that they share: the line along n
/// from the axis of the first to the surface of the second, which is level. `side` is -1 if d is from the level one.
void add_beside(const CollisionShape& first, const Vector3& axis, const CollisionShape& level,
                const Vector3& level_axis, const Vector3& d, const Vector3& n, double side,
                Collector& out) {
  const double h = first.half_size().z(), r = first.radius(), reach = level.half_size().z();
  const double slope = axis.dot(level_axis), middle = side * level_axis.dot(d);
  // coordinates on the first at which it is beside the ends of the level one
  const double one = (middle - reach) / slope, other = (middle + reach) / slope;
  const double low = std::max(-h, std::min(one, other)), high = std::min(h, std::max(one, other));
  if (!(high - low > 1e-6 * (h + reach))) return;
  const Vector3 origin = side > 0.0 ? Vector3(Vector3::Zero()) : d;
  std::uint32_t feature = 2;
  for (const double z : {low, high}) {
    // from a point of the first axis to the level one
    const Vector3 to = side * d - z * axis;
    const Vector3 across = to - to.dot(n) * n - to.dot(level_axis) * level_axis;
    const double squared = level.radius() * level.radius() - across.squaredNorm();
    const double exit = capsule_exit(z, h, r, side * n.dot(axis));
    ++feature;
    if (!(squared > 0.0) || exit < 0.0) continue;
    const double gap = side * n.dot(to) - exit - std::sqrt(squared);
    const Vector3 on_first = origin + z * axis + (side * exit) * n;
    out.add(on_first + (0.5 * side * gap) * n, n, gap, feature - 1);
  }
}

}  // namespace

std::array<double, 2> nearest_on_segments(double half_a, const Vector3& axis_a, double half_b,
                                          const Vector3& axis_b, const Vector3& d) {
  // the least of |s a - t b - d|
  const double ab = axis_a.dot(axis_b), ad = axis_a.dot(d), bd = axis_b.dot(d);
  const double area = 1.0 - ab * ab;
  double s = 0.0;
  if (area > 1e-14) {
    s = std::clamp((ad - ab * bd) / area, -half_a, half_a);
  } else {
    // parallel: the middle of where they lie beside each other
    const double low = std::max(-half_a, ad - half_b), high = std::min(half_a, ad + half_b);
    s = std::clamp(0.5 * (low + high), -half_a, half_a);
  }
  const double t = std::clamp(ab * s - bd, -half_b, half_b);
  return {std::clamp(ad + ab * t, -half_a, half_a), t};
}

void sphere_sphere(double ra, double rb, const Vector3& d, Collector& out) {
  add_spheres(Vector3::Zero(), ra, d, rb, 1, out);
}

void sphere_capsule(double ra, const CollisionShape& capsule, const Vector3& axis, const Vector3& d,
                    Collector& out) {
  const double h = capsule.half_size().z(), t = std::clamp(-axis.dot(d), -h, h);
  const Vector3 to = d + t * axis;
  if (to.squaredNorm() > 0.0) return add_spheres(Vector3::Zero(), ra, to, capsule.radius(), 1, out);
  // the centre is on the axis: out by the side
  const Vector3 n = cross(axis, Vector3::Unit(std::abs(axis.x()) < 0.6 ? 0 : 1)).normalized();
  out.add_from(ra * n, n, -ra - capsule.radius(), 1);
}

void capsule_capsule(const CollisionShape& a, const Vector3& axis_a, const CollisionShape& b,
                     const Vector3& axis_b, const Vector3& d, Collector& out) {
  const double ha = a.half_size().z(), hb = b.half_size().z();
  const double ra = a.radius(), rb = b.radius();
  const auto [s, t] = nearest_on_segments(ha, axis_a, hb, axis_b, d);
  const Vector3 to = d + t * axis_b - s * axis_a;
  const double far = ra + rb + out.margin();
  if (!(to.squaredNorm() < far * far)) return;
  const Vector3 both = cross(axis_a, axis_b);
  const double crossing = both.norm();
  if (!(to.squaredNorm() > 1e-28 * (ha + hb) * (ha + hb))) {
    // the axes meet: out across both
    const Vector3 n =
        crossing > 1e-7
            ? Vector3(both / crossing)
            : cross(axis_a, Vector3::Unit(std::abs(axis_a.x()) < 0.6 ? 0 : 1)).normalized();
    out.add_from(s * axis_a + ra * n, n, -ra - rb, 1);
    return;
  }
  const double length = to.norm();
  const Vector3 n = to / length;
  const double gap = length - ra - rb;
  constexpr double nearly_parallel = 0.1;
  if (crossing < nearly_parallel && std::abs(n.dot(axis_b)) < 1e-9) {
    add_beside(a, axis_a, b, axis_b, d, n, 1.0, out);
  } else if (crossing < nearly_parallel && std::abs(n.dot(axis_a)) < 1e-9) {
    add_beside(b, axis_b, a, axis_a, d, n, -1.0, out);
  }
  if (!(out.least_gap() <= gap + 1e-12 * (length + ra + rb)))
    out.add_from(s * axis_a + ra * n, n, gap, 1);
}

void sphere_box(double radius, const CollisionShape& box, const Vector3& c, Collector& out) {
  const Vector3& h = box.half_size();
  const Vector3 nearest = c.cwiseMax(-h).cwiseMin(h), to = nearest - c;
  if (const double squared = to.squaredNorm(); squared > 0.0) {
    const double far = radius + out.margin();
    if (!(squared < far * far) || far < 0.0) return;
    const double length = std::sqrt(squared);
    const Vector3 n = to / length;
    return out.add_from(c + radius * n, n, length - radius, 1);
  }
  // the centre is inside: out by the nearest face
  int axis = 0;
  const double depth = (h - c.cwiseAbs()).minCoeff(&axis);
  const Vector3 n = (c(axis) < 0.0 ? 1.0 : -1.0) * Vector3::Unit(axis);
  out.add_from(c + radius * n, n, -depth - radius, 1);
}

void sphere_cylinder(double radius, const CollisionShape& cylinder, const Vector3& c,
                     Collector& out) {
  const double r = cylinder.radius(), h = cylinder.half_size().z();
  const double across = std::hypot(c.x(), c.y());
  const Vector3 outward =
      across > 0.0 ? Vector3(c.x() / across, c.y() / across, 0.0) : Vector3::UnitX();
  const Vector3 up = std::copysign(1.0, c.z()) * Vector3::UnitZ();
  const double beside = across - r, above = std::abs(c.z()) - h;
  Vector3 n;
  double distance = 0.0;
  if (beside <= 0.0 && above <= 0.0) {
    n = beside > above ? outward : up;
    distance = std::max(beside, above);
  } else {
    const Vector3 to = std::max(beside, 0.0) * outward + std::max(above, 0.0) * up;
    distance = to.norm();
    n = to / distance;
  }
  out.add_from(c - radius * n, -n, distance - radius, 1);
}

void plane_sphere(const Vector3& n, double radius, const Vector3& d, Collector& out) {
  const double gap = n.dot(d) - radius;
  out.add(d - (radius + 0.5 * gap) * n, n, gap, 1);
}

void plane_capsule(const Vector3& n, const CollisionShape& capsule, const Vector3& axis,
                   const Vector3& d, Collector& out) {
  const double h = capsule.half_size().z(), r = capsule.radius(), slope = n.dot(axis);
  const double middle = n.dot(d);
  if (middle - h * std::abs(slope) - r >= out.margin()) return;
  for (const double z : {-h, h}) {
    const double exit = capsule_exit(z, h, r, -slope), gap = middle + z * slope - exit;
    if (exit < 0.0) continue;
    out.add(d + z * axis - (exit + 0.5 * gap) * n, n, gap, z < 0.0 ? 2 : 3);
  }
}

}  // namespace ulna::detail
