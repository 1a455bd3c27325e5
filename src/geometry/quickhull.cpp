#include "geometry/quickhull.hpp"

#include <algorithm>

namespace ulna::detail {
namespace {

/// Barber, Dobkin, Huhdanpaa 1996, with triangles: as long as a point is above a face, all faces that it is above of are
/// replaced by a cone from their outline to the point.
class Quickhull {
 public:
  Quickhull(std::span<const Vector3> points, double tolerance)
      : points_(points), tolerance_(tolerance) {}

  bool run() {
    if (!begin()) return false;
    for (int next = 0; next < size(faces_); ++next)  // faces are added while this runs
      while (!face(next).gone && !face(next).above.empty())
        if (!add_point(next)) return false;
    return true;
  }

  std::vector<std::array<int, 3>> triangles() const {
    std::vector<std::array<int, 3>> out;
    for (const Face& f : faces_)
      if (!f.gone) out.push_back(f.corners);
    return out;
  }

 private:
  struct Face {
    std::array<int, 3> corners;
    std::array<int, 3> beyond;  ///< the face across the edge from corner i to the next
    Vector3 normal;
    double offset;
    std::vector<int> above;  ///< points above this face; the farthest comes first
    bool gone = false;
  };
  struct Edge {
    int from, to, beyond;  ///< beyond: the face that stays
  };

  template <class T>
  static int size(const std::vector<T>& v) {
    return static_cast<int>(v.size());
  }
  Face& face(int i) { return faces_[static_cast<std::size_t>(i)]; }
  const Vector3& at(int point) const { return points_[static_cast<std::size_t>(point)]; }
  double height(const Face& f, int point) const { return f.normal.dot(at(point)) - f.offset; }

  /// The point with the largest measure, or -1 if that is within the tolerance.
  template <class Measure>
  int farthest(const Measure& measure) const {
    int best = -1;
    double most = tolerance_;
    for (int i = 0; i < static_cast<int>(points_.size()); ++i)
      if (const double m = measure(at(i)); m > most) {
        most = m;
        best = i;
      }
    return best;
  }

  /// A tetrahedron of points that are far from each other.
  bool begin() {
    if (points_.empty()) return false;
    const int a = 0;
    const int b = farthest([&](const Vector3& p) { return (p - at(a)).norm(); });
    if (b < 0) return false;
    const Vector3 along = (at(b) - at(a)).normalized();
    const int c = farthest([&](const Vector3& p) { return cross(p - at(a), along).norm(); });
    if (c < 0) return false;
    const Vector3 up = cross(along, at(c) - at(a)).normalized();
    const int d = farthest([&](const Vector3& p) { return std::abs(up.dot(p - at(a))); });
    if (d < 0) return false;
    const bool above = up.dot(at(d) - at(a)) > 0.0;
    const int i = above ? b : a, j = above ? a : b;  // d is below the face i j c
    faces_ = {make(i, j, c), make(j, i, d), make(c, j, d), make(i, c, d)};
    face(0).beyond = {1, 2, 3};
    face(1).beyond = {0, 3, 2};
    face(2).beyond = {0, 1, 3};
    face(3).beyond = {0, 2, 1};
    std::vector<int> all(points_.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    assign(all, 0);
    return true;
  }

  Face make(int a, int b, int c) const {
    const Vector3 n = cross(at(b) - at(a), at(c) - at(a));
    const double length = n.norm();
    Face made{
        {a, b, c}, {-1, -1, -1}, length > 0.0 ? Vector3(n / length) : Vector3::Zero(), 0.0, {}};
    made.offset = made.normal.dot((at(a) + at(b) + at(c)) / 3.0);
    return made;
  }

  /// Gives each point to the face from `first` on that it is farthest above of.
  void assign(const std::vector<int>& points, int first) {
    for (const int p : points) {
      double most = tolerance_;
      int best = -1;
      for (int f = first; f < size(faces_); ++f)
        if (const double h = height(face(f), p); h > most) {
          most = h;
          best = f;
        }
      if (best < 0) continue;
      auto& list = face(best).above;
      list.push_back(p);
      if (height(face(best), list.front()) < most) std::swap(list.front(), list.back());
    }
  }

  /// Walks over the faces that see the point, from the one that was entered by an edge; collects their outline in order.
  void see(int f, int entered, int point, std::vector<Edge>& outline, std::vector<int>& orphans) {
    face(f).gone = true;
    orphans.insert(orphans.end(), face(f).above.begin(), face(f).above.end());
    face(f).above.clear();
    const int edges = entered < 0 ? 3 : 2, first = entered < 0 ? 0 : entered + 1;
    for (int k = 0; k < edges; ++k) {
      const auto side = static_cast<std::size_t>((first + k) % 3);
      const int beyond = face(f).beyond[side];
      if (face(beyond).gone) continue;
      if (height(face(beyond), point) > tolerance_) {
        const auto& back = face(beyond).beyond;
        see(beyond, static_cast<int>(std::find(back.begin(), back.end(), f) - back.begin()), point,
            outline, orphans);
      } else {
        outline.push_back({face(f).corners[side], face(f).corners[(side + 1) % 3], beyond});
      }
    }
  }

  bool add_point(int from) {
    const int point = face(from).above.front();
    std::vector<Edge> outline;
    std::vector<int> orphans;
    see(from, -1, point, outline, orphans);
    const int first = size(faces_), count = size(outline);
    if (count < 3) return false;
    for (int i = 0; i < count; ++i) {
      const Edge& e = outline[static_cast<std::size_t>(i)];
      const Edge& next = outline[static_cast<std::size_t>((i + 1) % count)];
      if (e.to != next.from) return false;  // torn by rounding
      faces_.push_back(make(e.from, e.to, point));
      faces_.back().beyond = {e.beyond, first + (i + 1) % count, first + (i + count - 1) % count};
      auto& other = face(e.beyond);
      for (std::size_t k = 0; k < 3; ++k)
        if (other.corners[k] == e.to && other.corners[(k + 1) % 3] == e.from)
          other.beyond[k] = first + i;
    }
    std::erase(orphans, point);
    assign(orphans, first);
    return true;
  }

  std::span<const Vector3> points_;
  double tolerance_;
  std::vector<Face> faces_;
};

}  // namespace

std::vector<std::array<int, 3>> quickhull(std::span<const Vector3> points, double tolerance) {
  Quickhull hull(points, tolerance);
  if (!hull.run()) return {};
  return hull.triangles();
}

}  // namespace ulna::detail
