#include <gtest/gtest.h>

#include <numbers>

#include "support/finite_difference.hpp"
#include "support/spatial.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::five_point_derivative;

using std::numbers::pi;
using Dual6 = Dual<double, 6>;

const double angles[] = {0.0,       1e-300, 1e-12,     1e-8, 1e-4,      0.1,       0.4999999, 0.5,
                         0.5000001, 1.0,    1.5707963, 2.5,  pi - 1e-3, pi - 1e-7, pi - 1e-12};
const Vec3<double> slides[] = {Vec3<double>::Zero(), Vec3<double>(1.0, -2.0, 0.5),
                               Vec3<double>(0.0, 0.0, 3.0)};

template <class Check>
void for_each_screw(Check check) {
  for (const auto& axis : test::some_axes)
    for (const double angle : angles)
      for (const auto& slide : slides) {
        char text[160];
        std::snprintf(text, sizeof text, "axis (%.3g, %.3g, %.3g), angle %.17g, slide (%g, %g, %g)",
                      axis.x(), axis.y(), axis.z(), angle, slide.x(), slide.y(), slide.z());
        SCOPED_TRACE(text);
        check(Twist<double>{angle * axis, slide});
      }
}

Mat4<double> power_series(const Twist<double>& S) {
  using Long = Eigen::Matrix<long double, 4, 4>;
  const Long A = twist_matrix(S).cast<long double>();
  Long term = Long::Identity(), sum = Long::Identity();
  for (int k = 1; k < 60; ++k) {
    term = (term * A / static_cast<long double>(k)).eval();
    sum += term;
  }
  return sum.cast<double>();
}

TEST(TransformExp, is_the_power_series_of_the_twist_matrix) {
  for_each_screw([](const Twist<double>& S) {
    expect_close(Transform<double>::exp(S).matrix(), power_series(S), 2e-15);
  });
}

TEST(TransformExp, of_a_pure_slide_is_the_slide) {
  const auto X = Transform<double>::exp({Vec3<double>::Zero(), Vec3<double>(1, 2, 3)});
  expect_close(X, Transform<double>::from_translation(Vec3<double>(1, 2, 3)), 0.0);
  expect_close(X.log().linear, Vec3<double>(1, 2, 3), 0.0);
}

TEST(TransformLog, undoes_exp_at_every_angle) {
  for_each_screw([](const Twist<double>& S) {
    const Twist<double> back = Transform<double>::exp(S).log();
    EXPECT_LE((back.angular - S.angular).norm(), 1e-14);
    EXPECT_LE((back.linear - S.linear).norm(), 2e-14);
  });
}

TEST(TransformLog, of_half_a_turn_leads_back_to_the_pose) {
  for (const auto& axis : test::some_axes)
    for (const auto& slide : slides) {
      const Mat3<double> half_turn = 2.0 * axis * axis.transpose() - Mat3<double>::Identity();
      const Transform<double> X(Rotation<double>::from_matrix(half_turn), slide);
      const Twist<double> S = X.log();
      EXPECT_NEAR(S.angular.norm(), pi, 1e-14);
      expect_close(Transform<double>::exp(S), X, 4e-15);
    }
}

Twist<Dual6> variables(const Twist<double>& S) {
  Vec6<Dual6> v;
  for (int k = 0; k < 6; ++k) v(k) = Dual6::variable(S.vector()(k), k);
  return Twist<Dual6>::from_vector(v);
}

TEST(TransformDerivative, of_exp_is_the_limit_of_its_difference_quotient) {
  for_each_screw([](const Twist<double>& S) {
    const Mat4<Dual6> X = Transform<Dual6>::exp(variables(S)).matrix();
    for (int k = 0; k < 6; ++k) {
      const Mat4<double> quotient = five_point_derivative([&](double t) {
        return Transform<double>::exp(S + t * Twist<double>::from_vector(Vec6<double>::Unit(k)))
            .matrix();
      });
      const Mat4<double> derivative =
          X.unaryExpr([&](const Dual6& x) { return x.gradient[static_cast<std::size_t>(k)]; });
      expect_close(derivative, quotient, 2e-12);
    }
  });
}

TEST(TransformDerivative, of_log_after_exp_is_one) {
  for_each_screw([](const Twist<double>& S) {
    const Vec6<Dual6> log = Transform<Dual6>::exp(variables(S)).log().vector();
    for (int i = 0; i < 6; ++i)
      for (std::size_t k = 0; k < 6; ++k)
        EXPECT_NEAR(log(i).gradient[k], i == static_cast<int>(k) ? 1.0 : 0.0, 1e-12);
  });
}

}  // namespace
}  // namespace ulna
