#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>
#include <span>

#include "support/spatial.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::Random;

using std::numbers::pi;

/// The axes along which a formula may divide by a component that vanishes.
std::vector<Vec3<double>> many_axes() {
  std::vector<Vec3<double>> list;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x || y || z) list.push_back(Vec3<double>(x, y, z).normalized());
  list.push_back(Vec3<double>(0.6, -0.48, 0.64));
  list.push_back(Vec3<double>(1.0, 1e-9, -1e-5).normalized());
  list.push_back(Vec3<double>(1e-12, 1e-3, 1.0).normalized());
  return list;
}

const double small_angles[] = {1e-300, 1e-160, 1e-100, 1e-20, 1e-12, 1e-8, 1e-6, 1e-4, 1e-3};
const double medium_angles[] = {
    0.01,      0.1,       0.199, 0.2,       0.201,     0.4999999,          0.5,
    0.5000001, 0.9999999, 1.0,   1.0000001, 1.5707963, 1.5707963267948966, 1.5707964,
    2.0,       2.5,       3.0};
const double large_angles[] = {pi - 1e-3, pi - 1e-7, pi - 1e-9, pi - 1e-12, pi - 1e-15};

std::string turn(const Vec3<double>& axis, double angle) {
  char text[120];
  std::snprintf(text, sizeof text, "axis (%.3g, %.3g, %.3g), angle %.17g", axis.x(), axis.y(),
                axis.z(), angle);
  return text;
}

/// e^A by its power series, in more digits than double has.
Mat3<double> power_series(const Vec3<double>& r) {
  using Long = Eigen::Matrix<long double, 3, 3>;
  const Long A = skew(r).cast<long double>();
  Long term = Long::Identity(), sum = Long::Identity();
  for (int k = 1; k < 80; ++k) {
    term = (term * A / static_cast<long double>(k)).eval();
    sum += term;
  }
  return sum.cast<double>();
}

TEST(RotationExp, is_the_power_series_of_the_matrix) {
  for (const auto& axis : many_axes())
    for (const auto& angles :
         {std::span<const double>(small_angles), std::span<const double>(medium_angles),
          std::span<const double>(large_angles)})
      for (const double angle : angles) {
        SCOPED_TRACE(turn(axis, angle));
        const Vec3<double> r = angle * axis;
        expect_close(Rotation<double>::exp(r).matrix(), power_series(r), 2e-15);
      }
}

TEST(RotationExp, of_more_than_half_a_turn_is_the_power_series_too) {
  for (const auto& axis : many_axes())
    for (const double angle : {3.5, 4.0, 5.0, 6.0, 6.2831853, 7.0, 10.0}) {
      SCOPED_TRACE(turn(axis, angle));
      const Vec3<double> r = angle * axis;
      expect_close(Rotation<double>::exp(r).matrix(), power_series(r), 4e-15);
      expect_close(Rotation<double>::from_quaternion(Quaternion<double>::exp(r)).matrix(),
                   power_series(r), 4e-15);
    }
}

TEST(RotationExp, of_nothing_is_the_identity_and_its_log_nothing) {
  const Vec3<double> zero = Vec3<double>::Zero();
  EXPECT_EQ(Rotation<double>::exp(zero).matrix(), Mat3<double>::Identity().eval());
  EXPECT_EQ(Rotation<double>().log(), zero);
  EXPECT_EQ(Quaternion<double>::exp(zero).w, 1.0);
  EXPECT_EQ(Quaternion<double>().log(), zero);
}

TEST(RotationLog, of_a_small_turn_has_every_digit) {
  for (const auto& axis : many_axes())
    for (const double angle : small_angles) {
      SCOPED_TRACE(turn(axis, angle));
      const Vec3<double> r = angle * axis;
      const Vec3<double> back = Rotation<double>::exp(r).log(),
                         q = Quaternion<double>::exp(r).log();
      EXPECT_LE((back - r).cwiseAbs().maxCoeff(), 1e-12 * angle);
      EXPECT_LE((q - r).cwiseAbs().maxCoeff(), 1e-15 * angle);
    }
}

TEST(RotationLog, undoes_exp_across_the_series_thresholds) {
  for (const auto& axis : many_axes())
    for (const double angle : medium_angles) {
      SCOPED_TRACE(turn(axis, angle));
      const Vec3<double> r = angle * axis;
      EXPECT_LE((Rotation<double>::exp(r).log() - r).norm(), 1e-14);
      EXPECT_LE((Quaternion<double>::exp(r).log() - r).norm(), 2e-15);
    }
}

TEST(RotationLog, undoes_exp_just_short_of_half_a_turn) {
  for (const auto& axis : many_axes())
    for (const double angle : large_angles) {
      SCOPED_TRACE(turn(axis, angle));
      const Vec3<double> r = angle * axis;
      const Vec3<double> back = Rotation<double>::exp(r).log();
      // within rounding of half a turn, both ways around are the same
      const double error =
          angle > pi - 1e-14 ? std::min((back - r).norm(), (back + r).norm()) : (back - r).norm();
      EXPECT_LE(error, 1e-14);
    }
}

TEST(RotationLog, of_half_a_turn_is_pi_about_the_axis_in_either_sense) {
  for (const auto& axis : many_axes()) {
    SCOPED_TRACE(turn(axis, pi));
    // 2 a a' - 1, half a turn without any rounding of sin(pi)
    const Mat3<double> half_turn = 2.0 * axis * axis.transpose() - Mat3<double>::Identity();
    for (const auto& R :
         {Rotation<double>::from_matrix(half_turn), Rotation<double>::exp(pi * axis)}) {
      const Vec3<double> r = R.log();
      EXPECT_NEAR(r.norm(), pi, 1e-14);
      EXPECT_LE(std::min((r - pi * axis).norm(), (r + pi * axis).norm()), 1e-14);
      expect_close(Rotation<double>::exp(r), R, 4e-15);
    }
  }
}

TEST(RotationLog, of_more_than_half_a_turn_goes_the_short_way_back) {
  for (const auto& axis : many_axes())
    for (const double angle : {pi + 1e-7, 3.5, 5.0, 6.0}) {
      SCOPED_TRACE(turn(axis, angle));
      const Vec3<double> r = Rotation<double>::exp(angle * axis).log();
      EXPECT_LE((r - (angle - 2.0 * pi) * axis).norm(), 1e-14);
      EXPECT_LE((Quaternion<double>::exp(angle * axis).log() - (angle - 2.0 * pi) * axis).norm(),
                1e-14);
    }
}

TEST(RotationLog, a_quaternion_and_its_opposite_have_the_same_log) {
  for_each_seed([](Random& random) {
    const Quaternion<double> q = test::random_rotation<double>(random).quaternion();
    expect_close(Quaternion<double>{-q.w, -q.x, -q.y, -q.z}.log(), q.log(), 0.0);
  });
}

TEST(RotationAbout, keeps_the_digits_of_a_small_turn) {
  for (const auto& axis : many_axes())
    for (const double angle : small_angles) {
      SCOPED_TRACE(turn(axis, angle));
      const Mat3<double> R = Rotation<double>::about(axis, angle).matrix();
      EXPECT_LE((unskew(Mat3<double>(0.5 * (R - R.transpose()))) - std::sin(angle) * axis).norm(),
                1e-15 * angle);
    }
}

TEST(AxisAngleOf, every_turn_is_what_it_was_made_of) {
  for (const auto& axis : many_axes())
    for (const double angle : {1e-12, 1e-6, 0.3, 1.0, 2.0, pi - 1e-6}) {
      SCOPED_TRACE(turn(axis, angle));
      const AxisAngle<double> back = Rotation<double>::about(axis, angle).axis_angle();
      EXPECT_NEAR(back.angle, angle, 1e-14);
      EXPECT_LE((back.axis - axis).norm(), 1e-14 / std::min(1.0, angle) * 1e-2 + 1e-14);
    }
}

TEST(AxisAngleOf, no_turn_is_about_z_by_nothing) {
  const AxisAngle<double> none = Rotation<double>().axis_angle();
  EXPECT_EQ(none.angle, 0.0);
  EXPECT_EQ(none.axis, (Vec3<double>(0.0, 0.0, 1.0)));
}

TEST(QuaternionOf, each_of_shepperds_four_formulas_finds_its_rotation) {
  for (const auto& axis : many_axes())
    for (const double angle : {0.0, 1e-9, 1.0, 2.0, 2.2, 3.0, pi - 1e-8, pi}) {
      SCOPED_TRACE(turn(axis, angle));
      const Rotation<double> R = Rotation<double>::about(axis, angle);
      const Quaternion<double> q = R.quaternion();
      EXPECT_GE(q.w, 0.0);
      EXPECT_NEAR(q.squared_norm(), 1.0, 2e-15);
      EXPECT_NEAR(q.w, std::cos(angle / 2), 2e-15);
      expect_close(Rotation<double>::from_quaternion(q), R, 2e-15);
    }
}

}  // namespace
}  // namespace ulna
