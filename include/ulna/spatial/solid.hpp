#pragma once

#include <array>
#include <numbers>
#include <span>
#include <stdexcept>

#include "ulna/spatial/inertia.hpp"

/// Inertias of solids of uniform density (Fakhari 2024), centred at their own centre of mass:
///
///     Inertia<double> link = solid_cylinder(0.05, 0.4).with_mass(2.0);
///     Inertia<double> plate = solid_box(Vec3<double>(0.3, 0.2, 0.01)).with_density(2700.0);
namespace ulna {

template <Scalar T>
struct Solid {
  T volume{0.0};
  Inertia<T> of_unit_density;

  Inertia<T> with_density(const T& density) const { return density * of_unit_density; }
  Inertia<T> with_mass(const T& mass) const { return T(mass / volume) * of_unit_density; }
};

namespace detail {

/// A solid whose frame is at its centre along its principal axes: volume, and the mean squares of x, y
/// and z.
template <Scalar T>
Solid<T> centred_solid(const T& volume, const Vec3<T>& s) {
  const Vec3<T> moments(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
  const Mat3<T> I = (volume * moments).asDiagonal();
  return {volume, Inertia<T>::about_com(volume, Vec3<T>::Zero(), I)};
}

}  // namespace detail

/// A box with these edges along x, y, z.
template <Scalar T>
Solid<T> solid_box(const Vec3<T>& size) {
  return detail::centred_solid(T(size.prod()), Vec3<T>(size.cwiseProduct(size) / T(12)));
}

/// A cylinder along z.
template <Scalar T>
Solid<T> solid_cylinder(const T& radius, const T& length) {
  const T across = T(0.25) * square(radius);
  return detail::centred_solid(T(T(std::numbers::pi) * square(radius) * length),
                               Vec3<T>(across, across, square(length) / T(12)));
}

/// An ellipsoid with these half-axes along x, y, z.
template <Scalar T>
Solid<T> solid_ellipsoid(const Vec3<T>& semi_axes) {
  return detail::centred_solid(T(T(4 * std::numbers::pi / 3) * semi_axes.prod()),
                               Vec3<T>(semi_axes.cwiseProduct(semi_axes) / T(5)));
}

template <Scalar T>
Solid<T> solid_sphere(const T& radius) {
  return solid_ellipsoid(Vec3<T>(radius, radius, radius));
}

/// A cylinder along z with half a sphere on either end; the length is without the ends.
template <Scalar T>
Solid<T> solid_capsule(const T& radius, const T& length) {
  const Solid<T> cylinder = solid_cylinder(radius, length);
  const Solid<T> sphere = solid_sphere(radius);
  // each half sphere's centre of mass lies 3/8 r beyond the end of the cylinder
  const T shift = T(0.25) * square(length) + T(0.375) * length * radius;
  const Mat3<T> caps = (sphere.volume * Vec3<T>(shift, shift, T(0))).asDiagonal();
  return {cylinder.volume + sphere.volume,
          cylinder.of_unit_density + sphere.of_unit_density +
              Inertia<T>::about_origin(T(0), Vec3<T>::Zero(), caps)};
}

/// Throws std::invalid_argument, naming the edge, unless the triangles close a volume: each edge is
/// shared by two triangles that run along it in opposite directions. Indices must be below `vertices`.
void require_closed_mesh(std::span<const std::array<int, 3>> triangles, int vertices);

/// A closed triangle mesh whose triangles turn counter-clockwise seen from outside: the sum of the
/// tetrahedra that they span with the origin [Mirtich 1996]. Throws std::invalid_argument if the mesh
/// is open or inside out.
template <Scalar T>
Solid<T> solid_mesh(std::span<const Vec3<T>> vertices,
                    std::span<const std::array<int, 3>> triangles) {
  require_closed_mesh(triangles, static_cast<int>(vertices.size()));
  T volume(0);
  Vec3<T> first = Vec3<T>::Zero();
  Mat3<T> second = Mat3<T>::Zero();
  for (const auto& [i, j, k] : triangles) {
    const Vec3<T>&a = vertices[i], &b = vertices[j], &c = vertices[k];
    const T v = a.dot(cross(b, c)) / T(6);
    const Vec3<T> s = a + b + c;
    volume += v;
    first += (T(0.25) * v) * s;
    second += (T(0.05) * v) *
              (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (!all(volume > T(0)))
    throw std::invalid_argument("mesh: inside out, or flat: its volume is not positive");
  Mat4<T> J;
  J << second, first, first.transpose(), volume;
  return {volume, inertia_from_pseudo(J)};
}

}  // namespace ulna
