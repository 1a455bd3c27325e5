#include "ulna/spatial/vector.hpp"

#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/spatial.hpp"

namespace ulna {
namespace {

using test::all_finite;
using test::expect_close;
using test::for_each_seed;
using test::Random;
using test::random_vector;

template <class T>
class VectorLaws : public ::testing::Test {};
TYPED_TEST_SUITE(VectorLaws, test::Scalars, test::ScalarNames);

TYPED_TEST(VectorLaws, unit_vectors_multiply_in_a_circle) {
  using V = Vec3<TypeParam>;
  const V x = V::UnitX(), y = V::UnitY(), z = V::UnitZ();
  expect_close(cross(x, y), z, 0.0);
  expect_close(cross(y, z), x, 0.0);
  expect_close(cross(z, x), y, 0.0);
}

TYPED_TEST(VectorLaws, the_cross_product_is_perpendicular_to_both) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> a = random_vector<T>(random), b = random_vector<T>(random);
    const Vec3<T> c = cross(a, b);
    expect_close(T(c.dot(a)), T(0), 1e-15);
    expect_close(T(c.dot(b)), T(0), 1e-15);
    // Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a.b)^2
    expect_close(T(c.dot(c)), T(a.dot(a) * b.dot(b) - square(T(a.dot(b)))), 4e-15);
  });
}

TYPED_TEST(VectorLaws, the_skew_matrix_multiplies_like_the_cross_product) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> a = random_vector<T>(random), b = random_vector<T>(random);
    expect_close(Vec3<T>(skew(a) * b), cross(a, b), 1e-15);
    expect_close(Mat3<T>(skew(a).transpose()), Mat3<T>(-skew(a)), 0.0);
    expect_close(unskew(skew(a)), a, 0.0);
  });
}

// Cărămizaru 2023, line 257 misprints it as [a][b] = [a x b]
TYPED_TEST(VectorLaws, the_skew_matrix_of_a_cross_product_is_the_commutator) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> a = random_vector<T>(random), b = random_vector<T>(random);
    const Mat3<T> commutator = skew(a) * skew(b) - skew(b) * skew(a);
    expect_close(skew(cross(a, b)), commutator, 1e-15);
  });
}

TYPED_TEST(VectorLaws, cross_products_obey_jacobis_identity) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> a = random_vector<T>(random), b = random_vector<T>(random),
                  c = random_vector<T>(random);
    const Vec3<T> sum = cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b));
    expect_close(sum, Vec3<T>(Vec3<T>::Zero()), 2e-15);
  });
}

TYPED_TEST(VectorLaws, a_vector_is_its_length_times_its_direction) {
  using T = TypeParam;
  const Vec3<T> x = Vec3<T>::UnitX();
  for_each_seed([&](Random& random) {
    const Vec3<T> a = random_vector<T>(random);
    const Vec3<T> d = direction_of(a, x);
    expect_close(T(d.dot(d)), T(1), 2e-15);
    expect_close(Vec3<T>(length_of(a) * d), a, 4e-15);
  });
}

TYPED_TEST(VectorLaws, no_vector_has_the_fallback_for_direction_and_no_length) {
  using T = TypeParam;
  const Vec3<T> zero = Vec3<T>::Zero(), x = Vec3<T>::UnitX();
  expect_close(direction_of(zero, x), x, 0.0);
  expect_close(length_of(zero), T(0), 0.0);
}

TEST(Vector, the_length_of_no_vector_has_the_derivative_zero) {
  using D = Dual<double, 3>;
  const Vec3<D> a(D::variable(0.0, 0), D::variable(0.0, 1), D::variable(0.0, 2));
  EXPECT_TRUE(all_finite(length_of(a)));
  expect_close(length_of(a), D(0.0), 0.0);
  EXPECT_TRUE(all_finite(direction_of(a, Vec3<D>(Vec3<D>::UnitX()))));
}

TEST(Vector, the_length_of_a_vector_grows_along_its_direction) {
  using D = Dual<double, 3>;
  const Vec3<D> a(D::variable(2.0, 0), D::variable(-3.0, 1), D::variable(6.0, 2));
  const D length = length_of(a);
  EXPECT_NEAR(length.value, 7.0, 1e-15);
  EXPECT_NEAR(length.gradient[0], 2.0 / 7.0, 1e-16);
  EXPECT_NEAR(length.gradient[1], -3.0 / 7.0, 1e-16);
  EXPECT_NEAR(length.gradient[2], 6.0 / 7.0, 2e-16);
}

TEST(Vector, select_chooses_a_vector_in_each_lane) {
  using P = Pack<double, 4>;
  P x;
  for (int lane = 0; lane < 4; ++lane) x.set(lane, lane - 1.5);
  const Vec3<P> chosen = select(x < P(0), Vec3<P>(P(1), P(2), P(3)), Vec3<P>(P(4), P(5), P(6)));
  for (int lane = 0; lane < 4; ++lane)
    for (int i = 0; i < 3; ++i) EXPECT_EQ(chosen(i)[lane], lane < 2 ? i + 1 : i + 4);
}

}  // namespace
}  // namespace ulna
