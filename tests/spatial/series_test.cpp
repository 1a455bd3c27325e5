#include "ulna/spatial/series.hpp"

#include <gtest/gtest.h>

#include "support/close.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/num/pack.hpp"

namespace ulna {
namespace {

using detail::angle_minus_sin_over;
using detail::atan_over;
using detail::inverse_g_coefficient;
using detail::one_minus_cos_over;
using detail::sin_over;

using Long = long double;

/// The sum of (-1)^k x^k / (2k + first)!, which is sin(θ)/θ for first = 1, (1 - cos(θ))/θ² for 2
/// and (θ - sin(θ))/θ³ for 3.
Long alternating_series(Long x, int first) {
  Long term = 1, sum = 0;
  for (int i = 2; i <= first; ++i) term /= i;
  for (int k = 0; k < 60; ++k) {
    sum += term;
    term *= -x / ((2 * k + first + 1) * (2 * k + first + 2));
  }
  return sum;
}

double exact_sin_over(double x) { return static_cast<double>(alternating_series(x, 1)); }
double exact_one_minus_cos_over(double x) { return static_cast<double>(alternating_series(x, 2)); }
double exact_angle_minus_sin_over(double x) {
  return static_cast<double>(alternating_series(x, 3));
}

/// (1 - θ/2 cot(θ/2)) / θ², where cot(θ/2) = sin(θ) / (1 - cos(θ)), without dividing by θ.
double exact_inverse_g(double x) {
  const Long two_b = 2 * alternating_series(x, 2);
  return static_cast<double>((alternating_series(x, 3) - 2 * alternating_series(x, 4)) / two_b);
}

// below the threshold of the series, at it, on both sides of it, and up to a whole turn
const double squared_angles[] = {0.0,    1e-300,
                                 1e-30,  1e-16,
                                 1e-8,   1e-4,
                                 0.01,   0.1,
                                 0.2499, 0.2499999999999999,
                                 0.25,   0.2500000000000001,
                                 0.2501, 0.5,
                                 1.0,    2.0,
                                 4.0,    9.0,
                                 9.8,    9.869604401089358,
                                 12.0,   25.0,
                                 39.0};

void expect_relative(double actual, double expected, double tolerance, double at) {
  EXPECT_NEAR(actual, expected, tolerance * std::abs(expected)) << "at theta^2 = " << at;
}

TEST(Series, sin_over_is_exact_to_rounding) {
  for (const double x : squared_angles)
    EXPECT_NEAR(sin_over(x), exact_sin_over(x), 4e-16) << "at theta^2 = " << x;
}

TEST(Series, one_minus_cos_over_is_exact_to_rounding) {
  for (const double x : squared_angles)
    EXPECT_NEAR(one_minus_cos_over(x), exact_one_minus_cos_over(x), 4e-16) << "at theta^2 = " << x;
}

// just above the threshold, theta - sin(theta) cancels 24-fold
TEST(Series, angle_minus_sin_over_keeps_14_digits) {
  for (const double x : squared_angles)
    expect_relative(angle_minus_sin_over(x), exact_angle_minus_sin_over(x), 8e-15, x);
}

TEST(Series, inverse_g_coefficient_keeps_14_digits) {
  for (const double x : squared_angles)
    if (x < 30.0) expect_relative(inverse_g_coefficient(x), exact_inverse_g(x), 1.2e-14, x);
}

TEST(Series, atan_over_is_exact_to_rounding) {
  EXPECT_EQ(atan_over(0.0), 1.0);
  for (const double z : {1e-300, 1e-12, 1e-4, 0.005, 0.00999999, 0.01, 0.0100001, 0.1, 1.0}) {
    const double y = std::sqrt(z);
    expect_relative(atan_over(z), std::atan(y) / y, 4e-16, z);
  }
}

/// The derivative with respect to x = theta^2 of the series that starts at `first`.
double exact_slope(double x, int first) {
  // d/dx sum (-1)^k x^k/(2k+first)!
  Long sum = 0, power = 1, factorial = 1;
  for (int i = 2; i <= first; ++i) factorial *= i;
  for (int k = 1; k < 60; ++k) {
    factorial *= (2 * k + first - 1) * (2 * k + first);
    sum += (k % 2 ? -1 : 1) * k * power / factorial;
    power *= Long(x);
  }
  return static_cast<double>(sum);
}

TEST(Series, derivatives_are_as_good_as_values_on_both_sides_of_the_threshold) {
  using D = Dual<double, 1>;
  for (const double x : squared_angles) {
    const D v = D::variable(x, 0);
    EXPECT_NEAR(sin_over(v).gradient[0], exact_slope(x, 1), 4e-15) << x;
    EXPECT_NEAR(one_minus_cos_over(v).gradient[0], exact_slope(x, 2), 4e-15) << x;
    EXPECT_NEAR(angle_minus_sin_over(v).gradient[0], exact_slope(x, 3), 4e-15) << x;
  }
}

TEST(Series, each_lane_takes_its_own_side_of_the_threshold) {
  using P = Pack<double, 4>;
  const double x[4] = {0.0, 1e-6, 0.26, 8.0};
  const P packed = P::load(x);
  const P s = sin_over(packed), c = one_minus_cos_over(packed), a = angle_minus_sin_over(packed),
          g = inverse_g_coefficient(packed);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_NEAR(s[lane], sin_over(x[lane]), 1e-15);
    EXPECT_NEAR(c[lane], one_minus_cos_over(x[lane]), 1e-15);
    EXPECT_NEAR(a[lane], angle_minus_sin_over(x[lane]), 1e-15);
    EXPECT_NEAR(g[lane], inverse_g_coefficient(x[lane]), 1e-15);
  }
}

}  // namespace
}  // namespace ulna
