#include "ulna/geometry/convex_hull.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "geometry/quickhull.hpp"

namespace ulna {
namespace {

using Triangle = std::array<int, 3>;

struct Hull {
  std::vector<Vec3<double>> vertices;
  std::vector<Triangle> triangles;
};

/// The hull's triangles, with a coarser tolerance where rounding tears its surface, and the vertices that they use.
Hull triangulated(std::span<const Vec3<double>> points, double tolerance) {
  Aabb box;
  for (const Vec3<double>& p : points) {
    if (!p.allFinite()) throw std::invalid_argument("hull: a point is not a finite number");
    box.include(p);
  }
  const double extent = points.empty() ? 0.0 : (box.upper - box.lower).maxCoeff();
  Hull made;
  for (double t = tolerance; made.triangles.empty() && t <= 1e-5 && extent > 0.0; t *= 10.0)
    made.triangles = detail::quickhull(points, t * extent);
  if (made.triangles.empty())
    throw std::invalid_argument("hull: the points lie in one plane; give it a thickness");
  std::vector<int> number(points.size(), -1);
  for (Triangle& triangle : made.triangles)
    for (int& corner : triangle) {
      int& n = number[static_cast<std::size_t>(corner)];
      if (n < 0) {
        n = static_cast<int>(made.vertices.size());
        made.vertices.push_back(points[static_cast<std::size_t>(corner)]);
      }
      corner = n;
    }
  return made;
}

using EdgeMap = std::map<std::array<int, 2>, int>;  ///< from the edge to its triangle

EdgeMap edges_of(const std::vector<Triangle>& triangles) {
  EdgeMap edges;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      edges[{triangles[t][k], triangles[t][(k + 1) % 3]}] = static_cast<int>(t);
  return edges;
}

/// Triangles that lie in one plane, beginning with the largest: for each, the number of its face.
std::vector<int> coplanar(const Hull& hull, const EdgeMap& edges, double tolerance) {
  const auto at = [&](int v) { return hull.vertices[static_cast<std::size_t>(v)]; };
  const auto area = [&](const Triangle& t) {
    return Vec3<double>(cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])));
  };
  const auto is_thin = [&](const Triangle& t) {
    const double longest = std::max(
        {(at(t[1]) - at(t[0])).norm(), (at(t[2]) - at(t[1])).norm(), (at(t[0]) - at(t[2])).norm()});
    return area(t).norm() < tolerance * longest;
  };
  std::vector<int> order(hull.triangles.size()), face(hull.triangles.size(), -1);
  std::vector<double> areas(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int>(i);
    areas[i] = area(hull.triangles[i]).squaredNorm();
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return areas[static_cast<std::size_t>(a)] > areas[static_cast<std::size_t>(b)];
  });
  int count = 0;
  for (const int seed : order) {
    if (face[static_cast<std::size_t>(seed)] >= 0) continue;
    const Triangle& first = hull.triangles[static_cast<std::size_t>(seed)];
    const Vec3<double> n = area(first).normalized();
    std::vector<int> todo = {seed};
    face[static_cast<std::size_t>(seed)] = count;
    while (!todo.empty()) {
      const Triangle t = hull.triangles[static_cast<std::size_t>(todo.back())];
      todo.pop_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const auto across = static_cast<std::size_t>(edges.at({t[(k + 1) % 3], t[k]}));
        const Triangle& other = hull.triangles[across];
        const bool flat = std::all_of(other.begin(), other.end(), [&](int v) {
          return std::abs(n.dot(at(v) - at(first[0]))) < tolerance;
        });
        if (face[across] >= 0 || !flat) continue;
        // a thin triangle along an edge may look anywhere
        if (area(other).dot(n) < 0.0 && !is_thin(other)) continue;
        face[across] = count;
        todo.push_back(static_cast<int>(across));
      }
    }
    ++count;
  }
  return face;
}

/// The outline of the triangles of one face; empty if it is not one loop.
std::vector<int> outline(const std::vector<Triangle>& triangles) {
  std::map<int, int> next;
  const EdgeMap edges = edges_of(triangles);
  for (const auto& [edge, triangle] : edges)
    if (!edges.contains({edge[1], edge[0]}) && !next.emplace(edge[0], edge[1]).second) return {};
  std::vector<int> loop;
  for (int at = next.begin()->first; loop.size() < next.size();) {
    loop.push_back(at);
    const auto step = next.find(at);
    if (step == next.end()) return {};
    at = step->second;
    if (at == loop.front()) break;
  }
  return loop.size() == next.size() ? loop : std::vector<int>{};
}

/// Lists of lists in one vector: where each begins, and all elements.
void pack(const std::vector<std::vector<int>>& lists, std::vector<int>& all,
          std::vector<int>& first) {
  first.assign(1, 0);
  for (const auto& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    first.push_back(static_cast<int>(all.size()));
  }
}

}  // namespace

ConvexHull::ConvexHull(std::span<const Vec3<double>> points, double tolerance) {
  Hull hull = triangulated(points, tolerance);
  const EdgeMap edges = edges_of(hull.triangles);
  Aabb box;
  for (const Vec3<double>& v : hull.vertices) box.include(v);
  // coordinates in files have 24 bits: faces that are flat but for their rounding are taken for flat
  const double largest = box.upper.cwiseMax(-box.lower).maxCoeff();
  const std::vector<int> face_of = coplanar(hull, edges, 0x1p-21 * largest);
  const int faces = 1 + *std::max_element(face_of.begin(), face_of.end());
  std::vector<std::vector<Triangle>> parts(static_cast<std::size_t>(faces));
  for (std::size_t t = 0; t < face_of.size(); ++t)
    parts[static_cast<std::size_t>(face_of[t])].push_back(hull.triangles[t]);
  std::vector<std::vector<int>> loops, around(hull.vertices.size()), beside(hull.vertices.size());
  for (const auto& part : parts) {
    if (auto loop = outline(part); loop.size() >= 3) {
      loops.push_back(std::move(loop));
    } else {
      for (const Triangle& t : part) loops.emplace_back(t.begin(), t.end());
    }
  }
  for (const auto& [edge, triangle] : edges)
    beside[static_cast<std::size_t>(edge[0])].push_back(edge[1]);
  vertices_ = std::move(hull.vertices);
  const Vec3<double> middle = 0.5 * (box.lower + box.upper);
  for (const auto& loop : loops) {
    const auto at = [&](std::size_t i) { return vertices_[static_cast<std::size_t>(loop[i])]; };
    Vec3<double> area = Vec3<double>::Zero();
    for (std::size_t i = 2; i < loop.size(); ++i) area += cross(at(i - 1) - at(0), at(i) - at(0));
    const Vec3<double> n = area.normalized();
    for (const int v : loop)
      around[static_cast<std::size_t>(v)].push_back(static_cast<int>(normals_.size()));
    normals_.push_back(n);
  }
  pack(beside, neighbours_, first_neighbour_);
  for (const Vec3<double>& n : normals_)
    offsets_.push_back(n.dot(vertices_[static_cast<std::size_t>(support(n))]));
  for (const Triangle& t : hull.triangles) {
    const auto at = [&](std::size_t k) -> Vec3<double> {
      return vertices_[static_cast<std::size_t>(t[k])] - middle;
    };
    volume_ += at(0).dot(cross(at(1), at(2))) / 6.0;
  }
  // a vertex inside of a face or of an edge belongs to the faces of its triangles
  for (std::size_t t = 0; t < face_of.size(); ++t)
    for (const int v : hull.triangles[t])
      if (auto& list = around[static_cast<std::size_t>(v)]; list.empty())
        list.push_back(std::min(face_of[t], static_cast<int>(normals_.size()) - 1));
  pack(loops, corners_, first_corner_);
  pack(around, faces_, first_face_);
}

int ConvexHull::support(const Vec3<double>& direction) const noexcept {
  const auto along = [&](int v) { return vertices_[static_cast<std::size_t>(v)].dot(direction); };
  const int count = static_cast<int>(vertices_.size());
  constexpr int few = 32;
  int best = 0;
  double most = along(0);
  if (count <= few) {
    for (int v = 1; v < count; ++v)
      if (const double a = along(v); a > most) {
        most = a;
        best = v;
      }
    return best;
  }
  // from vertex to vertex uphill: a convex body has one top
  for (bool moved = true; moved;) {
    moved = false;
    for (const int v : neighbours(best))
      if (const double a = along(v); a > most) {
        most = a;
        best = v;
        moved = true;
        break;
      }
  }
  return best;
}

}  // namespace ulna
