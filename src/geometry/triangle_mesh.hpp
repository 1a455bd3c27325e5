#pragma once

#include "geometry/collector.hpp"

namespace ulna {

namespace detail {

/// A triangle of a surface, anticlockwise as seen from outside, and the corners beyond its edges: of the triangle across
/// the edge from corner i to the next, the one that is not on the edge.
struct SurfaceTriangle {
  std::array<Vector3, 3> corners, beyond;
  std::array<bool, 3> open;  ///< no triangle is beyond
  std::uint32_t id;
  bool solid;  ///< whatever is behind it is inside, however deep
};

/// Contact points of a surface's triangle with a convex core, both in the frame of the surface; normals point to the core.
void triangle_convex(const SurfaceTriangle& triangle, const Convex& core, const Relative& X_SC,
                     Collector& out);

}  // namespace detail

/// A surface of triangles in a tree of boxes.
class TriangleMesh {
 public:
  explicit TriangleMesh(const Triangles& triangles);

  std::span<const Vec3<double>> vertices() const { return vertices_; }
  int triangle_count() const { return static_cast<int>(faces_.size()); }
  detail::SurfaceTriangle triangle(int i) const;

  /// Calls f with the number of each triangle whose box overlaps.
  template <class F>
  void for_each_in(const Aabb& box, const F& f) const {
    std::array<int, 64> stack;
    std::size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(stack[--depth])];
      if (!node.box.overlaps(box)) continue;
      if (node.count > 0) {
        for (int i = node.first; i < node.first + node.count; ++i) f(i);
      } else {
        stack[depth++] = node.first + 1;
        stack[depth++] = node.first;
      }
    }
  }

 private:
  struct Face {
    std::array<int, 3> corners, beyond;  ///< beyond: -1 where the edge is open
  };
  struct Node {
    Aabb box;
    int first = 0;  ///< its triangles, or the first of its two children
    int count = 0;  ///< 0: it has children
  };
  void weld(const Triangles& triangles);
  void connect();
  void split(int node);

  std::vector<Vec3<double>> vertices_;
  std::vector<Face> faces_;
  std::vector<Node> nodes_;
};

}  // namespace ulna
