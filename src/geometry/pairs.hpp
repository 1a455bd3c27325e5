#pragma once

#include "geometry/collector.hpp"
#include "geometry/patch.hpp"

/// Pairs of shapes, the first of the kind that comes first in ShapeKind. All are in a frame of their own: `d` is the origin
/// of the second shape seen from the first, in the axes of the world, `X_AB` its pose in the frame of the first.
namespace ulna::detail {

// by closed forms, in the axes of the world; n is the plane's normal

void sphere_sphere(double ra, double rb, const Vector3& d, Collector& out);
void sphere_capsule(double ra, const CollisionShape& capsule, const Vector3& axis, const Vector3& d,
                    Collector& out);
void capsule_capsule(const CollisionShape& a, const Vector3& axis_a, const CollisionShape& b,
                     const Vector3& axis_b, const Vector3& d, Collector& out);
void plane_sphere(const Vector3& n, double radius, const Vector3& d, Collector& out);
void plane_capsule(const Vector3& n, const CollisionShape& capsule, const Vector3& axis,
                   const Vector3& d, Collector& out);
void plane_box(const Vector3& n, const CollisionShape& box, const Mat3<double>& R, const Vector3& d,
               Collector& out);
void plane_cylinder(const Vector3& n, const CollisionShape& cylinder, const Mat3<double>& R,
                    const Vector3& d, Collector& out);
void plane_ellipsoid(const Vector3& n, const CollisionShape& ellipsoid, const Mat3<double>& R,
                     const Vector3& d, Collector& out);
void plane_hull(const Vector3& n, const CollisionShape& hull, const Mat3<double>& R,
                const Vector3& d, Collector& out);

// by closed forms, in the axes of the second: c is the sphere's centre; the normal points to the second

void sphere_box(double radius, const CollisionShape& box, const Vector3& c, Collector& out);
void sphere_cylinder(double radius, const CollisionShape& cylinder, const Vector3& c,
                     Collector& out);

// in the frame of the first

void capsule_box(const CollisionShape& capsule, const CollisionShape& box, const Relative& X_AB,
                 Collector& out);
void box_box(const CollisionShape& a, const CollisionShape& b, const Relative& X_AB,
             Collector& out);
void convex_convex(const Convex& a, const Convex& b, const Relative& X_AB, Collector& out);

// in the frame of the second; normals point to the first

void convex_mesh(const CollisionShape& a, const TriangleMesh& mesh, const Relative& X_BA,
                 Collector& out);
void convex_height_field(const CollisionShape& a, const HeightGrid& field, const Relative& X_BA,
                         Collector& out);

/// Nearest points of two segments, each from -half to half around its middle along a unit axis, the second's middle at d
/// from the first's: coordinates along the axes (Ericson 2005, sec. 5.1.9).
std::array<double, 2> nearest_on_segments(double half_a, const Vector3& axis_a, double half_b,
                                          const Vector3& axis_b, const Vector3& d);

}  // namespace ulna::detail
