#include "ulna/spatial/solid.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/spatial.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/num/pack.hpp"

namespace ulna {
namespace {

using test::expect_close;

using std::numbers::pi;

Mat3<double> diagonal(double x, double y, double z) { return Vec3<double>(x, y, z).asDiagonal(); }

void expect_centred(const Inertia<double>& I, double mass, const Mat3<double>& rotational) {
  EXPECT_NEAR(I.mass(), mass, 1e-14 * mass);
  expect_close(I.first_moment(), Vec3<double>(0, 0, 0), 0.0);
  EXPECT_LE((I.rotational() - rotational).norm(), 1e-14 * rotational.norm());
}

TEST(Solid, box_is_that_of_the_tables) {
  const double a = 0.3, b = 0.2, c = 0.5, m = 6.0;
  const auto box = solid_box(Vec3<double>(a, b, c));
  EXPECT_NEAR(box.volume, a * b * c, 1e-17);
  expect_centred(
      box.with_mass(m), m,
      diagonal(m / 12 * (b * b + c * c), m / 12 * (a * a + c * c), m / 12 * (a * a + b * b)));
}

TEST(Solid, cylinder_is_that_of_the_tables) {
  const double r = 0.2, h = 0.7, m = 3.0;
  const auto cylinder = solid_cylinder(r, h);
  EXPECT_NEAR(cylinder.volume, pi * r * r * h, 1e-16);
  const double across = m / 12 * (3 * r * r + h * h);
  expect_centred(cylinder.with_mass(m), m, diagonal(across, across, m * r * r / 2));
}

TEST(Solid, sphere_is_that_of_the_tables) {
  const double r = 0.35, m = 2.0, i = 0.4 * m * r * r;
  const auto sphere = solid_sphere(r);
  EXPECT_NEAR(sphere.volume, 4.0 / 3.0 * pi * r * r * r, 1e-16);
  expect_centred(sphere.with_mass(m), m, diagonal(i, i, i));
}

TEST(Solid, ellipsoid_is_that_of_the_tables) {
  const double a = 0.1, b = 0.2, c = 0.4, m = 5.0;
  const auto ellipsoid = solid_ellipsoid(Vec3<double>(a, b, c));
  EXPECT_NEAR(ellipsoid.volume, 4.0 / 3.0 * pi * a * b * c, 1e-16);
  expect_centred(
      ellipsoid.with_mass(m), m,
      diagonal(m / 5 * (b * b + c * c), m / 5 * (a * a + c * c), m / 5 * (a * a + b * b)));
}

TEST(Solid, capsule_is_a_cylinder_and_two_half_spheres_put_together) {
  const double r = 0.2, l = 0.6, density = 700.0;
  // a half sphere's centre of mass is at 3/8 r from its flat side; its inertia there by Steiner,
  // twice
  const double half = 0.5 * density * solid_sphere(r).volume;
  const double offset = 0.5 * l + 0.375 * r;
  const double across = 0.4 * half * r * r - half * 0.375 * 0.375 * r * r;
  Inertia<double> sum = solid_cylinder(r, l).with_density(density);
  for (const double side : {1.0, -1.0})
    sum += Inertia<double>::about_com(half, Vec3<double>(0, 0, side * offset),
                                      diagonal(across, across, 0.4 * half * r * r));
  expect_centred(solid_capsule(r, l).with_density(density), sum.mass(), sum.rotational());
}

TEST(Solid, capsule_without_length_is_a_sphere_and_without_ends_nearly_a_cylinder) {
  expect_close(solid_capsule(0.3, 0.0).of_unit_density, solid_sphere(0.3).of_unit_density, 1e-16);
  const Inertia<double> thin = solid_capsule(1e-6, 1.0).with_mass(1.0);
  const Inertia<double> rod = solid_cylinder(1e-6, 1.0).with_mass(1.0);
  expect_close(thin, rod, 1e-6);
}

/// Mass and moments of unit density by slices across z: elliptic discs with half-axes a(z), b(z),
/// summed by Gauss' three-point rule on n intervals.
template <class HalfAxes>
Inertia<double> sum_of_slices(double bottom, double top, int n, HalfAxes half_axes) {
  Inertia<double> sum;
  const double h = (top - bottom) / n;
  for (int i = 0; i < n; ++i)
    for (const auto& [node, weight] : {std::pair{-0.7745966692414834, 5.0 / 18},
                                       {0.0, 8.0 / 18},
                                       {0.7745966692414834, 5.0 / 18}}) {
      const double z = bottom + h * (i + 0.5 + 0.5 * node);
      const auto [a, b] = half_axes(z);
      const double mass = pi * a * b * h * weight;
      const Mat3<double> disc = mass / 4 * diagonal(b * b, a * a, a * a + b * b);
      sum += Inertia<double>::about_com(mass, Vec3<double>(0, 0, z), disc);
    }
  return sum;
}

// the moments of a slice are polynomials of degree 4 in z, for which the rule is exact
TEST(Solid, each_round_body_is_the_sum_of_its_slices) {
  const double r = 0.25, l = 0.8;
  const Inertia<double> cylinder = sum_of_slices(-l / 2, l / 2, 1, [&](double) {
    return std::pair{r, r};
  });
  expect_close(solid_cylinder(r, l).of_unit_density, cylinder, 1e-16);

  const Vec3<double> s(0.2, 0.3, 0.5);
  const Inertia<double> ellipsoid = sum_of_slices(-s.z(), s.z(), 1, [&](double z) {
    const double scale = std::sqrt(1.0 - z * z / (s.z() * s.z()));
    return std::pair{s.x() * scale, s.y() * scale};
  });
  expect_close(solid_ellipsoid(s).of_unit_density, ellipsoid, 1e-16);

  const auto cap = [&](double z) {
    const double beyond = std::abs(z) - l / 2, radius = std::sqrt(r * r - beyond * beyond);
    return std::pair{radius, radius};
  };
  const Inertia<double> capsule = cylinder + sum_of_slices(l / 2, l / 2 + r, 1, cap) +
                                  sum_of_slices(-l / 2 - r, -l / 2, 1, cap);
  expect_close(solid_capsule(r, l).of_unit_density, capsule, 1e-16);
}

TEST(Solid, mass_is_density_times_volume) {
  const Solid<double> solids[] = {solid_box(Vec3<double>(0.1, 0.2, 0.3)), solid_cylinder(0.1, 0.5),
                                  solid_sphere(0.2), solid_ellipsoid(Vec3<double>(0.1, 0.2, 0.3)),
                                  solid_capsule(0.1, 0.4)};
  for (const auto& solid : solids) {
    const Inertia<double> dense = solid.with_density(2700.0);
    EXPECT_NEAR(dense.mass(), 2700.0 * solid.volume, 1e-12);
    expect_close(solid.with_mass(dense.mass()), dense, 1e-14);
    EXPECT_NEAR(solid.with_mass(4.0).mass(), 4.0, 1e-15);
  }
}

// growing a sphere adds its surface: dm/dr = 4 π r², dI/dr = 2/3 r² dm/dr
TEST(Solid, a_sphere_grows_by_its_surface) {
  using D = Dual<double, 1>;
  const double r = 0.7;
  const Inertia<D> I = solid_sphere(D::variable(r, 0)).with_density(D(1.0));
  const double surface = 4.0 * pi * r * r;
  EXPECT_NEAR(I.mass().gradient[0], surface, 1e-14);
  EXPECT_NEAR(I.rotational()(2, 2).gradient[0], 2.0 / 3.0 * r * r * surface, 1e-14);
}

TEST(Solid, four_capsules_of_different_size_are_computed_at_once) {
  using P = Pack<double, 4>;
  P radius, length;
  for (int lane = 0; lane < 4; ++lane)
    radius.set(lane, 0.1 * (lane + 1)), length.set(lane, 0.3 + lane);
  const Inertia<P> I = solid_capsule(radius, length).with_mass(P(2.0));
  for (int lane = 0; lane < 4; ++lane) {
    const Inertia<double> one = solid_capsule(radius[lane], length[lane]).with_mass(2.0);
    for (int i = 0; i < 10; ++i) EXPECT_NEAR(I.parameters()(i)[lane], one.parameters()(i), 1e-14);
  }
}

// Fakhari 2024, the example of a compound body: a cylinder of 2 kg with a prism of 1 kg along x,
// the frame at the centre of the cylinder. Here the cylinder is 0.1 m in radius and 0.3 m high, the
// prism 0.5 m long and 0.06 m by 0.04 m across, starting at the cylinder's surface: its centre is
// at x = 0.35 m.
TEST(Solid, a_compound_body_is_the_sum_of_its_parts_in_one_frame) {
  const double r = 0.1, h = 0.3, length = 0.5, width = 0.06, height = 0.04, d = r + length / 2;
  const Inertia<double> cylinder = solid_cylinder(r, h).with_mass(2.0);
  const Inertia<double> prism = solid_box(Vec3<double>(length, width, height)).with_mass(1.0);
  const Inertia<double> body =
      cylinder + Transform<double>::from_translation(Vec3<double>(d, 0, 0)) * prism;

  // (I) the centre of mass divides the distance in the ratio of the masses
  EXPECT_NEAR(body.mass(), 3.0, 1e-15);
  expect_close(body.com(), Vec3<double>(0.35 / 3.0, 0.0, 0.0), 1e-15);

  // (II) about it, each part's own inertia and its mass times the square of its distance
  const double to_cylinder = 0.35 / 3.0, to_prism = 0.7 / 3.0;
  const double apart = 2.0 * to_cylinder * to_cylinder + 1.0 * to_prism * to_prism;
  EXPECT_NEAR(apart, 2.0 / 3.0 * 0.35 * 0.35, 1e-16);  // the reduced mass at the whole distance
  const double Ixx = 2.0 * (3 * r * r + h * h) / 12 + (width * width + height * height) / 12;
  const double Iyy =
      2.0 * (3 * r * r + h * h) / 12 + (length * length + height * height) / 12 + apart;
  const double Izz = 2.0 * r * r / 2 + (length * length + width * width) / 12 + apart;
  expect_close(body.rotational_about_com(), diagonal(Ixx, Iyy, Izz), 1e-15);
  // with these dimensions, in figures
  expect_close(body.rotational_about_com(),
               diagonal(0.0204333333333333, 0.1226333333333333, 0.1128), 1e-15);

  // seen from the frame {b} at the centre of mass
  const Inertia<double> at_com = Transform<double>::from_translation(-body.com()) * body;
  expect_close(at_com.first_moment(), Vec3<double>(0, 0, 0), 1e-16);
  expect_close(at_com.rotational(), body.rotational_about_com(), 1e-16);
}

}  // namespace
}  // namespace ulna
