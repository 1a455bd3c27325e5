#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ulna/model/description.hpp"

/// Shapes that may touch. Box, Cylinder, Sphere and Capsule are those of a robot's description; axes of
/// cylinders and capsules are z, and origins are in the middle, as in URDF.
namespace ulna {

/// All that is below z = 0 of its frame; +z points out of it.
struct Plane {};

struct Ellipsoid {
  Vec3<double> radii;
};

/// Triangles as a file lists them: anticlockwise as seen from outside.
struct Triangles {
  std::vector<Vec3<double>> vertices;
  std::vector<std::array<int, 3>> faces;
};

/// Ground whose height is known on a grid around the origin of its frame, two triangles per cell; all that is
/// below it is solid.
struct HeightField {
  int columns = 0, rows = 0;        ///< points along x and along y, at least 2 each
  double width = 0.0, depth = 0.0;  ///< m, along x and along y
  std::vector<double> heights;      ///< rows x columns; x runs fastest
};

/// A box along the axes.
struct Aabb {
  Vec3<double> lower = Vec3<double>::Constant(infinity);
  Vec3<double> upper = Vec3<double>::Constant(-infinity);

  void include(const Vec3<double>& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  Aabb grown(double by) const {
    return {lower - Vec3<double>::Constant(by), upper + Vec3<double>::Constant(by)};
  }
  bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() &&
           (other.lower.array() <= upper.array()).all();
  }
};

class ConvexHull;
class TriangleMesh;
class HeightGrid;

enum class ShapeKind : std::uint8_t {
  plane,
  sphere,
  capsule,
  box,
  cylinder,
  ellipsoid,
  hull,
  mesh,
  height_field
};
inline constexpr int shape_kinds = 9;
std::string_view to_string(ShapeKind kind);

/// A shape for contact: immutable and cheap to copy; copies share what is large, and any number of threads may
/// read it. Lengths are from `smallest` to `largest`; constructors throw std::invalid_argument otherwise.
class CollisionShape {
 public:
  static constexpr double smallest = 1e-9, largest = 1e9;  ///< m

  CollisionShape(const Plane& plane);          // NOLINT: the same thing, ready for contact
  CollisionShape(const Sphere& sphere);        // NOLINT
  CollisionShape(const Capsule& capsule);      // NOLINT
  CollisionShape(const Box& box);              // NOLINT
  CollisionShape(const Cylinder& cylinder);    // NOLINT
  CollisionShape(const Ellipsoid& ellipsoid);  // NOLINT
  /// The hull of these points; they must not lie in one plane.
  static CollisionShape hull(std::span<const Vec3<double>> points);
  /// The triangles as they are: surfaces that must not move against each other, only against convex shapes.
  static CollisionShape mesh(const Triangles& triangles);
  static CollisionShape height_field(const HeightField& field);

  ShapeKind kind() const { return kind_; }
  /// Not a mesh or a height field: support() is defined and two such shapes may touch. A plane counts.
  bool is_convex() const { return kind_ < ShapeKind::mesh; }
  /// Whether it has no bounds: a plane.
  bool is_unbounded() const { return kind_ == ShapeKind::plane; }

  double radius() const { return radius_; }  ///< of spheres, capsules, cylinders
  const Vec3<double>& half_size() const {
    return half_;
  }  ///< of boxes; radii of ellipsoids;
     ///< (0, 0, half the length) of others
  const ConvexHull* hull() const { return hull_.get(); }
  const TriangleMesh* mesh() const { return mesh_.get(); }
  const HeightGrid* height_field() const { return field_.get(); }

  /// The farthest point along a direction, in its frame. Of convex shapes with bounds.
  Vec3<double> support(const Vec3<double>& direction) const noexcept;

  /// In its frame. Infinite for a plane, except upwards.
  const Aabb& box() const { return box_; }
  /// At a pose. Exact for all but hulls, meshes and height fields, of which it is the box around their turned box.
  Aabb box(const Transform<double>& X_WS) const noexcept;
  /// Around the middle of its box.
  double bounding_radius() const { return bounding_radius_; }

 private:
  CollisionShape() = default;
  void enclose(std::span<const Vec3<double>> vertices);

  ShapeKind kind_ = ShapeKind::sphere;
  double radius_ = 0.0, bounding_radius_ = 0.0;
  Vec3<double> half_ = Vec3<double>::Zero();
  Aabb box_;
  std::shared_ptr<const ConvexHull> hull_;
  std::shared_ptr<const TriangleMesh> mesh_;
  std::shared_ptr<const HeightGrid> field_;
};

}  // namespace ulna
