#include "ulna/geometry/shape.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "geometry/convex.hpp"
#include "geometry/height_grid.hpp"
#include "geometry/triangle_mesh.hpp"
#include "num/message.hpp"

namespace ulna {
namespace {

void require_length(const char* shape, const char* what, double length) {
  messages::require(CollisionShape::smallest <= length && length <= CollisionShape::largest, shape,
                    ": ", what, " is ", length, " m; give a length from 1e-9 m to 1e9 m");
}

Aabb around(const Vec3<double>& half) { return {-half, half}; }

}  // namespace

std::string_view to_string(ShapeKind kind) {
  static constexpr std::string_view names[shape_kinds] = {
      "plane", "sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "mesh", "height field"};
  return names[static_cast<int>(kind)];
}

CollisionShape::CollisionShape(const Plane&) : kind_(ShapeKind::plane), bounding_radius_(infinity) {
  box_ = around(Vec3<double>::Constant(infinity));
  box_.upper.z() = 0.0;
}

CollisionShape::CollisionShape(const Sphere& sphere)
    : kind_(ShapeKind::sphere), radius_(sphere.radius) {
  require_length("sphere", "radius", radius_);
  box_ = around(Vec3<double>::Constant(radius_));
  bounding_radius_ = radius_;
}

CollisionShape::CollisionShape(const Capsule& capsule)
    : kind_(ShapeKind::capsule), radius_(capsule.radius), half_(0.0, 0.0, 0.5 * capsule.length) {
  require_length("capsule", "radius", radius_);
  require_length("capsule", "length", capsule.length);
  box_ = around(half_ + Vec3<double>::Constant(radius_));
  bounding_radius_ = half_.z() + radius_;
}

CollisionShape::CollisionShape(const Box& box) : kind_(ShapeKind::box), half_(0.5 * box.size) {
  for (int i = 0; i < 3; ++i) require_length("box", "size", box.size(i));
  box_ = around(half_);
  bounding_radius_ = half_.norm();
}

CollisionShape::CollisionShape(const Cylinder& cylinder)
    : kind_(ShapeKind::cylinder), radius_(cylinder.radius), half_(0.0, 0.0, 0.5 * cylinder.length) {
  require_length("cylinder", "radius", radius_);
  require_length("cylinder", "length", cylinder.length);
  box_ = around({radius_, radius_, half_.z()});
  bounding_radius_ = std::hypot(radius_, half_.z());
}

CollisionShape::CollisionShape(const Ellipsoid& ellipsoid)
    : kind_(ShapeKind::ellipsoid), half_(ellipsoid.radii) {
  for (int i = 0; i < 3; ++i) require_length("ellipsoid", "radius", half_(i));
  box_ = around(half_);
  bounding_radius_ = half_.maxCoeff();
}

CollisionShape CollisionShape::hull(std::span<const Vec3<double>> points) {
  CollisionShape made;
  made.kind_ = ShapeKind::hull;
  made.hull_ = std::make_shared<const ConvexHull>(points);
  made.enclose(made.hull_->vertices());
  return made;
}

CollisionShape CollisionShape::mesh(const Triangles& triangles) {
  CollisionShape made;
  made.kind_ = ShapeKind::mesh;
  made.mesh_ = std::make_shared<const TriangleMesh>(triangles);
  made.enclose(made.mesh_->vertices());
  return made;
}

CollisionShape CollisionShape::height_field(const HeightField& field) {
  CollisionShape made;
  made.kind_ = ShapeKind::height_field;
  made.field_ = std::make_shared<const HeightGrid>(field);
  const auto high = std::max_element(field.heights.begin(), field.heights.end());
  made.box_ = {{-0.5 * field.width, -0.5 * field.depth, -infinity},
               {0.5 * field.width, 0.5 * field.depth, *high}};
  made.bounding_radius_ = infinity;
  return made;
}

/// Sets the bounds from all vertices.
void CollisionShape::enclose(std::span<const Vec3<double>> vertices) {
  for (const Vec3<double>& v : vertices) box_.include(v);
  const Vec3<double> size = box_.upper - box_.lower, middle = 0.5 * (box_.lower + box_.upper);
  require_length(to_string(kind_).data(), "largest extent", size.maxCoeff());
  double farthest = 0.0;
  for (const Vec3<double>& v : vertices) farthest = std::max(farthest, (v - middle).squaredNorm());
  bounding_radius_ = std::sqrt(farthest);
}

Vec3<double> CollisionShape::support(const Vec3<double>& direction) const noexcept {
  const detail::Convex core = detail::convex_of(*this);
  const double length = direction.norm();
  const Vec3<double> n = length > 0.0 ? Vec3<double>(direction / length) : Vec3<double>::UnitZ();
  return core.support(n) + core.margin() * n;
}

Aabb CollisionShape::box(const Transform<double>& X_WS) const noexcept {
  const Mat3<double>& R = X_WS.rotation().matrix();
  const Vec3<double>& p = X_WS.translation();
  Vec3<double> half;
  switch (kind_) {
    case ShapeKind::plane: {
      // a half-space along an axis has one bound, otherwise none
      Aabb box = around(Vec3<double>::Constant(infinity));
      for (int i = 0; i < 3; ++i) {
        if (R(i, 2) == 1.0) box.upper(i) = p(i);
        if (R(i, 2) == -1.0) box.lower(i) = p(i);
      }
      return box;
    }
    case ShapeKind::sphere:
      half.setConstant(radius_);
      break;
    case ShapeKind::capsule:
      half = half_.z() * R.col(2).cwiseAbs();
      half.array() += radius_;
      break;
    case ShapeKind::cylinder:
      half = half_.z() * R.col(2).cwiseAbs() +
             radius_ * (1.0 - R.col(2).array().square()).max(0.0).sqrt().matrix();
      break;
    case ShapeKind::ellipsoid:
      half = (R * half_.asDiagonal()).rowwise().norm();
      break;
    case ShapeKind::box:
      half = R.cwiseAbs() * half_;
      break;
    case ShapeKind::hull:
    case ShapeKind::mesh: {
      const Vec3<double> middle = X_WS * Vec3<double>(0.5 * (box_.lower + box_.upper));
      half = R.cwiseAbs() * (0.5 * (box_.upper - box_.lower));
      return {middle - half, middle + half};
    }
    case ShapeKind::height_field:
      return field_->box(X_WS);
  }
  return {p - half, p + half};
}

}  // namespace ulna
