#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "support/finite_difference.hpp"
#include "support/spatial.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::five_point_derivative;
using test::for_each_seed;
using test::Random;

using Dual3 = Dual<double, 3>;
using std::numbers::pi;

const double turns[] = {0.0, 1e-12,     1e-8,      1e-4, 0.1,       0.4999999, 0.5,       0.5000001,
                        1.0, 1.5707963, 1.5707964, 2.5,  pi - 1e-3, pi - 1e-7, pi - 1e-12};

Vec3<Dual3> variables(const Vec3<double>& r) {
  return {Dual3::variable(r.x(), 0), Dual3::variable(r.y(), 1), Dual3::variable(r.z(), 2)};
}

template <class M>
auto value_of(const M& m) {
  return m.unaryExpr([](const Dual3& x) { return x.value; }).eval();
}
template <class M>
auto derivative_of(const M& m, int k) {
  return m.unaryExpr([k](const Dual3& x) { return x.gradient[static_cast<std::size_t>(k)]; })
      .eval();
}

/// J with e^[r + dr] = e^[r] e^[J dr] to first order: the series of (1 - e^-[r])/[r].
Mat3<double> right_jacobian(const Vec3<double>& r) {
  Mat3<double> term = Mat3<double>::Identity(), sum = term;
  for (int k = 1; k < 60; ++k) {
    term = (term * -skew(r) / (k + 1)).eval();
    sum += term;
  }
  return sum;
}

template <class Check>
void for_each_turn(Check check) {
  for (const auto& axis : test::some_axes)
    for (const double angle : turns) {
      char text[120];
      std::snprintf(text, sizeof text, "axis (%.3g, %.3g, %.3g), angle %.17g", axis.x(), axis.y(),
                    axis.z(), angle);
      SCOPED_TRACE(text);
      check(Vec3<double>(angle * axis));
    }
}

TEST(RotationDerivative, of_exp_is_that_of_the_power_series) {
  for_each_turn([](const Vec3<double>& r) {
    const Mat3<Dual3> R = Rotation<Dual3>::exp(variables(r)).matrix();
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> turning = right_jacobian(r).col(k);
      expect_close(derivative_of(R, k), Mat3<double>(value_of(R) * skew(turning)), 1e-14);
    }
  });
}

TEST(RotationDerivative, of_exp_is_the_limit_of_its_difference_quotient) {
  for_each_turn([](const Vec3<double>& r) {
    const Mat3<Dual3> R = Rotation<Dual3>::exp(variables(r)).matrix();
    for (int k = 0; k < 3; ++k) {
      const Mat3<double> quotient = five_point_derivative([&](double t) {
        return Mat3<double>(Rotation<double>::exp(r + t * Vec3<double>::Unit(k)).matrix());
      });
      expect_close(derivative_of(R, k), quotient, 2e-12);
    }
  });
}

TEST(RotationDerivative, of_the_quaternion_exponential_is_the_limit_of_its_difference_quotient) {
  for_each_turn([](const Vec3<double>& r) {
    const Vec4<Dual3> q = Quaternion<Dual3>::exp(variables(r)).coefficients();
    for (int k = 0; k < 3; ++k) {
      const Vec4<double> quotient = five_point_derivative([&](double t) {
        return Quaternion<double>::exp(r + t * Vec3<double>::Unit(k)).coefficients();
      });
      expect_close(derivative_of(q, k), quotient, 2e-12);
    }
  });
}

/// The rotation vector of R that is nearest to `r`: log, which jumps at half a turn, made
/// continuous.
Vec3<double> continuous_log(const Rotation<double>& R, const Vec3<double>& r) {
  const Vec3<double> l = R.log();
  if (l.dot(r) >= 0.0) return l;
  return l * (1.0 - 2.0 * pi / l.norm());
}

TEST(RotationDerivative, of_log_is_the_inverse_of_that_of_exp) {
  for_each_turn([](const Vec3<double>& r) {
    // R = e^[r] e^[t]: the derivative of log R by t is the inverse right Jacobian
    const Vec3<Dual3> r0 = r.cast<Dual3>();
    const Vec3<Dual3> log =
        (Rotation<Dual3>::exp(r0) * Rotation<Dual3>::exp(variables(Vec3<double>::Zero()))).log();
    const Mat3<double> J = right_jacobian(value_of(log)).inverse();
    for (int k = 0; k < 3; ++k) expect_close(derivative_of(log, k), Vec3<double>(J.col(k)), 4e-14);
  });
}

TEST(RotationDerivative, of_log_is_the_limit_of_its_difference_quotient) {
  for_each_turn([](const Vec3<double>& r) {
    const Vec3<Dual3> r0 = r.cast<Dual3>();
    const Rotation<double> R = Rotation<double>::exp(r);
    const Vec3<Dual3> log =
        (Rotation<Dual3>::exp(r0) * Rotation<Dual3>::exp(variables(Vec3<double>::Zero()))).log();
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> quotient = five_point_derivative([&](double t) {
        // around no turn at all, log is continuous as it is
        const Rotation<double> near = R * Rotation<double>::exp(t * Vec3<double>::Unit(k));
        return Vec3<double>(r.norm() < 0.1 ? near.log() : continuous_log(near, value_of(log)));
      });
      expect_close(derivative_of(log, k), quotient, 4e-12);
    }
  });
}

TEST(RotationDerivative, of_log_at_exactly_half_a_turn_is_that_of_the_side_it_is_on) {
  for (const auto& axis : test::some_axes) {
    const Mat3<double> half_turn = 2.0 * axis * axis.transpose() - Mat3<double>::Identity();
    const Rotation<double> R = Rotation<double>::from_matrix(half_turn);
    const Vec3<Dual3> log = (Rotation<Dual3>::from_matrix(half_turn.cast<Dual3>()) *
                             Rotation<Dual3>::exp(variables(Vec3<double>::Zero())))
                                .log();
    EXPECT_NEAR(value_of(log).norm(), pi, 1e-14);
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> quotient = five_point_derivative([&](double t) {
        return continuous_log(R * Rotation<double>::exp(t * Vec3<double>::Unit(k)), value_of(log));
      });
      expect_close(derivative_of(log, k), quotient, 4e-12);
    }
  }
}

// log after exp is the identity: its Jacobian is one and its second derivatives vanish
TEST(RotationDerivative, second_derivatives_of_log_after_exp_vanish) {
  using DD = Dual<Dual3, 3>;
  for_each_turn([](const Vec3<double>& r) {
    if (r.norm() > pi - 1e-6)
      return;  // the second derivative of rounding, divided by the distance to the cut
    Vec3<DD> x;
    for (int k = 0; k < 3; ++k) x(k) = DD::variable(Dual3::variable(r(k), k), k);
    const Vec3<DD> log = Rotation<DD>::exp(x).log();
    for (int i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(log(i).gradient[j].value, i == static_cast<int>(j) ? 1.0 : 0.0, 1e-13);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(log(i).gradient[j].gradient[k], 0.0, 1e-12);
      }
  });
}

TEST(RotationDerivative, the_second_derivative_of_exp_at_nothing_is_the_square_of_its_generator) {
  using DD = Dual<Dual<double, 1>, 1>;
  for_each_seed([](Random& random) {
    const Vec3<double> w = test::random_vector<double>(random);
    const DD t = DD::variable(Dual<double, 1>::variable(0.0, 0), 0);
    Vec3<DD> r;
    for (int i = 0; i < 3; ++i) r(i) = t * DD(w(i));
    const Mat3<DD> R = Rotation<DD>::exp(r).matrix();
    const Mat3<double> W = skew(w), W2 = W * W;
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(R(i).gradient[0].value, W(i), 1e-15);
      EXPECT_NEAR(R(i).gradient[0].gradient[0], W2(i), 1e-15);
    }
  });
}

TEST(RotationDerivative, of_roll_pitch_and_yaw_is_the_limit_of_the_difference_quotient) {
  for_each_seed([](Random& random) {
    const double roll = random.real(-3, 3), pitch = random.real(-1.2, 1.2),
                 yaw = random.real(-2.9, 2.9);
    const Rotation<double> R = Rotation<double>::from_rpy(roll, pitch, yaw);
    const RollPitchYaw<Dual3> a = (Rotation<Dual3>::from_matrix(R.matrix().cast<Dual3>()) *
                                   Rotation<Dual3>::exp(variables(Vec3<double>::Zero())))
                                      .rpy();
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> quotient = five_point_derivative(
          [&](double t) {
            const auto b = (R * Rotation<double>::exp(t * Vec3<double>::Unit(k))).rpy();
            return Vec3<double>(b.roll, b.pitch, b.yaw);
          },
          3e-4);
      expect_close(derivative_of(Vec3<Dual3>(a.roll, a.pitch, a.yaw), k), quotient, 1e-11);
    }
  });
}

TEST(RotationDerivative, of_z_to_is_the_limit_of_its_difference_quotient) {
  for_each_seed([](Random& random) {
    const Vec3<double> d = test::random_direction<double>(random);
    const Vec3<double> e = test::random_direction<double>(random);
    const auto moved = [&](const auto& t) {  // d, turned about e by t
      using T = std::decay_t<decltype(t)>;
      const Vec3<T> axis = e.template cast<T>(), from = d.template cast<T>();
      return Vec3<T>(Rotation<T>::about(axis, t) * from);
    };
    const Mat3<Dual3> R = Rotation<Dual3>::z_to(moved(Dual3::variable(0.0, 0))).matrix();
    const Mat3<double> quotient = five_point_derivative(
        [&](double t) { return Mat3<double>(Rotation<double>::z_to(moved(t)).matrix()); }, 3e-4);
    expect_close(derivative_of(R, 0), quotient, 1e-10);
  });
}

TEST(RotationDerivative, of_axis_and_angle_is_finite_even_where_nothing_turns) {
  const AxisAngle<Dual3> a = Rotation<Dual3>::exp(variables(Vec3<double>::Zero())).axis_angle();
  EXPECT_TRUE(test::all_finite(a.axis));
  EXPECT_TRUE(test::all_finite(a.angle));
}

}  // namespace
}  // namespace ulna
