#include "geometry/triangle_mesh.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ulna {

TriangleMesh::TriangleMesh(const Triangles& triangles) {
  weld(triangles);
  if (faces_.empty()) throw std::invalid_argument("mesh: no triangle with an area");
  nodes_.push_back({{}, 0, static_cast<int>(faces_.size())});
  split(0);
  connect();
}

/// One vertex for each place; triangles without an area are left out.
void TriangleMesh::weld(const Triangles& triangles) {
  const auto& from = triangles.vertices;
  const auto before = [&](int a, int b) {
    const Vec3<double>&p = from[static_cast<std::size_t>(a)],
          &q = from[static_cast<std::size_t>(b)];
    return std::lexicographical_compare(p.begin(), p.end(), q.begin(), q.end());
  };
  std::vector<int> order(from.size()), number(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    order[i] = static_cast<int>(i);
    if (!from[i].allFinite()) throw std::invalid_argument("mesh: a vertex is not a finite number");
  }
  std::sort(order.begin(), order.end(), before);
  for (const int i : order) {
    const Vec3<double>& at = from[static_cast<std::size_t>(i)];
    if (vertices_.empty() || at != vertices_.back()) vertices_.push_back(at);
    number[static_cast<std::size_t>(i)] = static_cast<int>(vertices_.size()) - 1;
  }
  for (const auto& face : triangles.faces) {
    Face made{{}, {-1, -1, -1}};
    std::array<Vec3<double>, 3> at;
    for (std::size_t k = 0; k < 3; ++k) {
      if (face[k] < 0 || static_cast<std::size_t>(face[k]) >= from.size())
        throw std::invalid_argument("mesh: a triangle has corner " + std::to_string(face[k]) +
                                    " of " + std::to_string(from.size()));
      made.corners[k] = number[static_cast<std::size_t>(face[k])];
      at[k] = from[static_cast<std::size_t>(face[k])];
    }
    const Vec3<double> ab = at[1] - at[0], ac = at[2] - at[0];
    const double longest = std::max(ab.squaredNorm(), ac.squaredNorm());
    if (cross(ab, ac).norm() > 1e-12 * longest) faces_.push_back(made);
  }
}

/// Finds what is beyond each edge.
void TriangleMesh::connect() {
  struct Edge {
    int from, to, face;
    std::size_t side;
  };
  std::vector<Edge> edges;
  for (std::size_t f = 0; f < faces_.size(); ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& c = faces_[f].corners;
      edges.push_back(
          {std::min(c[k], c[(k + 1) % 3]), std::max(c[k], c[(k + 1) % 3]), static_cast<int>(f), k});
    }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  const auto opposite = [&](const Edge& e) {
    return faces_[static_cast<std::size_t>(e.face)].corners[(e.side + 2) % 3];
  };
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const Edge &a = edges[i], &b = edges[i + 1];
    if (a.from != b.from || a.to != b.to) continue;
    faces_[static_cast<std::size_t>(a.face)].beyond[a.side] = opposite(b);
    faces_[static_cast<std::size_t>(b.face)].beyond[b.side] = opposite(a);
    ++i;
  }
}

/// Halves a node along its longest side until it has few triangles.
void TriangleMesh::split(int node) {
  const auto at = [&](int vertex) { return vertices_[static_cast<std::size_t>(vertex)]; };
  const int first = nodes_[static_cast<std::size_t>(node)].first,
            count = nodes_[static_cast<std::size_t>(node)].count;
  const auto begin = faces_.begin() + first;
  Aabb box;
  for (auto f = begin; f < begin + count; ++f)
    for (const int v : f->corners) box.include(at(v));
  nodes_[static_cast<std::size_t>(node)].box = box;
  constexpr int few = 4;
  if (count <= few) return;
  int axis = 0;
  (box.upper - box.lower).maxCoeff(&axis);
  const auto middle = [&](const Face& f) {
    return at(f.corners[0])(axis) + at(f.corners[1])(axis) + at(f.corners[2])(axis);
  };
  const int half = count / 2;
  std::nth_element(begin, begin + half, begin + count, [&](const Face& a, const Face& b) {
    const double x = middle(a), y = middle(b);
    return x != y ? x < y : a.corners < b.corners;
  });
  const int children = static_cast<int>(nodes_.size());
  nodes_[static_cast<std::size_t>(node)].first = children;
  nodes_[static_cast<std::size_t>(node)].count = 0;
  nodes_.push_back({{}, first, half});
  nodes_.push_back({{}, first + half, count - half});
  split(children);
  split(children + 1);
}

detail::SurfaceTriangle TriangleMesh::triangle(int i) const {
  const Face& face = faces_[static_cast<std::size_t>(i)];
  detail::SurfaceTriangle made;
  made.id = static_cast<std::uint32_t>(i);
  made.solid = false;
  for (std::size_t k = 0; k < 3; ++k) {
    made.corners[k] = vertices_[static_cast<std::size_t>(face.corners[k])];
    made.open[k] = face.beyond[k] < 0;
    made.beyond[k] = made.open[k] ? Vec3<double>(Vec3<double>::Zero())
                                  : vertices_[static_cast<std::size_t>(face.beyond[k])];
  }
  return made;
}

}  // namespace ulna
