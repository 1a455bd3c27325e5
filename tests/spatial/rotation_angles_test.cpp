#include <gtest/gtest.h>

#include <Eigen/LU>

#include "support/spatial.hpp"
#include "ulna/num/pack.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::Random;

constexpr double right_angle = 1.5707963267948966;

Rotation<double> compose(const RollPitchYaw<double>& a) {
  return Rotation<double>::from_rpy(a.roll, a.pitch, a.yaw);
}

TEST(RollPitchYaw, is_yaw_after_pitch_after_roll_about_the_fixed_axes) {
  for_each_seed([](Random& random) {
    const double roll = random.real(-3, 3), pitch = random.real(-3, 3), yaw = random.real(-3, 3);
    const double cr = std::cos(roll), sr = std::sin(roll), cp = std::cos(pitch),
                 sp = std::sin(pitch), cy = std::cos(yaw), sy = std::sin(yaw);
    Mat3<double> R;
    R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,   //
        -sp, cp * sr, cp * cr;
    expect_close(Rotation<double>::from_rpy(roll, pitch, yaw).matrix(), R, 1e-15);
  });
}

TEST(RollPitchYaw, in_gimbal_lock_the_angles_still_compose_to_the_rotation) {
  for_each_seed([](Random& random) {
    const double roll = random.real(-3, 3), yaw = random.real(-3, 3);
    for (const double pitch : {right_angle, -right_angle}) {
      const Rotation<double> R = Rotation<double>::from_rpy(roll, pitch, yaw);
      const RollPitchYaw<double> a = R.rpy();
      EXPECT_NEAR(a.pitch, pitch, 1e-15);
      expect_close(compose(a), R, 2e-15);
    }
  });
}

TEST(RollPitchYaw, in_exact_gimbal_lock_the_yaw_is_zero_and_the_roll_does_all) {
  for (const double s : {1.0, -1.0}) {
    Mat3<double> R;
    R << 0, 0, s, 0, 1, 0, -s, 0, 0;
    const Rotation<double> turned =
        Rotation<double>::from_matrix(R) * Rotation<double>::about_x(0.4);
    const RollPitchYaw<double> a = turned.rpy();
    EXPECT_NEAR(a.pitch, s * right_angle, 1e-15);
    EXPECT_NEAR(a.yaw, 0.0, 1e-15);
    EXPECT_NEAR(a.roll, 0.4, 1e-15);
  }
}

TEST(RollPitchYaw, near_gimbal_lock_the_angles_still_compose_to_the_rotation) {
  for_each_seed([](Random& random) {
    const double roll = random.real(-3, 3), yaw = random.real(-3, 3);
    for (const double off : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15})
      for (const double pitch : {right_angle - off, off - right_angle}) {
        const Rotation<double> R = Rotation<double>::from_rpy(roll, pitch, yaw);
        const RollPitchYaw<double> a = R.rpy();
        EXPECT_NEAR(a.pitch, pitch, 1e-15);
        expect_close(compose(a), R, 2e-15);
      }
  });
}

TEST(RollPitchYaw, a_pitch_beyond_a_right_angle_is_found_as_the_other_triple) {
  const Rotation<double> R = Rotation<double>::from_rpy(0.3, 2.0, -0.5);
  const RollPitchYaw<double> a = R.rpy();
  EXPECT_LE(std::abs(a.pitch), right_angle);
  expect_close(compose(a), R, 2e-15);
}

TEST(ZTo, up_is_no_turn_and_down_is_half_a_turn_about_x) {
  const Vec3<double> z = Vec3<double>::UnitZ();
  expect_close(Rotation<double>::z_to(z), Rotation<double>(), 0.0);
  expect_close(Rotation<double>::z_to(Vec3<double>(-z)).matrix(),
               Mat3<double>(Vec3<double>(1.0, -1.0, -1.0).asDiagonal()), 0.0);
}

TEST(ZTo, down_is_half_a_turn_in_single_precision_too) {
  const Rotation<float> R = Rotation<float>::z_to(Vec3<float>(0.0f, 0.0f, -1.0f));
  ASSERT_TRUE(test::all_finite(R));
  expect_close(R.matrix(), Mat3<float>(Vec3<float>(1.0f, -1.0f, -1.0f).asDiagonal()), 0.0);
}

TEST(ZTo, one_lane_may_point_down_while_the_others_do_not) {
  using P = Pack<double, 4>;
  P x, z;
  const double angles[4] = {0.0, 3.141592653589793, 1.0, 2.5};
  for (int lane = 0; lane < 4; ++lane)
    x.set(lane, std::sin(angles[lane])), z.set(lane, std::cos(angles[lane]));
  x.set(1, 0.0);
  const Rotation<P> R = Rotation<P>::z_to(Vec3<P>(x, P(0.0), z));
  ASSERT_TRUE(test::all_finite(R));
  expect_close(R * Vec3<P>(P(0.0), P(0.0), P(1.0)), Vec3<P>(x, P(0.0), z), 1e-15);
}

// straight down, any axis will do; but any direction that is not straight down is hit exactly
TEST(ZTo, directions_near_straight_down_are_hit_to_rounding) {
  for (const double off : {1.0, 0.1, 1e-3, 1e-5, 2e-6, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12})
    for (const double azimuth : {0.0, 0.7, 2.0, -1.6}) {
      SCOPED_TRACE("off straight down by " + std::to_string(off * 1e9) + " nrad");
      const Vec3<double> d(std::sin(off) * std::cos(azimuth), std::sin(off) * std::sin(azimuth),
                           -std::cos(off));
      const Rotation<double> R = Rotation<double>::z_to(d);
      expect_close(R * Vec3<double>(Vec3<double>::UnitZ()), d, 1e-12);
      expect_close(Mat3<double>(R.matrix() * R.matrix().transpose()),
                   Mat3<double>(Mat3<double>::Identity()), 1e-14);
    }
}

TEST(ZTo, directions_near_straight_down_are_hit_to_rounding_in_single_precision) {
  for (const float off : {0.1f, 1e-2f, 1e-3f, 3e-4f, 1e-4f}) {
    SCOPED_TRACE("off straight down by " + std::to_string(off) + " rad");
    const Vec3<float> d(std::sin(off), 0.0f, -std::cos(off));
    const Rotation<float> R = Rotation<float>::z_to(d);
    expect_close(R * Vec3<float>(Vec3<float>::UnitZ()), d, 2e-15);
  }
}

TEST(ZTo, a_horizontal_direction_is_a_right_angle_about_the_perpendicular) {
  for (const double azimuth : {0.0, 0.7, 2.0, -1.6}) {
    const Vec3<double> d(std::cos(azimuth), std::sin(azimuth), 0.0);
    const Vec3<double> r = Rotation<double>::z_to(d).log();
    expect_close(r, Vec3<double>(right_angle * Vec3<double>(-d.y(), d.x(), 0.0)), 1e-15);
  }
}

TEST(NearestRotation, of_a_rotation_is_itself) {
  for_each_seed([](Random& random) {
    const Rotation<double> R = test::random_rotation<double>(random);
    expect_close(nearest_rotation(R.matrix()), R, 4e-15);
    EXPECT_LE(distance_to_rotation(R.matrix()), 4e-15);
  });
}

TEST(NearestRotation, recovers_a_rotation_typed_with_few_digits) {
  for_each_seed([](Random& random) {
    const Rotation<double> R = test::random_rotation<double>(random);
    const Mat3<double> typed = (R.matrix() * 1e4).array().round().matrix() / 1e4;
    const Rotation<double> nearest = nearest_rotation(typed);
    EXPECT_GT(distance_to_rotation(typed), 1e-6);
    EXPECT_LE(distance_to_rotation(nearest.matrix()), 4e-15);
    EXPECT_LE((nearest.matrix() - R.matrix()).norm(), 2e-4);
    // no other rotation is nearer
    const double distance = (nearest.matrix() - typed).norm();
    for (int i = 0; i < 20; ++i) {
      const Rotation<double> other =
          nearest * Rotation<double>::exp(test::random_vector<double>(random, 1e-4));
      EXPECT_GE((other.matrix() - typed).norm(), distance);
    }
  });
}

TEST(NearestRotation, is_the_rotation_of_the_polar_decomposition) {
  for_each_seed([](Random& random) {
    const Rotation<double> R = test::random_rotation<double>(random);
    const Vec3<double> stretch(random.real(0.5, 2), random.real(0.5, 2), random.real(0.5, 2));
    const Mat3<double> axes = test::random_rotation<double>(random).matrix();
    const Mat3<double> stretched = R.matrix() * axes * stretch.asDiagonal() * axes.transpose();
    expect_close(nearest_rotation(stretched), R, 1e-14);
  });
}

TEST(NearestRotation, of_a_mirror_is_a_rotation_still) {
  const Mat3<double> mirror = Vec3<double>(1.0, 1.1, -0.9).asDiagonal();
  const Mat3<double> R = nearest_rotation(mirror).matrix();
  EXPECT_NEAR(R.determinant(), 1.0, 1e-15);
  expect_close(R, Mat3<double>(Mat3<double>::Identity()), 1e-15);
  EXPECT_EQ(distance_to_rotation(mirror), std::numeric_limits<double>::infinity());
}

TEST(NearestRotation, distance_is_that_of_the_gram_matrix_from_one) {
  EXPECT_NEAR(distance_to_rotation(Mat3<double>(1.1 * Mat3<double>::Identity())),
              0.21 * std::sqrt(3.0), 1e-15);
  const Mat3<double> nothing = Mat3<double>::Constant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(distance_to_rotation(nothing) < 1.0);
}

}  // namespace
}  // namespace ulna
