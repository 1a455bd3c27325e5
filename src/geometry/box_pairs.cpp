#include <algorithm>

#include "geometry/gjk.hpp"
#include "geometry/pairs.hpp"

// Boxes with each other and with capsules, by separating axes (Gottschalk, Lin, Manocha 1996).
namespace ulna::detail {
namespace {

/// The best of several axes: the one along which two convex bodies overlap least or are farthest apart.
struct Axis {
  double gap = -infinity;
  Vector3 normal = Vector3::UnitZ();
  int i = -1, j = -1;  ///< of an edge of A with one of B: which two
};

/// Twice the squared distance's half slope: how the squared distance of a point from a box changes as it moves along a.
double slope_at(const Vector3& c, const Vector3& a, const Vector3& h, double t) {
  const Vector3 x = c + t * a;
  return a.dot(x - x.cwiseMax(-h).cwiseMin(h));
}

/// The t in [-1, 1] with c + t a nearest to a box, the middle of them where there are several. The slope of the squared
/// distance rises with t and is straight between the places where a coordinate leaves the box.
double nearest_to_box(const Vector3& c, const Vector3& a, const Vector3& h) {
  std::array<double, 8> knots = {-1.0, 1.0};
  std::size_t count = 2;
  for (int i = 0; i < 3; ++i)
    for (const double side : {-h(i), h(i)})
      if (const double t = (side - c(i)) / a(i); std::abs(t) < 1.0) knots[count++] = t;
  std::sort(knots.begin(), knots.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<double, 8> slopes;
  for (std::size_t k = 0; k < count; ++k) slopes[k] = slope_at(c, a, h, knots[k]);
  if (slopes[0] > 0.0) return -1.0;
  if (slopes[count - 1] < 0.0) return 1.0;
  std::size_t first = 0, last = count - 1;
  while (slopes[first + 1] < 0.0) ++first;  // the last knot that is still falling
  while (slopes[last - 1] > 0.0) --last;    // the first that is already rising
  const auto zero = [&](std::size_t k) {    // between k and the next
    const double fall = slopes[k], rise = slopes[k + 1];
    return rise > fall ? knots[k] - fall / (rise - fall) * (knots[k + 1] - knots[k]) : knots[k];
  };
  const double low = slopes[first] < 0.0 ? zero(first) : knots[first];
  const double high = slopes[last] > 0.0 ? zero(last - 1) : knots[last];
  return 0.5 * (low + high);
}

/// Of a segment that pierces a box: the axis along which it comes out soonest.
Axis piercing_axis(const Vector3& c, const Vector3& a, const Vector3& h) {
  Axis best;
  const auto consider = [&](const Vector3& u) {
    const double gap = std::abs(c.dot(u)) - h.dot(u.cwiseAbs()) - std::abs(a.dot(u));
    if (gap > best.gap) best = {gap, c.dot(u) < 0.0 ? u : Vector3(-u)};
  };
  for (int i = 0; i < 3; ++i) consider(Vector3::Unit(i));
  for (int i = 0; i < 3; ++i) {
    const Vector3 u = cross(a, Vector3::Unit(i));
    if (const double length = u.norm(); length > 1e-9 * a.norm()) consider(u / length);
  }
  return best;  // its normal points from the segment to the box
}

/// The axis of the largest gap among the faces of both boxes and the pairs of their edges; none if a gap reaches `enough`.
/// B is turned by R and at p, seen from A.
Axis separating_axis(const Vector3& a, const Vector3& b, const Relative& X_AB, double enough) {
  const Mat3<double>& R = X_AB.R;
  const Vector3& p = X_AB.p;
  const Mat3<double> size = R.cwiseAbs();
  Axis best;
  const Vector3 along_a = p.cwiseAbs() - a - size * b;
  int axis = 0;
  best.gap = along_a.maxCoeff(&axis);
  best.normal = (p(axis) < 0.0 ? -1.0 : 1.0) * Vector3::Unit(axis);
  const Vector3 seen = R.transpose() * p;
  const Vector3 along_b = seen.cwiseAbs() - b - size.transpose() * a;
  // ties go to the first, whatever rounding does
  const double tie = 1e-12 * (a.sum() + b.sum());
  if (const double gap = along_b.maxCoeff(&axis); gap > best.gap + tie) {
    best.gap = gap;
    best.normal = (seen(axis) < 0.0 ? -1.0 : 1.0) * R.col(axis);
  }
  if (best.gap >= enough) return best;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const double squared = R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j);
      if (squared < 1e-10) continue;
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double centre = p(i2) * R(i1, j) - p(i1) * R(i2, j);
      const double overlap = std::abs(centre) - a(i1) * size(i2, j) - a(i2) * size(i1, j) -
                             b(j1) * size(i, j2) - b(j2) * size(i, j1);
      // compared without a root: most edges are far worse than the best face
      if (overlap < 0.0 && overlap * overlap >= (best.gap + tie) * (best.gap + tie) * squared)
        continue;
      const double gap = overlap / std::sqrt(squared);
      if (!(gap > best.gap + tie)) continue;
      best = {gap, cross(Vector3::Unit(i), R.col(j)) / std::sqrt(squared), i, j};
      if (centre < 0.0) best.normal = -best.normal;
    }
  }
  return best;
}

/// The nearest points of the two edges that support the boxes along the normal. Whether both are inside of their edges.
bool nearest_on_edges(const Vector3& a, const Vector3& b, const Relative& X_AB, const Axis& axis,
                      Separation& at) {
  const Vector3 n_B = X_AB.R.transpose() * axis.normal;
  Vector3 on_a, on_b;
  for (int k = 0; k < 3; ++k) {
    on_a(k) = k == axis.i ? 0.0 : std::copysign(a(k), axis.normal(k));
    on_b(k) = k == axis.j ? 0.0 : std::copysign(b(k), -n_B(k));
  }
  const Vector3 ea = Vector3::Unit(axis.i), eb = X_AB.R.col(axis.j);
  on_b = X_AB * on_b;
  const auto [s, t] = nearest_on_segments(a(axis.i), ea, b(axis.j), eb, on_b - on_a);
  at.on_a = on_a + s * ea;
  at.on_b = on_b + t * eb;
  return std::abs(s) < a(axis.i) && std::abs(t) < b(axis.j);
}

}  // namespace

void capsule_box(const CollisionShape& capsule, const CollisionShape& box, const Relative& X_AB,
                 Collector& out) {
  // seen from the box
  const Vector3 c = -(X_AB.R.transpose() * X_AB.p), &h = box.half_size();
  const Vector3 a = capsule.half_size().z() * X_AB.R.row(2).transpose();
  const Vector3 x = c + nearest_to_box(c, a, h) * a, on_box = x.cwiseMax(-h).cwiseMin(h);
  const double far = out.margin() + capsule.radius(), squared = (x - on_box).squaredNorm();
  if (!(squared < far * far)) return;
  Separation at{.on_a = X_AB * x, .on_b = X_AB * on_box};
  if (squared > 1e-28 * h.squaredNorm()) {
    const double length = std::sqrt(squared);
    at.normal = X_AB.R * ((on_box - x) / length);
    at.gap = length - capsule.radius();
  } else {
    const Axis best = piercing_axis(c, a, h);
    at.normal = X_AB.R * best.normal;
    at.gap = best.gap - capsule.radius();
    // the end of the segment that is deepest in the box
    const Vector3 end = c + std::copysign(1.0, a.dot(best.normal)) * a;
    at.on_a = X_AB * end;
  }
  add_patch(convex_of(capsule), convex_of(box), X_AB, at, out);
}

void box_box(const CollisionShape& a, const CollisionShape& b, const Relative& X_AB,
             Collector& out) {
  const Vector3 &ha = a.half_size(), &hb = b.half_size();
  const Axis axis = separating_axis(ha, hb, X_AB, out.margin());
  if (!(axis.gap < out.margin())) return;
  const Convex core_a = convex_of(a), core_b = convex_of(b);
  Separation at{.normal = axis.normal, .gap = axis.gap};
  const double near = 1e-9 * (core_a.size + core_b.size);
  bool inside = false;
  if (axis.i >= 0) {
    inside = nearest_on_edges(ha, hb, X_AB, axis, at);
  } else {
    at.on_b = X_AB * core_b.support(-(X_AB.R.transpose() * axis.normal));
    at.on_a = at.on_b - axis.gap * axis.normal;
  }
  // where bodies overlap, the axis of least overlap is right; apart, only if points of both faces or edges that lie above
  // each other have its gap
  if (inside || axis.gap <= near) return add_patch(core_a, core_b, X_AB, at, out);
  if (axis.i < 0 && add_faces(core_a, core_b, X_AB, at, out)) return;
  convex_convex(core_a, core_b, X_AB, out);
}

}  // namespace ulna::detail
