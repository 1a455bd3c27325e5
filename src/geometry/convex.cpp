#include "geometry/convex.hpp"

namespace ulna::detail {

Convex convex_of(const CollisionShape& shape) noexcept {
  using Kind = Convex::Kind;
  static constexpr Kind kinds[shape_kinds] = {Kind::point, Kind::point,    Kind::segment,
                                              Kind::box,   Kind::cylinder, Kind::ellipsoid,
                                              Kind::hull,  Kind::triangle, Kind::triangle};
  Convex made;
  made.kind = kinds[static_cast<int>(shape.kind())];
  made.radius = shape.radius();
  made.half = shape.half_size();
  made.hull = shape.hull();
  made.size = shape.bounding_radius();
  if (made.hull) made.middle = 0.5 * (shape.box().lower + shape.box().upper);
  return made;
}

Convex convex_of(const Vector3& a, const Vector3& b, const Vector3& c) noexcept {
  Convex made;
  made.kind = Convex::Kind::triangle;
  made.corner = {a, b, c};
  made.middle = (a + b + c) / 3.0;
  made.size = std::sqrt(std::max({(a - made.middle).squaredNorm(), (b - made.middle).squaredNorm(),
                                  (c - made.middle).squaredNorm()}));
  return made;
}

Vector3 Convex::support(const Vector3& n) const noexcept {
  switch (kind) {
    case Kind::point:
      return Vector3::Zero();
    case Kind::segment:
      return {0.0, 0.0, std::copysign(half.z(), n.z())};
    case Kind::box:
      return {std::copysign(half.x(), n.x()), std::copysign(half.y(), n.y()),
              std::copysign(half.z(), n.z())};
    case Kind::cylinder: {
      const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
      const double s = across > 0.0 ? radius / across : 0.0;
      return {s * n.x(), s * n.y(), std::copysign(half.z(), n.z())};
    }
    case Kind::ellipsoid: {
      const Vector3 scaled = half.cwiseProduct(n);
      return half.cwiseProduct(scaled) / scaled.norm();
    }
    case Kind::hull:
      return hull->vertices()[static_cast<std::size_t>(hull->support(n))];
    case Kind::triangle:
      break;
  }
  const double a = corner[0].dot(n), b = corner[1].dot(n), c = corner[2].dot(n);
  return a >= b ? (a >= c ? corner[0] : corner[2]) : (b >= c ? corner[1] : corner[2]);
}

}  // namespace ulna::detail
