#include "geometry/gjk.hpp"

namespace ulna::detail {
namespace {

/// How the point that supports a core changes with the normal, both in its own frame: the second derivative of the support
/// function. Zero for polytopes, whose corners stay.
Mat3<double> curvature(const Convex& core, const Vector3& n) {
  if (core.kind == Convex::Kind::ellipsoid) {
    const double reach = core.half.cwiseProduct(n).norm();
    const Vector3 squares = core.half.cwiseProduct(core.half), at = squares.cwiseProduct(n) / reach;
    return (Mat3<double>(squares.asDiagonal()) - at * at.transpose()) / reach;
  }
  if (core.kind == Convex::Kind::cylinder) {
    const double across = std::hypot(n.x(), n.y());
    if (!(across > 0.0)) return Mat3<double>::Zero();
    const Vector3 round(-n.y() / across, n.x() / across, 0.0);
    return (core.radius / across) * round * round.transpose();
  }
  return Mat3<double>::Zero();
}

/// What of a core touches, as far as a simplex shows: a point of a curved surface or a corner, an edge, a face. Along edges and
/// faces the point that supports the core may slide. All is in the frame of the core.
struct Touching {
  std::array<Vector3, 3> slides;  ///< unit vectors
  int count = 0;
  bool disc = false, side = false;  ///< of a cylinder

  void add(const Vector3& direction) {
    for (int i = 0; i < count; ++i)
      if (cross(direction, slides[static_cast<std::size_t>(i)]).squaredNorm() < 1e-20) return;
    if (count < 3) slides[static_cast<std::size_t>(count++)] = direction;
  }
};

/// From points that support the core near the normal n.
Touching touching(const Convex& core, const std::array<Vector3, 3>& points, int size,
                  const Vector3& n, bool discs) {
  Touching out;
  if (core.kind == Convex::Kind::ellipsoid || core.kind == Convex::Kind::point) return out;
  double height = 0.0, width = 0.0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(size); ++i) {
    const Vector3 d = points[i] - points[0];
    height = std::max(height, std::abs(d.z()));
    width = std::max(width, d.head<2>().norm());
    if (core.kind != Convex::Kind::cylinder && d.squaredNorm() > 0.0) out.add(d.normalized());
  }
  if (core.kind != Convex::Kind::cylinder) return out;
  out.side = height > core.half.z();
  const double across = std::hypot(n.x(), n.y());
  out.disc = discs && across < 1e-2 && (width > 0.05 * core.radius || across < 1e-6);
  if (out.side) out.add(Vector3::UnitZ());
  if (out.disc) out.add(Vector3::UnitX());
  if (out.disc) out.add(Vector3::UnitY());
  return out;
}

/// A point that supports the core, for the exact normal.
Vector3 refreshed(const Convex& core, const Touching& what, const Vector3& point,
                  const Vector3& n) {
  if (core.is_polytope() || what.disc ||
      (core.kind == Convex::Kind::cylinder && n.head<2>().norm() < 1e-12))
    return point;
  Vector3 at = core.support(n);
  if (what.side) at.z() = point.z();
  return at;
}

/// Two edges that the normal must be across of, or fewer.
struct Fixed {
  std::array<Vector3, 2> across;
  int count = 0;

  void add(const Vector3& direction) {
    if (count == 2) return;
    if (count == 1 && cross(across[0], direction).squaredNorm() < 1e-12) return;
    across[static_cast<std::size_t>(count++)] = direction;
  }
};

/// What touches on both cores, and one of the points there.
struct Pinned {
  Touching a, b;
  Difference at;

  /// The points for another normal: where the surfaces are curved they move with it.
  Difference moved(const CorePair& pair, const Difference& d, const Vector3& n) const {
    const Relative& X = pair.X_AB;
    const Vector3 on_a = refreshed(pair.a, a, d.a, n);
    const Vector3 on_b =
        X * refreshed(pair.b, b, X.R.transpose() * (d.b - X.p), X.R.transpose() * -n);
    return {on_a, on_b, on_b - on_a};
  }
};

/// Newton's method for the largest gap along a normal that is across what is fixed, from a normal.
Vector3 improve(const CorePair& pair, const Pinned& pinned, const Fixed& fixed, Vector3 n) {
  const Mat3<double>& R = pair.X_AB.R;
  if (fixed.count == 2) {
    const Vector3 up = cross(fixed.across[0], fixed.across[1]).normalized();
    return up.dot(n) < 0.0 ? Vector3(-up) : up;
  }
  Vector3 best = n, change = Vector3::Zero();
  double least = infinity;  // of w across n, which vanishes where the gap is largest
  constexpr int most = 20;
  for (int i = 0; i < most; ++i) {
    Vector3 u;
    if (fixed.count == 1) {
      u = fixed.across[0];
      n = (n - n.dot(u) * u).normalized();
    } else {
      int axis = 0;
      n.cwiseAbs().minCoeff(&axis);
      u = cross(n, Vector3::Unit(axis)).normalized();
    }
    const Vector3 v = cross(n, u), w = pinned.moved(pair, pinned.at, n).w;
    const double gap = n.dot(w), wu = fixed.count == 0 ? u.dot(w) : 0.0, wv = v.dot(w);
    const double rest = std::hypot(wu, wv);
    if (!(rest < least)) {
      if (least < 1e-12 * pair.size() || change.squaredNorm() < 1e-28) break;
      change *= 0.5;
      n = (best + change).normalized();
      continue;
    }
    best = n;
    least = rest;
    if (rest <= 1e-15 * pair.size()) break;
    // (H + gap) t = w across n, where H is the change of w with -n
    const Mat3<double> H =
        curvature(pair.a, n) + R * curvature(pair.b, R.transpose() * -n) * R.transpose();
    const double vv = v.dot(H * v) + gap;
    if (fixed.count == 1) {
      if (!(vv > 0.0)) break;
      change = (wv / vv) * v;
      n = (n + change).normalized();
      continue;
    }
    const double uu = u.dot(H * u) + gap, uv = u.dot(H * v), det = uu * vv - uv * uv;
    if (!(det > 0.0) || !(uu > 0.0)) break;
    change = ((vv * wu - uv * wv) / det) * u + ((uu * wv - uv * wu) / det) * v;
    n = (n + change).normalized();
  }
  return best;
}

/// The search for what touches: normals from a set of points, then, from the normal, which of the points make a pair of nearest
/// points, and again with those.
class Polish {
 public:
  Polish(const CorePair& pair, const Simplex& simplex, const Separation& at)
      : pair_(pair), start_(simplex), active_(simplex), best_(at), n_(at.normal) {
    best_.gap = at.normal.dot(pair.support(-at.normal).w);
    best_.on_b = best_.on_a + best_.gap * best_.normal;
  }

  const Separation& best() const { return best_; }

  /// Whether it ended with points that lie above each other.
  bool run() {
    constexpr int most = 8;
    for (int i = 0; i < most; ++i) {
      const Pinned pinned = pin();
      if (step(pinned)) return true;
      if (reduced_) continue;
      // a disc touches within its rim, or its rim does
      if (!discs_ || !(pinned.a.disc || pinned.b.disc)) break;
      discs_ = false;
      active_ = start_;
      n_ = (n_ + 1e-4 * to_rim_).normalized();
    }
    return false;
  }

 private:
  Pinned pin() const {
    const Mat3<double>& R = pair_.X_AB.R;
    std::array<Vector3, 3> on_a, on_b;
    const int size = std::min(active_.size, 3);
    for (int i = 0; i < size; ++i) {
      on_a[static_cast<std::size_t>(i)] = active_[i].a;
      on_b[static_cast<std::size_t>(i)] = R.transpose() * (active_[i].b - pair_.X_AB.p);
    }
    return {touching(pair_.a, on_a, size, n_, discs_),
            touching(pair_.b, on_b, size, R.transpose() * n_, discs_), active_[0]};
  }

  /// Whether the gap is the largest, and two points with it lie above each other.
  bool step(const Pinned& pinned) {
    Fixed fixed;
    for (int i = 0; i < pinned.a.count; ++i)
      fixed.add(pinned.a.slides[static_cast<std::size_t>(i)]);
    for (int i = 0; i < pinned.b.count; ++i)
      fixed.add(pair_.X_AB.R * pinned.b.slides[static_cast<std::size_t>(i)]);
    n_ = improve(pair_, pinned, fixed, n_);
    const double gap = n_.dot(pair_.support(-n_).w), off = match(pinned, gap);
    // what is better: a larger gap, or as large a gap with points that are nearer to lying above each other
    const double same = 1e-13 * pair_.size();
    if (!(gap > best_.gap + same || (gap > best_.gap - same && off < off_))) return false;
    best_ = {n_, gap, on_a_, on_a_ + gap * n_};
    off_ = off;
    return off <= same;
  }

  /// Finds the weights with which the points make one above another: points without weight leave the simplex. Returns how far
  /// they are from above each other.
  double match(const Pinned& pinned, double gap) {
    int kept = 0;  // of points that became the same, one
    for (int i = 0; i < active_.size; ++i) {
      const Difference moved = pinned.moved(pair_, active_[i], n_);
      bool known = false;
      for (int k = 0; k < kept && !known; ++k)
        known = (moved.w - active_[k].w).squaredNorm() < 1e-28 * pair_.size() * pair_.size();
      if (!known) active_[kept++] = moved;
    }
    active_.size = kept;
    reduced_ = false;
    if (const double off = match_disc(pinned, gap); off < infinity) return off;
    Simplex level = active_;
    for (int i = 0; i < level.size; ++i) level[i].w -= level[i].w.dot(n_) * n_;
    const Vector3 off = nearest_to_origin(level);
    reduced_ = level.size < active_.size;
    active_ = level;
    on_a_.setZero();
    double above = 0.0;  // of points that do not support the cores
    for (int i = 0; i < active_.size; ++i) {
      on_a_ += active_.weights[static_cast<std::size_t>(i)] * active_[i].a;
      active_[i].w = active_[i].b - active_[i].a;
      above = std::max(above, active_[i].w.dot(n_) - gap);
    }
    return off.norm() + above;
  }

  /// The same where a single point of one core lies above a disc of the other: how far outside of the rim it is. Infinite
  /// otherwise.
  double match_disc(const Pinned& pinned, double gap) {
    const Relative& X = pair_.X_AB;
    if (pinned.b.disc && pinned.a.count == 0) {
      on_a_ = active_[0].a;
      const Vector3 p = X.R.transpose() * (on_a_ + gap * n_ - X.p);
      to_rim_ = -(X.R * Vector3(p.x(), p.y(), 0.0)).normalized();
      return std::max(0.0, p.head<2>().norm() - pair_.b.radius);
    }
    if (pinned.a.disc && pinned.b.count == 0) {
      on_a_ = active_[0].b - gap * n_;
      to_rim_ = Vector3(on_a_.x(), on_a_.y(), 0.0).normalized();
      return std::max(0.0, on_a_.head<2>().norm() - pair_.a.radius);
    }
    return infinity;
  }

  const CorePair& pair_;
  const Simplex& start_;
  Simplex active_;
  Separation best_;
  Vector3 n_, on_a_ = Vector3::Zero();
  Vector3 to_rim_ =
      Vector3::Zero();  ///< how the normal would turn for the rim to touch instead of the disc
  double off_ = infinity;
  bool discs_ = true, reduced_ = false;
};

}  // namespace

bool polish(const CorePair& pair, const Simplex& simplex, Separation& at) noexcept {
  Polish polish(pair, simplex, at);
  const bool exact = polish.run();
  at = polish.best();
  at.gap -= pair.margins();
  return exact;
}

}  // namespace ulna::detail
