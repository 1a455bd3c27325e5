#include <algorithm>

#include "geometry/gjk.hpp"

namespace ulna::detail {
namespace {

/// A polytope inside of B - A that grows where its boundary is nearest to the origin. Distances have signs, so that it
/// may begin beside the origin.
class Polytope {
 public:
  Polytope(const CorePair& pair, const Simplex& start) : pair_(pair), size_(pair.size()) {
    for (int i = 0; i < start.size; ++i) points_[static_cast<std::size_t>(count_++)] = start[i];
  }

  /// Four points with room between them; false where B - A is flat.
  bool begin() {
    if (count_ == 4 && volume() < 1e-9 * size_ * size_ * size_) count_ = 1;
    if (count_ == 3 && area().norm() < 1e-6 * size_ * size_) count_ = 1;
    if (count_ == 0) add(pair_.support(Vector3::UnitX()));
    if (count_ == 1)
      for (int axis = 0; axis < 3 && count_ == 1; ++axis)
        farther_of(
            Vector3::Unit(axis), [&](const Difference& p) { return (p.w - w(0)).norm(); },
            1e-3 * size_);
    if (count_ == 1)
      farther_of(
          Vector3::UnitX(), [&](const Difference& p) { return (p.w - w(0)).norm(); }, 0.0);
    if (count_ == 2) {
      const Vector3 along = (w(1) - w(0)).normalized();
      int axis = 0;
      along.cwiseAbs().minCoeff(&axis);
      const Vector3 across = cross(along, Vector3::Unit(axis)).normalized();
      const auto height = [&](const Difference& p) { return cross(p.w - w(0), along).norm(); };
      farther_of(across, height, 1e-6 * size_);
      if (count_ == 2) farther_of(cross(along, across), height, 0.0);
    }
    if (count_ == 3) {
      const Vector3 n = area().normalized();
      farther_of(
          n, [&](const Difference& p) { return std::abs(n.dot(p.w - w(0))); }, 0.0);
    }
    if (count_ < 4) return false;
    // outward faces of the tetrahedron
    const bool turned = area().dot(w(3) - w(0)) > 0.0;
    for (const auto& [i, j, k] : {std::array{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}})
      if (!(turned ? add_face(i, k, j) : add_face(i, j, k))) return false;
    return true;
  }

  /// Grows until the nearest face is a part of the boundary of B - A; returns that face.
  int expand(double tolerance) {
    int nearest = nearest_face();
    while (count_ < most_points) {
      const Difference next = pair_.support(face(nearest).normal);
      if (face(nearest).normal.dot(next.w) - face(nearest).distance <= tolerance * size_) break;
      if (!grow_by(next)) break;
      nearest = nearest_face();
    }
    return nearest;
  }

  struct Face {
    std::array<int, 3> corners;
    Vector3 normal;
    double distance;
  };
  const Face& face(int i) const { return faces_[static_cast<std::size_t>(i)]; }
  const Difference& point(int i) const { return points_[static_cast<std::size_t>(i)]; }

 private:
  static constexpr int most_points = 100, most_faces = 2 * most_points, most_edges = most_faces;

  const Vector3& w(int i) const { return points_[static_cast<std::size_t>(i)].w; }
  Vector3 area() const { return cross(w(1) - w(0), w(2) - w(0)); }
  double volume() const { return std::abs(area().dot(w(3) - w(0))); }
  void add(const Difference& p) { points_[static_cast<std::size_t>(count_++)] = p; }

  /// Adds the better of the two points that support along a line, if it is more than `least` away.
  template <class Measure>
  void farther_of(const Vector3& direction, const Measure& measure, double least) {
    const Difference p = pair_.support(direction), q = pair_.support(-direction);
    const double at_p = measure(p), at_q = measure(q);
    if (std::max(at_p, at_q) > least) add(at_p >= at_q ? p : q);
  }

  bool add_face(int i, int j, int k) {
    const Vector3 n = cross(w(j) - w(i), w(k) - w(i));
    const double length = n.norm();
    if (!(length > 1e-20 * size_ * size_) || face_count_ == most_faces) return false;
    Face& made = faces_[static_cast<std::size_t>(face_count_++)];
    made = {{i, j, k}, n / length, 0.0};
    made.distance = made.normal.dot(w(i));
    return true;
  }

  int nearest_face() const {
    int best = 0;
    for (int i = 1; i < face_count_; ++i)
      if (face(i).distance < face(best).distance) best = i;
    return best;
  }

  /// Replaces the faces that see a point by a cone from their outline to it. False where there is no room or no outline
  /// left by rounding; nothing is changed then.
  bool grow_by(const Difference& next) {
    std::array<std::array<int, 2>, most_edges> outline;
    int edges = 0;
    std::array<bool, most_faces> sees;
    int seeing = 0;
    for (int f = 0; f < face_count_; ++f) {
      const bool seen = face(f).normal.dot(next.w) > face(f).distance + 1e-15 * size_;
      sees[static_cast<std::size_t>(f)] = seen;
      if (!seen) continue;
      ++seeing;
      for (int e = 0; e < 3; ++e) {
        const auto k = static_cast<std::size_t>(e);
        const int from = face(f).corners[k], to = face(f).corners[(k + 1) % 3];
        // an edge between two seen faces comes twice, once each way
        const auto begin = outline.begin(), end = begin + edges;
        const auto back = std::find(begin, end, std::array{to, from});
        if (back != end) {
          *back = outline[static_cast<std::size_t>(--edges)];
        } else {
          if (edges == most_edges) return false;
          outline[static_cast<std::size_t>(edges++)] = {from, to};
        }
      }
    }
    if (seeing == 0 || edges < 3 || face_count_ - seeing + edges > most_faces) return false;
    for (int e = 0; e < edges; ++e) {
      const auto& [from, to] = outline[static_cast<std::size_t>(e)];
      if (!(cross(w(to) - w(from), next.w - w(from)).norm() > 1e-20 * size_ * size_)) return false;
    }
    int kept = 0;
    for (int f = 0; f < face_count_; ++f)
      if (!sees[static_cast<std::size_t>(f)]) faces_[static_cast<std::size_t>(kept++)] = face(f);
    face_count_ = kept;
    add(next);
    for (int e = 0; e < edges; ++e) {
      const auto& [from, to] = outline[static_cast<std::size_t>(e)];
      add_face(from, to, count_ - 1);
    }
    return true;
  }

  const CorePair& pair_;
  double size_;
  int count_ = 0, face_count_ = 0;
  std::array<Difference, most_points> points_;
  std::array<Face, most_faces> faces_;
};

/// The weights with which three points make their plane's nearest point to the origin, at d n.
std::array<double, 3> weights_of(const Vector3& a, const Vector3& b, const Vector3& c,
                                 const Vector3& p, const Vector3& n) {
  const double all = n.dot(cross(b - a, c - a));
  const double u = std::clamp(n.dot(cross(b - p, c - p)) / all, 0.0, 1.0);
  const double v = std::clamp(n.dot(cross(c - p, a - p)) / all, 0.0, 1.0 - u);
  return {u, v, 1.0 - u - v};
}

}  // namespace

void epa(const CorePair& pair, Simplex& simplex, Separation& at) noexcept {
  Polytope polytope(pair, simplex);
  if (!polytope.begin()) {
    // both cores are flat or shorter than rounding: out along the shortest way of the middle
    at.normal = Vector3::UnitZ();
    const Difference reach = pair.support(-at.normal);
    at.gap = at.normal.dot(reach.w) - pair.margins();
    at.on_a = reach.a;
    at.on_b = reach.b;
    simplex.points[0] = reach;
    simplex.size = 1;
    return;
  }
  const bool curved = !pair.a.is_polytope() || !pair.b.is_polytope();
  const auto& face = polytope.face(polytope.expand(curved ? 1e-6 : 1e-14));
  for (std::size_t k = 0; k < 3; ++k) simplex.points[k] = polytope.point(face.corners[k]);
  simplex.size = 3;
  const auto weights = weights_of(simplex[0].w, simplex[1].w, simplex[2].w,
                                  face.distance * face.normal, face.normal);
  at.normal = -face.normal;
  at.gap = -face.distance - pair.margins();
  at.on_a.setZero();
  for (std::size_t k = 0; k < 3; ++k) at.on_a += weights[k] * simplex.points[k].a;
  at.on_b = at.on_a + face.distance * face.normal;
}

}  // namespace ulna::detail
