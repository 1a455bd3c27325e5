#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "ulna/spatial/vector.hpp"

namespace ulna::test {

template <class T>
struct Mesh {
  std::vector<Vec3<T>> vertices;
  std::vector<std::array<int, 3>> triangles;
};

/// A box of 12 triangles around the origin.
template <class T>
Mesh<T> box_mesh(const Vec3<T>& size) {
  Mesh<T> mesh;
  for (int k = 0; k < 8; ++k)  // bit 0: x, bit 1: y, bit 2: z
    mesh.vertices.push_back({size.x() * T(k & 1 ? 0.5 : -0.5), size.y() * T(k & 2 ? 0.5 : -0.5),
                             size.z() * T(k & 4 ? 0.5 : -0.5)});
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// A body of revolution about z: rings of n vertices at these (radius, height), from the bottom up,
/// closed by a vertex at either end.
inline Mesh<double> revolved_mesh(const std::vector<std::array<double, 2>>& rings, double bottom,
                                  double top, int n) {
  Mesh<double> mesh;
  for (const auto& [radius, height] : rings)
    for (int j = 0; j < n; ++j) {
      const double angle = 2.0 * 3.14159265358979323846 * j / n;
      mesh.vertices.push_back({radius * std::cos(angle), radius * std::sin(angle), height});
    }
  const int count = static_cast<int>(rings.size()), low = count * n, high = low + 1;
  mesh.vertices.push_back({0.0, 0.0, bottom});
  mesh.vertices.push_back({0.0, 0.0, top});
  for (int j = 0; j < n; ++j) {
    const int next = (j + 1) % n;
    mesh.triangles.push_back({low, next, j});
    mesh.triangles.push_back({high, (count - 1) * n + j, (count - 1) * n + next});
    for (int i = 0; i + 1 < count; ++i) {
      const int a = i * n + j, b = i * n + next, c = (i + 1) * n + next, d = (i + 1) * n + j;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

/// A capsule along z (a sphere if the length is zero), its vertices on the surface, n around and
/// n/2 from end to end.
inline Mesh<double> capsule_mesh(double radius, double length, int n) {
  std::vector<std::array<double, 2>> rings;
  const int quarter = n / 4;
  for (int i = 1; i < 2 * quarter; ++i) {
    const double latitude = 1.57079632679489662 * (i - quarter) / quarter;
    const double r = radius * std::cos(latitude), z = radius * std::sin(latitude);
    if (i <= quarter) rings.push_back({r, z - 0.5 * length});
    if (i > quarter || (i == quarter && length > 0.0)) rings.push_back({r, z + 0.5 * length});
  }
  return revolved_mesh(rings, -radius - 0.5 * length, radius + 0.5 * length, n);
}

}  // namespace ulna::test
