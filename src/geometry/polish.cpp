#include "geometry/gjk.hpp"

namespace ulna::detail {
namespace {

/// Directions along which the point that supports a core may slide at this normal: an edge or a face.
struct Sliding {
  std::array<Vector3, 6> along;
  int count = 0, on_a = 0;  ///< all, and how many are A's; the others are B's
  void add(const Vector3& direction) { along[static_cast<std::size_t>(count++)] = direction; }
};

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

/// From points that support the core at nearly the same normal n, all in its own frame.
void add_sliding(const Convex& core, const std::array<Vector3, 3>& points, int count,
                 const Vector3& n, const Mat3<double>& turn, Sliding& out) {
  if (core.kind == Convex::Kind::ellipsoid || core.kind == Convex::Kind::point) return;
  if (core.kind == Convex::Kind::cylinder) {
    double height = 0.0, width = 0.0;
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) {
      const Vector3 d = points[i] - points[0];
      height = std::max(height, std::abs(d.z()));
      width = std::max(width, d.head<2>().norm());
    }
    if (height > core.half.z()) out.add(turn.col(2));
    if (std::hypot(n.x(), n.y()) < 1e-2 && width > 0.05 * core.radius) {
      out.add(turn.col(0));
      out.add(turn.col(1));
    }
    return;
  }
  for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
    if (const Vector3 d = points[i] - points[0]; d.squaredNorm() > 0.0)
      out.add(turn * d.normalized());
}

Sliding sliding_of(const CorePair& pair, const Simplex& simplex, const Vector3& n) {
  std::array<Vector3, 3> on_a, on_b;
  const int count = std::min(simplex.size, 3);
  for (int i = 0; i < count; ++i) {
    on_a[static_cast<std::size_t>(i)] = simplex[i].a;
    on_b[static_cast<std::size_t>(i)] = pair.X_AB.R.transpose() * (simplex[i].b - pair.X_AB.p);
  }
  Sliding out;
  add_sliding(pair.a, on_a, count, n, Mat3<double>::Identity(), out);
  out.on_a = out.count;
  add_sliding(pair.b, on_b, count, pair.X_AB.R.transpose() * n, pair.X_AB.R, out);
  return out;
}

/// Two unit vectors across n; the first along the edge that the points slide on, if they do.
struct Across {
  Vector3 u, v;
  int fixed;  ///< 0: the normal is free, 1: it is across u, 2: it is across both
};
Across across(const Sliding& sliding, const Vector3& n) {
  Across out{Vector3::Zero(), Vector3::Zero(), 0};
  for (int i = 0; i < sliding.count; ++i) {
    const Vector3& s = sliding.along[static_cast<std::size_t>(i)];
    if (out.fixed == 0) {
      out.u = s;
      out.fixed = 1;
    } else if (const Vector3 c = cross(out.u, s); out.fixed == 1 && c.squaredNorm() > 1e-12) {
      out.v = cross(c.normalized(), out.u);
      out.fixed = 2;
    }
  }
  if (out.fixed == 0) {
    int axis = 0;
    n.cwiseAbs().minCoeff(&axis);
    out.u = cross(n, Vector3::Unit(axis)).normalized();
  }
  if (out.fixed < 2) out.v = cross(n, out.u).normalized();
  return out;
}

}  // namespace

void polish(const CorePair& pair, const Simplex& simplex, Separation& at) noexcept {
  const Sliding sliding = sliding_of(pair, simplex, at.normal);
  const Mat3<double>& R = pair.X_AB.R;
  Vector3 n = at.normal;
  Separation best = at;
  best.gap = -infinity;
  constexpr int most = 8;
  for (int i = 0; i < most; ++i) {
    const Across frame = across(sliding, n);
    if (frame.fixed == 2)
      n = std::copysign(1.0, n.dot(cross(frame.u, frame.v))) * cross(frame.u, frame.v);
    if (frame.fixed == 1) n = (n - n.dot(frame.u) * frame.u).normalized();
    const Difference next = pair.support(-n);
    const double gap = n.dot(next.w);
    if (!(gap > best.gap)) break;
    best.normal = n;
    best.gap = gap;
    best.on_a = next.a;
    best.on_b = next.b;
    if (frame.fixed == 2) break;
    // (H + gap) t = w across n, where H is the change of w with -n
    const Vector3 n_B = R.transpose() * n;
    const Mat3<double> H = curvature(pair.a, n) + R * curvature(pair.b, -n_B) * R.transpose();
    const Vector3 v = frame.fixed == 1 ? cross(n, frame.u) : frame.v;
    const double vv = v.dot(H * v) + gap, wv = v.dot(next.w);
    if (frame.fixed == 1) {
      if (!(vv > 0.0)) break;
      n = (n + (wv / vv) * v).normalized();
      continue;
    }
    const Vector3& u = frame.u;
    const double uu = u.dot(H * u) + gap, uv = u.dot(H * v), wu = u.dot(next.w);
    const double det = uu * vv - uv * uv;
    if (!(det > 0.0) || !(uu > 0.0)) break;
    n = (n + ((vv * wu - uv * wv) / det) * u + ((uu * wv - uv * wu) / det) * v).normalized();
  }
  const double before = at.normal.dot(pair.support(-at.normal).w);
  if (best.gap > before) {
    at.normal = best.normal;
    // a surface that is no edge or face there has one point with this normal
    if (sliding.on_a == 0) {
      at.on_a = best.on_a;
    } else if (sliding.count == sliding.on_a) {
      at.on_a = best.on_b - best.gap * best.normal;
    }
  }
  const double gap = std::max(best.gap, before);
  at.on_b = at.on_a + gap * at.normal;
  at.gap = gap - pair.margins();
}

}  // namespace ulna::detail
