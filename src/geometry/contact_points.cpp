#include "ulna/geometry/contact_points.hpp"

#include "geometry/gjk.hpp"
#include "geometry/pairs.hpp"

namespace ulna {
namespace detail {

void convex_convex(const Convex& a, const Convex& b, const Relative& X_AB, Collector& out) {
  const CorePair pair{a, b, X_AB};
  Simplex simplex;
  Separation at;
  if (separate(pair, out.margin(), simplex, at) == GjkResult::far) return;
  add_patch(a, b, X_AB, at, out);
}

namespace {

/// A pair of shapes at their poses, the first of the kind that comes first. Each function finds the points of some pairs
/// and writes them into the world.
class Placed {
 public:
  Placed(const CollisionShape& a, const Transform<double>& X_WA, const CollisionShape& b,
         const Transform<double>& X_WB, double margin, std::span<ContactPoint> out)
      : a_(a), b_(b), X_WA_(X_WA), X_WB_(X_WB), found_(margin), out_(out) {}

  int points() {
    if (b_.kind() >= ShapeKind::mesh) return on_surface();
    if (a_.kind() == ShapeKind::plane) return on_plane();
    if (a_.kind() == ShapeKind::sphere) return of_sphere();
    if (a_.kind() == ShapeKind::capsule && b_.kind() == ShapeKind::capsule) {
      capsule_capsule(a_, axis(X_WA_), b_, axis(X_WB_), d(), found_);
      return found_.write(X_WA_.translation(), out_);
    }
    const Relative X_AB = relative(X_WA_, X_WB_);
    if (a_.kind() == ShapeKind::capsule && b_.kind() == ShapeKind::box) {
      capsule_box(a_, b_, X_AB, found_);
    } else if (a_.kind() == ShapeKind::box && b_.kind() == ShapeKind::box) {
      box_box(a_, b_, X_AB, found_);
    } else {
      convex_convex(convex_of(a_), convex_of(b_), X_AB, found_);
    }
    return found_.write(X_WA_, out_);
  }

 private:
  static Vector3 axis(const Transform<double>& X) { return X.rotation().matrix().col(2); }
  Vector3 d() const { return X_WB_.translation() - X_WA_.translation(); }

  int on_plane() {
    const Vector3 n = axis(X_WA_);
    const Mat3<double>& R = X_WB_.rotation().matrix();
    switch (b_.kind()) {
      case ShapeKind::sphere:
        plane_sphere(n, b_.radius(), d(), found_);
        break;
      case ShapeKind::capsule:
        plane_capsule(n, b_, R.col(2), d(), found_);
        break;
      case ShapeKind::box:
        plane_box(n, b_, R, d(), found_);
        break;
      case ShapeKind::cylinder:
        plane_cylinder(n, b_, R, d(), found_);
        break;
      case ShapeKind::ellipsoid:
        plane_ellipsoid(n, b_, R, d(), found_);
        break;
      case ShapeKind::hull:
        plane_hull(n, b_, R, d(), found_);
        break;
      default:
        return 0;
    }
    return found_.write(X_WA_.translation(), out_);
  }

  int of_sphere() {
    const auto seen = [&] { return X_WB_.inverse_apply(X_WA_.translation()); };
    switch (b_.kind()) {
      case ShapeKind::sphere:
        sphere_sphere(a_.radius(), b_.radius(), d(), found_);
        return found_.write(X_WA_.translation(), out_);
      case ShapeKind::capsule:
        sphere_capsule(a_.radius(), b_, axis(X_WB_), d(), found_);
        return found_.write(X_WA_.translation(), out_);
      case ShapeKind::box:
        sphere_box(a_.radius(), b_, seen(), found_);
        return found_.write(X_WB_, out_);
      case ShapeKind::cylinder:
        sphere_cylinder(a_.radius(), b_, seen(), found_);
        return found_.write(X_WB_, out_);
      default:
        convex_convex(convex_of(a_), convex_of(b_), relative(X_WA_, X_WB_), found_);
        return found_.write(X_WA_, out_);
    }
  }

  int on_surface() {
    if (!a_.is_convex() || a_.is_unbounded()) return 0;
    const Relative X_BA = relative(X_WB_, X_WA_);
    if (b_.kind() == ShapeKind::mesh) {
      convex_mesh(a_, *b_.mesh(), X_BA, found_);
    } else {
      convex_height_field(a_, *b_.height_field(), X_BA, found_);
    }
    const int count = found_.write(X_WB_, out_);
    for (ContactPoint& c : out_.first(static_cast<std::size_t>(count))) c.normal = -c.normal;
    return count;
  }

  const CollisionShape& a_;
  const CollisionShape& b_;
  const Transform<double>& X_WA_;
  const Transform<double>& X_WB_;
  Collector found_;
  std::span<ContactPoint> out_;
};

bool is_finite(const Transform<double>& X) {
  // a sum is not finite where a term is not
  return std::isfinite(X.rotation().matrix().sum() + X.translation().sum());
}

}  // namespace
}  // namespace detail

int contact_points(const CollisionShape& a, const Transform<double>& X_WA, const CollisionShape& b,
                   const Transform<double>& X_WB, double margin,
                   std::span<ContactPoint> out) noexcept {
  if (!detail::is_finite(X_WA) || !detail::is_finite(X_WB)) return 0;
  if (a.kind() <= b.kind()) return detail::Placed(a, X_WA, b, X_WB, margin, out).points();
  const int count = detail::Placed(b, X_WB, a, X_WA, margin, out).points();
  for (ContactPoint& c : out.first(static_cast<std::size_t>(count))) c.normal = -c.normal;
  return count;
}

double distance(const CollisionShape& a, const Transform<double>& X_WA, const CollisionShape& b,
                const Transform<double>& X_WB) noexcept {
  ContactPoint nearest;
  const int count = contact_points(a, X_WA, b, X_WB, infinity, {&nearest, 1});
  return count > 0 ? nearest.gap : infinity;
}

}  // namespace ulna
