#include "geometry/gjk.hpp"

#include <algorithm>

namespace ulna::detail {
namespace {

/// Keeps the points with these numbers and weights.
void keep(Simplex& s, std::initializer_list<int> which, std::initializer_list<double> weights) {
  int k = 0;
  for (const int i : which)
    s[k++] = s[i];  // ascending, so that none is overwritten before it is read
  std::copy(weights.begin(), weights.end(), s.weights.begin());
  s.size = k;
}

Vector3 nearest_on_segment(Simplex& s) {
  const Vector3 a = s[0].w, e = s[1].w - a;
  const double t = -a.dot(e), squared = e.squaredNorm();
  if (t <= 0.0) return keep(s, {0}, {1.0}), a;
  if (t >= squared) return keep(s, {1}, {1.0}), s[0].w;
  s.weights[0] = 1.0 - t / squared;
  s.weights[1] = t / squared;
  return a + (t / squared) * e;
}

/// Of a triangle without area.
Vector3 nearest_on_edges(Simplex& s) {
  Simplex best;
  Vector3 nearest = Vector3::Zero();
  double least = infinity;
  for (const auto& [i, j] : {std::array{0, 1}, {0, 2}, {1, 2}}) {
    Simplex edge;
    edge[0] = s[i];
    edge[1] = s[j];
    edge.size = 2;
    const Vector3 v = nearest_on_segment(edge);
    if (v.squaredNorm() >= least) continue;
    least = v.squaredNorm();
    nearest = v;
    best = edge;
  }
  s = best;
  return nearest;
}

/// By the regions of the triangle (Ericson 2005, sec. 5.1.5).
Vector3 nearest_on_triangle(Simplex& s) {
  const Vector3 a = s[0].w, b = s[1].w, c = s[2].w, ab = b - a, ac = c - a;
  const auto edge = [&](int i, int j, double to_i, double to_j) -> Vector3 {
    const double t = to_i + to_j > 0.0 ? to_i / (to_i + to_j) : 0.0;
    const Vector3 from = s[i].w, to = s[j].w;
    keep(s, {i, j}, {1.0 - t, t});
    return from + t * (to - from);
  };
  const double d1 = -ab.dot(a), d2 = -ac.dot(a);
  if (d1 <= 0.0 && d2 <= 0.0) return keep(s, {0}, {1.0}), a;
  const double d3 = -ab.dot(b), d4 = -ac.dot(b);
  if (d3 >= 0.0 && d4 <= d3) return keep(s, {1}, {1.0}), b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return edge(0, 1, d1, -d3);
  const double d5 = -ab.dot(c), d6 = -ac.dot(c);
  if (d6 >= 0.0 && d5 <= d6) return keep(s, {2}, {1.0}), c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return edge(0, 2, d2, -d6);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 >= d3 && d5 >= d6) return edge(1, 2, d4 - d3, d5 - d6);
  const double sum = va + vb + vc;
  if (!(sum > 0.0)) return nearest_on_edges(s);
  s.weights = {va / sum, vb / sum, vc / sum, 0.0};
  // along the triangle's normal, which stays exact where the origin is near
  const Vector3 n = cross(ab, ac);
  const double squared = n.squaredNorm();
  return squared > 0.0 ? Vector3((n.dot(a) / squared) * n)
                       : Vector3((va * a + vb * b + vc * c) / sum);
}

/// The nearest of the faces that the origin lies outside of; none: it lies inside, and all four points stay.
Vector3 nearest_on_tetrahedron(Simplex& s) {
  static constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Simplex best;
  Vector3 nearest = Vector3::Zero();
  double least = infinity;
  for (const auto& [i, j, k, other] : faces) {
    const Vector3 a = s[i].w, n = cross(s[j].w - a, s[k].w - a);
    const Vector3 across = s[other].w - a;
    const double height = n.dot(across), origin = -n.dot(a);
    const bool flat = height * height <= 1e-24 * n.squaredNorm() * across.squaredNorm();
    if (!flat && height * origin > 0.0) continue;
    Simplex face;
    face.points = {s[i], s[j], s[k], s[other]};
    face.size = 3;
    const Vector3 v = nearest_on_triangle(face);
    if (v.squaredNorm() >= least) continue;
    least = v.squaredNorm();
    nearest = v;
    best = face;
  }
  if (least < infinity) s = best;
  return nearest;
}

}  // namespace

Vector3 nearest_to_origin(Simplex& s) {
  switch (s.size) {
    case 1:
      s.weights[0] = 1.0;
      return s[0].w;
    case 2:
      return nearest_on_segment(s);
    case 3:
      return nearest_on_triangle(s);
    default:
      return nearest_on_tetrahedron(s);
  }
}

GjkResult gjk(const CorePair& pair, double margin, Effort effort, Simplex& simplex,
              Separation& at) noexcept {
  constexpr int most = 64;
  const double touching = 1e-10 * pair.size(), enough = margin + pair.margins();
  // of the squared distance
  const double tolerance = pair.is_curved() && effort == Effort::quick ? 1e-7 : 1e-13;
  Vector3 v = pair.X_AB * pair.b.middle - pair.a.middle;
  if (!(v.squaredNorm() > 0.0)) v = Vector3::UnitX();
  simplex[0] = pair.support(-v);
  simplex.size = 1;
  simplex.weights[0] = 1.0;
  v = simplex[0].w;
  for (int i = 0; i < most; ++i) {
    const double squared = v.squaredNorm();
    if (squared <= touching * touching) return GjkResult::overlapping;
    const Difference next = pair.support(-v);
    const double product = v.dot(next.w);
    if (product > 0.0 && product * product > enough * enough * squared && enough > 0.0)
      return GjkResult::far;
    if (squared - product <= tolerance * squared) break;
    const Simplex before = simplex;
    simplex[simplex.size++] = next;
    const Vector3 nearer = nearest_to_origin(simplex);
    if (simplex.size == 4) return GjkResult::overlapping;
    if (!(nearer.squaredNorm() < squared)) {
      simplex = before;
      break;
    }
    v = nearer;
  }
  const double length = v.norm();
  at.normal = v / length;
  at.gap = length - pair.margins();
  at.on_a.setZero();
  for (int k = 0; k < simplex.size; ++k)
    at.on_a += simplex.weights[static_cast<std::size_t>(k)] * simplex[k].a;
  at.on_b = at.on_a + v;
  return GjkResult::apart;
}

GjkResult separate(const CorePair& pair, double margin, Simplex& simplex, Separation& at) noexcept {
  GjkResult result = gjk(pair, margin, Effort::quick, simplex, at);
  if (result == GjkResult::far) return result;
  if (result == GjkResult::overlapping) epa(pair, Effort::quick, simplex, at);
  // what GJK computes of a small gap between polytopes is lost in rounding
  const auto gap = [&] { return at.gap + pair.margins(); };
  if (!pair.is_curved() && gap() > 1e-2 * pair.size()) return result;
  if (polish(pair, simplex, at) || !pair.is_curved()) return result;
  // of curved surfaces, what GJK computes of a small gap is lost in the chords between its points
  if (gap() > 1e-5 * pair.size()) {
    gjk(pair, infinity, Effort::thorough, simplex, at);
  } else {
    epa(pair, Effort::thorough, simplex, at);
  }
  polish(pair, simplex, at);
  return result;
}

}  // namespace ulna::detail
