#pragma once

#include <span>
#include <vector>

#include "ulna/geometry/shape.hpp"

namespace ulna {

/// The smallest convex body around points: vertices, and faces that may have more than three corners. Immutable.
class ConvexHull {
 public:
  /// By quickhull (Barber, Dobkin, Huhdanpaa 1996). Points within `tolerance` of the largest extent of a face do
  /// not change it. Throws std::invalid_argument where points are not finite or lie in one plane.
  explicit ConvexHull(std::span<const Vec3<double>> points, double tolerance = 1e-10);

  std::span<const Vec3<double>> vertices() const { return vertices_; }
  int face_count() const { return static_cast<int>(normals_.size()); }
  /// Corners of a face, anticlockwise as seen from outside; numbers of vertices.
  std::span<const int> face(int i) const { return slice(corners_, first_corner_, i); }
  const Vec3<double>& normal(int face) const { return normals_[static_cast<std::size_t>(face)]; }
  double offset(int face) const { return offsets_[static_cast<std::size_t>(face)]; }
  std::span<const int> faces_of(int vertex) const { return slice(faces_, first_face_, vertex); }
  std::span<const int> neighbours(int vertex) const {
    return slice(neighbours_, first_neighbour_, vertex);
  }
  double volume() const { return volume_; }

  /// The number of the vertex that is farthest along a direction.
  int support(const Vec3<double>& direction) const noexcept;

 private:
  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, const std::vector<int>& first, int i) {
    const auto k = static_cast<std::size_t>(i);
    return std::span(all).subspan(static_cast<std::size_t>(first[k]),
                                  static_cast<std::size_t>(first[k + 1] - first[k]));
  }
  void connect();

  std::vector<Vec3<double>> vertices_, normals_;
  std::vector<double> offsets_;
  std::vector<int> corners_, first_corner_;        ///< of each face
  std::vector<int> faces_, first_face_;            ///< of each vertex
  std::vector<int> neighbours_, first_neighbour_;  ///< of each vertex
  double volume_ = 0.0;
};

}  // namespace ulna
