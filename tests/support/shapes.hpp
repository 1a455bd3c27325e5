#pragma once

#include <map>
#include <vector>

#include "support/random.hpp"
#include "ulna/geometry/contact_points.hpp"
#include "ulna/geometry/convex_hull.hpp"

/// Random shapes and poses, and what is known of shapes by other formulas than the library's.
namespace ulna::test {

using Points = std::array<ContactPoint, max_contact_points>;

inline Vec3<double> vector_within(Random& random, double size = 1.0) {
  return {random.real(-size, size), random.real(-size, size), random.real(-size, size)};
}

inline Vec3<double> unit_vector(Random& random) {
  for (;;) {
    const Vec3<double> v = vector_within(random);
    if (const double squared = v.squaredNorm(); 1e-4 < squared && squared < 1.0)
      return v.normalized();
  }
}

inline Transform<double> pose_within(Random& random, double size) {
  const Vec4<double> q(random.real(), random.real(), random.real(), random.real());
  const Vec4<double> u =
      q.squaredNorm() > 1e-4 ? Vec4<double>(q.normalized()) : Vec4<double>::UnitX();
  return {Rotation<double>::from_quaternion({u(0), u(1), u(2), u(3)}), vector_within(random, size)};
}

inline constexpr ShapeKind convex_kinds[] = {ShapeKind::sphere,    ShapeKind::capsule,
                                             ShapeKind::box,       ShapeKind::cylinder,
                                             ShapeKind::ellipsoid, ShapeKind::hull};

/// On a stretched sphere.
inline std::vector<Vec3<double>> random_points(Random& random, double size) {
  std::vector<Vec3<double>> points(4 + static_cast<std::size_t>(random.real(0.0, 40.0)));
  const Vec3<double> stretch(random.real(0.1, 1.0), random.real(0.1, 1.0), random.real(0.1, 1.0));
  for (auto& p : points) p = size * stretch.cwiseProduct(unit_vector(random));
  return points;
}

/// A convex shape with bounds, of lengths from 0.2 to 2 times the size.
inline CollisionShape random_shape(ShapeKind kind, Random& random, double size = 1.0) {
  const auto length = [&] { return size * random.real(0.2, 2.0); };
  const auto lengths = [&] { return Vec3<double>(length(), length(), length()); };
  switch (kind) {
    case ShapeKind::plane:
      return Plane{};
    case ShapeKind::sphere:
      return Sphere{0.5 * length()};
    case ShapeKind::capsule:
      return Capsule{0.5 * length(), length()};
    case ShapeKind::box:
      return Box{lengths()};
    case ShapeKind::cylinder:
      return Cylinder{0.5 * length(), length()};
    case ShapeKind::ellipsoid:
      return Ellipsoid{0.5 * lengths()};
    default: {
      // hulls are costly to make: of each size, one of a hundred
      static std::map<double, std::vector<CollisionShape>> hulls;
      auto& made = hulls[size];
      for (std::uint64_t seed = 1; made.size() < 100; ++seed) {
        Random own(seed);
        made.push_back(CollisionShape::hull(random_points(own, size)));
      }
      return made[static_cast<std::size_t>(random.real(0.0, 100.0))];
    }
  }
}

/// How far a point in a shape's frame is outside of its surface, negative inside. Of ellipsoids only to first order, and
/// of hulls only above their faces.
inline double height_above(const CollisionShape& shape, const Vec3<double>& p) {
  const double across = std::hypot(p.x(), p.y()), h = shape.half_size().z();
  switch (shape.kind()) {
    case ShapeKind::plane:
      return p.z();
    case ShapeKind::sphere:
      return p.norm() - shape.radius();
    case ShapeKind::capsule:
      return std::hypot(across, std::max(0.0, std::abs(p.z()) - h)) - shape.radius();
    case ShapeKind::box: {
      const Vec3<double> out = p.cwiseAbs() - shape.half_size();
      return out.cwiseMax(0.0).norm() + std::min(0.0, out.maxCoeff());
    }
    case ShapeKind::cylinder: {
      const double side = across - shape.radius(), end = std::abs(p.z()) - h;
      return std::hypot(std::max(0.0, side), std::max(0.0, end)) +
             std::min(0.0, std::max(side, end));
    }
    case ShapeKind::ellipsoid: {
      const Vec3<double> scaled = p.cwiseQuotient(shape.half_size());
      const double f = scaled.norm();
      return (f - 1.0) * f / scaled.cwiseQuotient(shape.half_size()).norm();
    }
    default: {
      const ConvexHull& hull = *shape.hull();
      double most = -infinity;
      for (int i = 0; i < hull.face_count(); ++i)
        most = std::max(most, hull.normal(i).dot(p) - hull.offset(i));
      return most;
    }
  }
}

/// Two shapes at their poses.
struct PlacedPair {
  CollisionShape a, b;
  Transform<double> X_WA, X_WB;

  double size() const {
    return a.is_unbounded() ? b.bounding_radius() : a.bounding_radius() + b.bounding_radius();
  }
  int points(Points& out, double margin) const {
    return contact_points(a, X_WA, b, X_WB, margin, out);
  }

  /// By how much a direction separates them: the distance of B from A along it.
  double separation(const Vec3<double>& n) const {
    const Vec3<double> on_b = X_WB * b.support(X_WB.rotation().inverse_apply(-n));
    if (a.kind() == ShapeKind::plane) return n.dot(on_b - X_WA.translation());
    return n.dot(on_b - X_WA * a.support(X_WA.rotation().inverse_apply(n)));
  }
};

/// From deep in each other to apart, most of them near.
inline PlacedPair random_pair(ShapeKind a, ShapeKind b, Random& random, double size = 1.0) {
  PlacedPair made{random_shape(a, random, size), random_shape(b, random, size),
                  pose_within(random, 2.0 * size), pose_within(random, 2.0 * size)};
  const auto move_to = [&](const Vec3<double>& n, double gap, double wanted) {
    made.X_WB = {made.X_WB.rotation(), made.X_WB.translation() + (wanted - gap) * n};
  };
  const Vec3<double> n = a == ShapeKind::plane ? Vec3<double>(made.X_WA.rotation().matrix().col(2))
                                               : unit_vector(random);
  move_to(n, made.separation(n), size * random.real(-0.4, 0.4));
  const double wanted = size * random.real(-0.02, 0.02);
  ContactPoint nearest;
  if (random.real() < 0.5 &&
      contact_points(made.a, made.X_WA, made.b, made.X_WB, infinity, {&nearest, 1}) == 1)
    move_to(nearest.normal, nearest.gap, wanted);
  return made;
}

}  // namespace ulna::test
