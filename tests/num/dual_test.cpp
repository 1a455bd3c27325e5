#include "ulna/num/dual.hpp"

#include <gtest/gtest.h>

#include "num/functions.hpp"
#include "support/close.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"
#include "ulna/num/pack.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::five_point_derivative;
using test::for_each_function;
using test::for_each_seed;
using test::Random;

using D1 = Dual<double, 1>;
using D2 = Dual<double, 2>;
using DD = Dual<Dual<double, 2>, 2>;

double relative(double x) { return std::max(1.0, std::abs(x)); }

TEST(Dual, the_derivative_of_each_function_is_the_textbooks) {
  for_each_function([](const char* name, auto f, auto df, auto, const auto& points) {
    for (const double x : points) {
      SCOPED_TRACE(std::string(name) + " at " + std::to_string(x));
      const D1 y = f(D1::variable(x, 0));
      EXPECT_EQ(y.value, f(x));
      EXPECT_NEAR(y.gradient[0], df(x), 4e-15 * relative(df(x)));
    }
  });
}

TEST(Dual, the_derivative_of_each_function_is_the_limit_of_its_difference_quotient) {
  for_each_function([](const char* name, auto f, auto, auto d2f, const auto& points) {
    for (const double x : points) {
      SCOPED_TRACE(std::string(name) + " at " + std::to_string(x));
      // where the function bends, a shorter step: the quotient errs by h^4, the rounding by 1/h
      const double bend = std::abs(d2f(x)) / relative(f(x));
      const double h = 2e-4 / (1.0 + std::pow(bend, 0.75));
      const double quotient = five_point_derivative([&](double t) { return f(x + t); }, h);
      const D1 y = f(D1::variable(x, 0));
      EXPECT_NEAR(y.gradient[0], quotient, (1e-11 + 3e-16 / h) * relative(quotient));
    }
  });
}

TEST(Dual, nested_duals_give_the_textbooks_second_derivative) {
  for_each_function([](const char* name, auto f, auto df, auto d2f, const auto& points) {
    for (const double x : points) {
      SCOPED_TRACE(std::string(name) + " at " + std::to_string(x));
      using D11 = Dual<D1, 1>;
      const D11 y = f(D11::variable(D1::variable(x, 0), 0));
      EXPECT_EQ(y.value.value, f(x));
      EXPECT_NEAR(y.value.gradient[0], df(x), 4e-15 * relative(df(x)));
      EXPECT_NEAR(y.gradient[0].value, df(x), 4e-15 * relative(df(x)));
      EXPECT_NEAR(y.gradient[0].gradient[0], d2f(x), 1e-14 * relative(d2f(x)));
    }
  });
}

TEST(Dual, products_and_quotients_follow_leibniz) {
  for_each_seed([](Random& random) {
    const double x = random.real(), y = random.real(0.5, 2.0);
    const D2 a = D2::variable(x, 0), b = D2::variable(y, 1);
    expect_close(
        a + b,
        [&] {
          D2 r(x + y);
          r.gradient = {1.0, 1.0};
          return r;
        }(),
        0.0);
    expect_close(
        a - b,
        [&] {
          D2 r(x - y);
          r.gradient = {1.0, -1.0};
          return r;
        }(),
        0.0);
    expect_close(
        a * b,
        [&] {
          D2 r(x * y);
          r.gradient = {y, x};
          return r;
        }(),
        0.0);
    expect_close(
        a / b,
        [&] {
          D2 r(x / y);
          r.gradient = {1.0 / y, -x / (y * y)};
          return r;
        }(),
        2e-15);
  });
}

TEST(Dual, atan2_turns_with_its_point) {
  for (const double angle : {-3.0, -1.2, 0.0, 0.7, 1.5707963267948966, 2.9}) {
    const double r = 1.7, x = r * std::cos(angle), y = r * std::sin(angle);
    const D2 f = atan2(D2::variable(y, 0), D2::variable(x, 1));
    EXPECT_NEAR(f.value, angle, 1e-15);
    EXPECT_NEAR(f.gradient[0], std::cos(angle) / r, 1e-15);
    EXPECT_NEAR(f.gradient[1], -std::sin(angle) / r, 1e-15);
  }
}

TEST(Dual, a_gradient_holds_one_derivative_per_direction) {
  for_each_seed([](Random& random) {
    const double x = random.real(), y = random.real();
    const D2 f = sin(D2::variable(x, 0)) * D2::variable(y, 1);
    EXPECT_NEAR(f.gradient[0], y * std::cos(x), 1e-15);
    EXPECT_NEAR(f.gradient[1], std::sin(x), 1e-15);
  });
}

TEST(Dual, nested_duals_give_the_whole_hessian) {
  for_each_seed([](Random& random) {
    const double x = random.real(), y = random.real(0.5, 2.0);
    const auto variable = [](double at, int k) { return DD::variable(D2::variable(at, k), k); };
    const DD f = exp(variable(x, 0) * variable(y, 1)) / variable(y, 1);
    const double e = std::exp(x * y);
    EXPECT_NEAR(f.value.value, e / y, 1e-14);
    EXPECT_NEAR(f.gradient[0].value, e, 1e-14);
    EXPECT_NEAR(f.gradient[1].value, e * (x * y - 1.0) / (y * y), 1e-13);
    EXPECT_NEAR(f.gradient[0].gradient[0], e * y, 1e-13);
    EXPECT_NEAR(f.gradient[0].gradient[1], e * x, 1e-13);
    EXPECT_NEAR(f.gradient[1].gradient[0], e * x, 1e-13);
    EXPECT_NEAR(f.gradient[1].gradient[1], e * (x * x * y * y - 2.0 * x * y + 2.0) / (y * y * y),
                2e-13);
  });
}

TEST(Dual, a_constant_has_no_derivative) {
  const D2 c = 3.5;
  EXPECT_EQ(c.value, 3.5);
  EXPECT_EQ(c.gradient[0], 0.0);
  EXPECT_EQ(c.gradient[1], 0.0);
  EXPECT_EQ(D2().value, 0.0);
  EXPECT_EQ(D2().gradient[1], 0.0);
}

TEST(Dual, the_derivative_is_that_of_the_branch_taken) {
  const D1 x = D1::variable(-0.5, 0);
  EXPECT_EQ(abs(x).gradient[0], -1.0);
  EXPECT_EQ(abs(D1::variable(0.0, 0)).gradient[0], 1.0);
  EXPECT_EQ(min(x, D1(0.0)).gradient[0], 1.0);
  EXPECT_EQ(max(x, D1(0.0)).gradient[0], 0.0);
  EXPECT_EQ(clamp(x, D1(-1.0), D1(1.0)).gradient[0], 1.0);
  EXPECT_EQ(clamp(x, D1(0.0), D1(1.0)).gradient[0], 0.0);
  EXPECT_EQ(clamp(x, D1(-2.0), D1(-1.0)).gradient[0], 0.0);
  EXPECT_EQ(sign(x).gradient[0], 0.0);
  EXPECT_EQ(with_sign(x, D1(-1.0)).gradient[0], 1.0);
  EXPECT_EQ(with_sign(x, D1(1.0)).gradient[0], -1.0);
  EXPECT_EQ(select(x < D1(0.0), x * x, x).gradient[0], -1.0);
  EXPECT_EQ(select(x > D1(0.0), x * x, x).gradient[0], 1.0);
}

TEST(Dual, of_two_equal_numbers_min_and_max_take_the_first) {
  const D2 x = D2::variable(1.0, 0), y = D2::variable(1.0, 1);
  EXPECT_EQ(min(x, y).gradient[0], 1.0);
  EXPECT_EQ(max(x, y).gradient[0], 1.0);
  EXPECT_EQ(min(y, x).gradient[1], 1.0);
  EXPECT_EQ(max(y, x).gradient[1], 1.0);
}

TEST(Dual, order_looks_at_values_only) {
  const D2 x = D2::variable(1.0, 0), y = D2::variable(1.0, 1);
  EXPECT_TRUE(x == y && x <= y && x >= y);
  EXPECT_FALSE(x != y || x < y || x > y);
  EXPECT_TRUE(x < D2(2.0) && D2(2.0) > x && x != D2(2.0));
}

TEST(Dual, a_nan_derivative_in_the_branch_not_taken_does_no_harm) {
  const D1 x = D1::variable(0.0, 0);
  EXPECT_FALSE(is_finite(sqrt(x)));
  const D1 y = select(x > D1(0.0), sqrt(x), x);
  EXPECT_TRUE(is_finite(y));
  EXPECT_EQ(y.gradient[0], 1.0);
}

TEST(Dual, is_finite_sees_the_derivatives) {
  D2 x = 1.0;
  EXPECT_TRUE(is_finite(x));
  x.gradient[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_finite(x));
  x.gradient[1] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(is_finite(x));

  DD y = 1.0;
  EXPECT_TRUE(is_finite(y));
  y.gradient[0].gradient[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_finite(y));
}

TEST(Dual, a_dual_of_packs_differentiates_every_lane) {
  using P = Pack<double, 4>;
  using DP = Dual<P, 2>;
  for_each_seed([](Random& random) {
    const P x = random.scalar<P>(), y = random.scalar<P>(0.5, 2.0);
    const auto f = [](const auto& a, const auto& b) {
      return select(a < b, sin(a) * sqrt(b) / (a * a + b), tanh(a - b));
    };
    const DP packed = f(DP::variable(x, 0), DP::variable(y, 1));
    for (int lane = 0; lane < 4; ++lane) {
      const D2 single = f(D2::variable(x[lane], 0), D2::variable(y[lane], 1));
      EXPECT_NEAR(packed.value[lane], single.value, 1e-15);
      EXPECT_NEAR(packed.gradient[0][lane], single.gradient[0], 4e-15);
      EXPECT_NEAR(packed.gradient[1][lane], single.gradient[1], 4e-15);
    }
  });
}

TEST(Dual, is_finite_of_a_dual_of_packs_answers_lane_by_lane) {
  using P = Pack<double, 4>;
  Dual<P, 1> x = 1.0;
  x.gradient[0].set(2, std::numeric_limits<double>::quiet_NaN());
  const auto finite = is_finite(x);
  for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(finite[lane], lane != 2);
}

}  // namespace
}  // namespace ulna
