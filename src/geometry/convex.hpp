#pragma once

#include <cmath>

#include "ulna/geometry/convex_hull.hpp"

/// What the pairs share: convex sets with a radius added to them, and where one set lies relative to another.
namespace ulna::detail {

using Vector3 = Vec3<double>;

/// The core of a convex shape: all points within `radius` of it are the shape. A sphere's is a point, a capsule's
/// a segment along z; others are their own core.
struct Convex {
  enum class Kind : std::uint8_t { point, segment, box, cylinder, ellipsoid, hull, triangle };

  Kind kind = Kind::point;
  double radius = 0.0;             ///< added to the core; of a cylinder, its own
  Vector3 half = Vector3::Zero();  ///< as in CollisionShape
  const ConvexHull* hull = nullptr;
  std::array<Vector3, 3> corner{};  ///< of a triangle
  double size = 0.0;                ///< an upper bound of its extent
  Vector3 middle = Vector3::Zero();

  /// By how much the surface is outside of the core.
  double margin() const { return kind == Kind::cylinder ? 0.0 : radius; }
  bool is_polytope() const { return kind != Kind::ellipsoid && kind != Kind::cylinder; }
  Vector3 support(const Vector3& n) const noexcept;
};

/// Of a shape that is convex and bounded.
Convex convex_of(const CollisionShape& shape) noexcept;
Convex convex_of(const Vector3& a, const Vector3& b, const Vector3& c) noexcept;

/// The pose of B in A, as matrix and vector.
struct Relative {
  Mat3<double> R;
  Vector3 p;
  Vector3 operator*(const Vector3& point) const { return R * point + p; }
};
inline Relative relative(const Transform<double>& X_WA, const Transform<double>& X_WB) {
  const Mat3<double> R_AW = X_WA.rotation().matrix().transpose();
  return {R_AW * X_WB.rotation().matrix(), R_AW * (X_WB.translation() - X_WA.translation())};
}

/// How far a ray along a unit vector runs inside of a capsule, from a point of its axis at height z (half-length h); `along`
/// is the component of the vector along the axis. Negative where the ray runs to a round end that z is not at: the ray from
/// that end is the better one.
inline double capsule_exit(double z, double h, double radius, double along) {
  const double across = std::sqrt(std::max(0.0, 1.0 - along * along));
  if (const double s = radius / across; std::abs(z + s * along) <= h) return s;
  return std::abs(z - std::copysign(h, along)) <= 1e-9 * h ? radius : -1.0;
}

}  // namespace ulna::detail
