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
    const int j = turned ? 2 : 1, k = turned ? 1 : 2;
    face_count_ = 4;
    return set_face(0, {0, j, k}, {3, 1, 2}) && set_face(1, {k, j, 3}, {0, 3, 2}) &&
           set_face(2, {0, k, 3}, {0, 1, 3}) && set_face(3, {j, 0, 3}, {0, 2, 1});
  }

  /// Grows until the nearest face is a part of the boundary of B - A; returns that face, of several in one plane the one
  /// that the origin lies above.
  int expand(double tolerance) {
    int nearest = nearest_face();
    while (count_ < most_points) {
      const Difference next = pair_.support(face(nearest).normal);
      if (face(nearest).normal.dot(next.w) - face(nearest).distance <= tolerance * size_) break;
      if (!grow_by(next, nearest)) break;
      nearest = nearest_face();
    }
    const double as_near = face(nearest).distance + 1e-12 * size_;
    const Vector3 n = face(nearest).normal;
    double most = -infinity;
    for (int i = 0; i < face_count_; ++i) {
      if (face(i).gone || face(i).distance > as_near || n.dot(face(i).normal) < 1.0 - 1e-12)
        continue;
      const auto weights = weights_of(i);
      if (const double least = std::min({weights[0], weights[1], weights[2]}); least > most) {
        most = least;
        nearest = i;
      }
    }
    return nearest;
  }

  /// With which weights the corners of a face make the point of its plane that is nearest to the origin.
  std::array<double, 3> weights_of(int i) const {
    const auto& corners = face(i).corners;
    const Vector3 a = w(corners[0]), b = w(corners[1]), c = w(corners[2]), n = face(i).normal;
    const Vector3 p = face(i).distance * n;
    const double all = n.dot(cross(b - a, c - a));
    const double u = n.dot(cross(b - p, c - p)) / all, v = n.dot(cross(c - p, a - p)) / all;
    return {u, v, 1.0 - u - v};
  }

  struct Face {
    std::array<int, 3> corners;
    std::array<int, 3> beyond;  ///< the face across the edge from corner i to the next
    Vector3 normal;
    double distance;
    bool gone;
  };
  const Face& face(int i) const { return faces_[static_cast<std::size_t>(i)]; }
  const Difference& point(int i) const { return points_[static_cast<std::size_t>(i)]; }

 private:
  static constexpr int most_points = 100, most_faces = 2 * most_points + 64, most_edges = 64;

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

  /// Writes a face; false where it has no area.
  bool set_face(int f, const std::array<int, 3>& corners, const std::array<int, 3>& beyond) {
    const auto& [i, j, k] = corners;
    const Vector3 n = cross(w(j) - w(i), w(k) - w(i));
    const double length = n.norm();
    if (!(length > 1e-20 * size_ * size_)) return false;
    Face& made = faces_[static_cast<std::size_t>(f)];
    made = {corners, beyond, n / length, 0.0, false};
    made.distance = made.normal.dot(w(i));
    return true;
  }

  int nearest_face() const {
    int best = -1;
    for (int i = 0; i < face_count_; ++i)
      if (!face(i).gone && (best < 0 || face(i).distance < face(best).distance)) best = i;
    return best;
  }

  struct Edge {
    int from, to, face, beyond;  ///< face: the one that is seen; beyond: the one that stays
  };
  struct Outline {
    std::array<Edge, most_edges> edges;
    std::array<int, most_edges> seen;
    int count = 0, seen_count = 0;
  };

  /// Walks over the faces that see a point, from one that was entered by an edge, and collects their outline in order.
  void see(int f, int entered, const Vector3& point, Outline& outline) {
    Face& here = faces_[static_cast<std::size_t>(f)];
    here.gone = true;
    if (outline.seen_count < most_edges)
      outline.seen[static_cast<std::size_t>(outline.seen_count++)] = f;
    const int edges = entered < 0 ? 3 : 2, first = entered < 0 ? 0 : entered + 1;
    for (int k = 0; k < edges; ++k) {
      const auto side = static_cast<std::size_t>((first + k) % 3);
      const int next = here.beyond[side];
      if (face(next).gone) continue;
      if (face(next).normal.dot(point) > face(next).distance + 1e-14 * size_) {
        const auto& back = face(next).beyond;
        see(next, static_cast<int>(std::find(back.begin(), back.end(), f) - back.begin()), point,
            outline);
      } else if (outline.count < most_edges) {
        outline.edges[static_cast<std::size_t>(outline.count++)] = {
            here.corners[side], here.corners[(side + 1) % 3], f, next};
      }
    }
  }

  /// Replaces the faces that see a point, from the nearest one on, by a cone from their outline to it. False where there
  /// is no room, or where rounding leaves no outline.
  bool grow_by(const Difference& next, int nearest) {
    Outline outline;
    see(nearest, -1, next.w, outline);
    const int count = outline.count;
    bool sound = 3 <= count && count < most_edges && face_count_ + count <= most_faces;
    for (int i = 0; i < count && sound; ++i)
      sound = outline.edges[static_cast<std::size_t>(i)].to ==
              outline.edges[static_cast<std::size_t>((i + 1) % count)].from;
    if (!sound) {
      faces_[static_cast<std::size_t>(nearest)].gone = false;
      return false;
    }
    add(next);
    // new faces take the places of those that are gone, then new ones
    const auto place = [&, behind = face_count_](int i) {
      return i < outline.seen_count ? outline.seen[static_cast<std::size_t>(i)]
                                    : behind + i - outline.seen_count;
    };
    face_count_ += std::max(0, count - outline.seen_count);
    bool whole = true;
    // numbers of new faces are marked until all are in: they may be those of faces that are still looked for
    for (int i = 0; i < count; ++i) {
      const Edge& e = outline.edges[static_cast<std::size_t>(i)];
      auto& back = faces_[static_cast<std::size_t>(e.beyond)].beyond;
      *std::find(back.begin(), back.end(), e.face) = -1 - place(i);
    }
    for (int i = 0; i < count; ++i) {
      const Edge& e = outline.edges[static_cast<std::size_t>(i)];
      for (int& b : faces_[static_cast<std::size_t>(e.beyond)].beyond) b = b < 0 ? -1 - b : b;
      whole &= set_face(place(i), {e.from, e.to, count_ - 1},
                        {e.beyond, place((i + 1) % count), place((i + count - 1) % count)});
    }
    return whole;
  }

  const CorePair& pair_;
  double size_;
  int count_ = 0, face_count_ = 0;
  std::array<Difference, most_points> points_;
  std::array<Face, most_faces> faces_;
};

}  // namespace

void epa(const CorePair& pair, Effort effort, Simplex& simplex, Separation& at) noexcept {
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
  const int found = polytope.expand(!pair.is_curved()         ? 1e-14
                                    : effort == Effort::quick ? 1e-6
                                                              : 1e-11);
  const auto& face = polytope.face(found);
  for (std::size_t k = 0; k < 3; ++k) simplex.points[k] = polytope.point(face.corners[k]);
  simplex.size = 3;
  auto weights = polytope.weights_of(found);
  weights[0] = std::clamp(weights[0], 0.0, 1.0);
  weights[1] = std::clamp(weights[1], 0.0, 1.0 - weights[0]);
  weights[2] = 1.0 - weights[0] - weights[1];
  at.normal = -face.normal;
  at.gap = -face.distance - pair.margins();
  at.on_a.setZero();
  for (std::size_t k = 0; k < 3; ++k) at.on_a += weights[k] * simplex.points[k].a;
  at.on_b = at.on_a + face.distance * face.normal;
}

}  // namespace ulna::detail
