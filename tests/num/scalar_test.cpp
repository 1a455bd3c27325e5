#include "ulna/num/scalar.hpp"

#include <gtest/gtest.h>

#include "support/close.hpp"
#include "support/random.hpp"
#include "support/scalars.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::Random;

static_assert(Scalar<double>);
static_assert(Scalar<float>);
static_assert(Scalar<long double>);
static_assert(Scalar<Counted>);
static_assert(Scalar<Pack<double, 4>>);
static_assert(Scalar<Pack<double, 2>>);
static_assert(Scalar<Pack<float, 8>>);
static_assert(Scalar<Dual<double, 1>>);
static_assert(Scalar<Dual<float, 3>>);
static_assert(Scalar<Dual<Dual<double, 2>, 2>>);
static_assert(Scalar<Dual<Pack<double, 4>, 3>>);
static_assert(Scalar<Dual<Dual<Pack<float, 4>, 1>, 1>>);
static_assert(Scalar<Dual<Counted, 2>>);

// an integer, a boolean and a string are no numbers of ours
static_assert(!Scalar<int>);
static_assert(!Scalar<bool>);
static_assert(!Scalar<std::string>);

static_assert(std::same_as<Mask<double>, bool>);
static_assert(std::same_as<Mask<Dual<double, 3>>, bool>);
static_assert(std::same_as<Mask<Pack<double, 4>>, PackMask<double, 4>>);
static_assert(std::same_as<Mask<Dual<Pack<double, 4>, 2>>, PackMask<double, 4>>);

static_assert(std::same_as<Real<float>, float>);
static_assert(std::same_as<Real<Counted>, double>);
static_assert(std::same_as<Real<Dual<Dual<float, 2>, 2>>, float>);
static_assert(std::same_as<Real<Dual<Pack<float, 8>, 2>>, float>);
static_assert(epsilon<Dual<Pack<float, 8>, 2>>() == 0x1p-23);
static_assert(epsilon<Counted>() == 0x1p-52);

template <class T>
class ScalarLaws : public ::testing::Test {};
TYPED_TEST_SUITE(ScalarLaws, test::Scalars, test::ScalarNames);

TYPED_TEST(ScalarLaws, arithmetic_is_that_of_a_field) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const T x = random.scalar<T>(), y = random.scalar<T>(0.5, 2.0), z = random.scalar<T>();
    expect_close(T(x + y), T(y + x), 0.0);
    expect_close(T(x * y), T(y * x), 0.0);
    expect_close(T(x * (y + z)), T(x * y + x * z), 1e-15);
    expect_close(T((x / y) * y), x, 1e-15);
    expect_close(T(x - x), T(0), 0.0);
    expect_close(T(-x + x), T(0), 0.0);
    expect_close(T(y / y), T(1), 1e-15);
  });
}

TYPED_TEST(ScalarLaws, compound_assignment_is_the_operator) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const T x = random.scalar<T>(), y = random.scalar<T>(0.5, 2.0);
    T sum = x, difference = x, product = x, quotient = x;
    sum += y, difference -= y, product *= y, quotient /= y;
    expect_close(sum, T(x + y), 0.0);
    expect_close(difference, T(x - y), 0.0);
    expect_close(product, T(x * y), 0.0);
    expect_close(quotient, T(x / y), 0.0);
  });
}

TYPED_TEST(ScalarLaws, functions_obey_their_identities) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const T x = random.scalar<T>(-1.4, 1.4), p = random.scalar<T>(0.3, 3.0);
    expect_close(T(square(sin(x)) + square(cos(x))), T(1), 1e-15);
    expect_close(T(tan(x) * cos(x)), sin(x), 4e-15);
    expect_close(T(asin(sin(x))), x, 1e-14);
    expect_close(T(acos(cos(p))), p, 1e-14);
    expect_close(T(atan(tan(x))), x, 1e-15);
    expect_close(T(atan2(p * sin(x), p * cos(x))), x, 2e-15);
    expect_close(T(square(sqrt(p))), p, 1e-15);
    expect_close(T(log(exp(x))), x, 1e-15);
    expect_close(T(tanh(x) * (exp(x) + exp(-x))), T(exp(x) - exp(-x)), 2e-15);
    expect_close(T(abs(x) * abs(x)), T(x * x), 1e-15);
  });
}

TYPED_TEST(ScalarLaws, atan2_sees_all_four_quadrants) {
  using T = TypeParam;
  for (const double angle : {-3.0, -2.0, -1.0, -0.1, 0.4, 1.3, 2.2, 3.1})
    expect_close(T(atan2(sin(T(angle)), cos(T(angle)))), T(angle), 1e-15);
}

TYPED_TEST(ScalarLaws, select_takes_the_first_where_the_mask_holds) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const T a = random.scalar<T>(), b = random.scalar<T>();
    expect_close(T(select(T(1) < T(2), a, b)), a, 0.0);
    expect_close(T(select(T(1) > T(2), a, b)), b, 0.0);
    expect_close(T(select(T(1) <= T(1) && T(1) >= T(1), a, b)), a, 0.0);
    expect_close(T(select(T(1) < T(1) || T(1) > T(1), a, b)), b, 0.0);
    expect_close(T(select(!(T(1) == T(1)), a, b)), b, 0.0);
    expect_close(T(select(T(1) != T(2), a, b)), a, 0.0);
  });
}

TYPED_TEST(ScalarLaws, a_nan_in_the_branch_not_taken_does_no_harm) {
  using T = TypeParam;
  const T x(-2.0);
  const T root = select(x > T(0), sqrt(x), T(3));
  const T quotient = select(x == T(0), T(3), T(1) / x);
  const T none = select(T(0) == T(0), T(3), log(T(0)) / T(0));
  EXPECT_TRUE(all(is_finite(root)));
  expect_close(root, T(3), 0.0);
  expect_close(quotient, T(-0.5), 1e-15);
  expect_close(none, T(3), 0.0);
}

TYPED_TEST(ScalarLaws, a_finite_number_is_neither_infinite_nor_nan) {
  using T = TypeParam;
  EXPECT_TRUE(all(is_finite(T(1e30))));
  EXPECT_FALSE(any(is_finite(T(std::numeric_limits<double>::infinity()))));
  EXPECT_FALSE(any(is_finite(T(-std::numeric_limits<double>::infinity()))));
  EXPECT_FALSE(any(is_finite(T(std::numeric_limits<double>::quiet_NaN()))));
}

TYPED_TEST(ScalarLaws, clamp_min_max_and_sign_follow_from_order) {
  using T = TypeParam;
  expect_close(T(min(T(2), T(-3))), T(-3), 0.0);
  expect_close(T(max(T(2), T(-3))), T(2), 0.0);
  expect_close(T(clamp(T(5), T(-1), T(1))), T(1), 0.0);
  expect_close(T(clamp(T(-5), T(-1), T(1))), T(-1), 0.0);
  expect_close(T(clamp(T(0.25), T(-1), T(1))), T(0.25), 0.0);
  expect_close(T(sign(T(7))), T(1), 0.0);
  expect_close(T(sign(T(-7))), T(-1), 0.0);
  expect_close(T(sign(T(0))), T(0), 0.0);
  expect_close(T(with_sign(T(-3), T(2))), T(3), 0.0);
  expect_close(T(with_sign(T(3), T(-2))), T(-3), 0.0);
  expect_close(T(with_sign(T(-3), T(0))), T(3), 0.0);
}

TYPED_TEST(ScalarLaws, eigen_multiplies_matrices_of_it) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    Eigen::Matrix<T, 3, 3> A, B, C;
    for (int i = 0; i < 9; ++i) A(i) = random.scalar<T>(), B(i) = random.scalar<T>();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        C(i, j) = T(0);
        for (int k = 0; k < 3; ++k) C(i, j) += A(i, k) * B(k, j);
      }
    expect_close(Eigen::Matrix<T, 3, 3>(A * B), C, 1e-15);
  });
}

}  // namespace
}  // namespace ulna
