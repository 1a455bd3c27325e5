#include "ulna/spatial/inertia.hpp"

#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/spatial.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::inertia_of;
using test::product;
using test::Random;
using test::random_cloud;
using test::random_inertia;
using test::random_symmetric;
using test::random_twist;
using test::random_vector;
using test::transposed;

template <class T>
class InertiaLaws : public ::testing::Test {};
TYPED_TEST_SUITE(InertiaLaws, test::Scalars, test::ScalarNames);

TYPED_TEST(InertiaLaws, the_matrix_acts_as_the_inertia_does) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto I = random_inertia<T>(random);
    const auto V = random_twist<T>(random);
    expect_close(product(I.matrix(), V.vector()), (I * V).vector(), 8e-15);
    expect_close(I.matrix(), transposed(I.matrix()), 0.0);
  });
}

TYPED_TEST(InertiaLaws, momentum_is_that_of_the_point_masses) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto cloud = random_cloud<T>(random);
    const auto V = random_twist<T>(random);
    Wrench<T> momentum;
    T energy(0);
    for (const auto& [mass, at] : cloud) {
      const Vec3<T> v = V.at(at).linear;
      momentum += Wrench<T>::force_at(Vec3<T>(mass * v), at);
      energy += T(0.5) * mass * v.dot(v);
    }
    const auto I = inertia_of(cloud);
    expect_close(I * V, momentum, 8e-15);
    expect_close(kinetic_energy(I, V), energy, 8e-15);
  });
}

TYPED_TEST(InertiaLaws, the_ten_parameters_are_the_moments_of_the_mass) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto cloud = random_cloud<T>(random);
    typename Inertia<T>::Parameters pi = Inertia<T>::Parameters::Zero();
    for (const auto& [m, r] : cloud) {
      const T x = r.x(), y = r.y(), z = r.z();
      const T moments[10] = {
          T(1), x, y, z, y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y};
      for (int i = 0; i < 10; ++i) pi(i) += m * moments[i];
    }
    expect_close(inertia_of(cloud).parameters(), pi, 4e-15);
    expect_close(Inertia<T>(pi).matrix(), inertia_of(cloud).matrix(), 4e-15);
  });
}

TYPED_TEST(InertiaLaws, an_inertia_about_the_centre_of_mass_is_found_again) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const T mass = random.scalar<T>(0.5, 3.0);
    const Vec3<T> com = random_vector<T>(random);
    const Mat3<T> I_com = random_symmetric<T>(random);
    const auto I = Inertia<T>::about_com(mass, com, I_com);
    expect_close(I.mass(), mass, 0.0);
    expect_close(I.com(), com, 4e-15);
    expect_close(I.rotational_about_com(), I_com, 2e-14);
    expect_close(I.first_moment(), Vec3<T>(mass * com), 0.0);
  });
}

// Steiner: about the origin, each product of inertia changes by m (c'c δ - c_i c_j)
TYPED_TEST(InertiaLaws,
           the_inertia_about_the_origin_exceeds_that_about_the_centre_of_mass_by_steiners_term) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto I = random_inertia<T>(random);
    const Vec3<T> c = I.com();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const T shift = I.mass() * ((i == j ? T(c.dot(c)) : T(0)) - c(i) * c(j));
        expect_close(I.rotational()(i, j), T(I.rotational_about_com()(i, j) + shift), 8e-15);
      }
    // seen from the centre of mass, there is no first moment
    const auto at_com = Transform<T>::from_translation(Vec3<T>(-c)) * I;
    expect_close(at_com.first_moment(), Vec3<T>(Vec3<T>::Zero()), 8e-15);
    expect_close(at_com.rotational(), I.rotational_about_com(), 8e-15);
  });
}

TYPED_TEST(InertiaLaws, inertias_in_one_frame_add_and_subtract) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto A = random_inertia<T>(random), B = random_inertia<T>(random);
    const auto V = random_twist<T>(random);
    expect_close((A + B) * V, A * V + B * V, 1e-14);
    expect_close((A + B) - B, A, 1e-14);
    const T s = random.scalar<T>(0.5, 2.0);
    expect_close((s * A) * V, s * (A * V), 1e-14);
    expect_close(A + Inertia<T>::zero(), A, 0.0);
  });
}

TYPED_TEST(InertiaLaws, what_has_no_mass_has_its_centre_at_the_origin) {
  using T = TypeParam;
  const Inertia<T> nothing;
  expect_close(nothing.com(), Vec3<T>(Vec3<T>::Zero()), 0.0);
  expect_close(nothing.rotational_about_com(), Mat3<T>(Mat3<T>::Zero()), 0.0);
  Random random(1);
  expect_close(nothing * random_twist<T>(random), Wrench<T>::zero(), 0.0);

  // a rotor whose mass is counted elsewhere
  const Mat3<T> I = Vec3<T>(T(1), T(2), T(2.5)).asDiagonal();
  expect_close(Inertia<T>::about_com(T(0), Vec3<T>::Zero(), I).rotational_about_com(), I, 0.0);
}

TEST(Inertia, of_a_point_mass_is_that_of_a_stone_on_a_string) {
  const auto I = Inertia<double>::point_mass(2.0, Vec3<double>(3, 0, 0));
  expect_close(I.rotational(), Mat3<double>(Vec3<double>(0, 18, 18).asDiagonal()), 0.0);
  const Wrench<double> momentum = I * Twist<double>{{0, 0, 1}, {0, 0, 0}};
  expect_close(momentum, Wrench<double>{{0, 0, 18}, {0, 6, 0}}, 0.0);
}

}  // namespace
}  // namespace ulna
