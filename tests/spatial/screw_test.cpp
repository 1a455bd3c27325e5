#include "ulna/spatial/screw.hpp"

#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/spatial.hpp"

namespace ulna {
namespace {

using test::all_finite;
using test::expect_close;
using test::for_each_seed;
using test::Random;
using test::random_direction;
using test::random_transform;
using test::random_twist;
using test::random_vector;
using test::random_wrench;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class ScrewLaws : public ::testing::Test {};
TYPED_TEST_SUITE(ScrewLaws, test::Scalars, test::ScalarNames);

template <class T>
Twist<T> random_turning_twist(Random& random) {
  return {Vec3<T>(T(2) * random_direction<T>(random)), random_vector<T>(random, 2.0)};
}

TYPED_TEST(ScrewLaws, a_twist_is_that_of_its_screw) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_turning_twist<T>(random);
    const ScrewMotion<T> motion = screw_of(V);
    expect_close(twist_of(motion.screw, motion.magnitude), V, 1e-14);
    expect_close(motion.magnitude, T(sqrt(T(V.angular.dot(V.angular)))), 4e-15);
  });
}

TYPED_TEST(ScrewLaws, the_axis_is_met_at_its_point_nearest_the_origin_and_moves_along_itself) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_turning_twist<T>(random);
    const Screw<T> screw = screw_of(V).screw;
    expect_close(T(screw.direction.dot(screw.direction)), T(1), 4e-15);
    expect_close(T(screw.direction.dot(screw.point)), T(0), 4e-15);
    expect_close(V.at(screw.point).linear, Vec3<T>(screw.pitch * V.angular), 1e-14);
  });
}

// Cărămizaru 2023, line 470 misprints the pitch without the square
TYPED_TEST(ScrewLaws, the_pitch_does_not_depend_on_the_rate) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_turning_twist<T>(random);
    const T rate = random.scalar<T>(0.2, 5.0);
    expect_close(screw_of(rate * V).screw.pitch, screw_of(V).screw.pitch, 2e-14);
    expect_close(screw_of(rate * V).screw.point, screw_of(V).screw.point, 2e-14);
  });
}

TYPED_TEST(ScrewLaws, a_screw_is_that_of_its_twist) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    Screw<T> screw;
    screw.direction = random_direction<T>(random);
    screw.point = cross(screw.direction, random_vector<T>(random));
    screw.pitch = random.scalar<T>(-0.5, 0.5);
    const T rate = random.scalar<T>(0.5, 3.0);
    const ScrewMotion<T> back = screw_of(twist_of(screw, rate));
    expect_close(back.screw.direction, screw.direction, 1e-14);
    expect_close(back.screw.point, screw.point, 1e-14);
    expect_close(back.screw.pitch, screw.pitch, 1e-14);
    expect_close(back.magnitude, rate, 1e-14);
  });
}

TYPED_TEST(ScrewLaws, a_pure_rotation_has_no_pitch) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> w = T(2) * random_direction<T>(random), p = random_vector<T>(random);
    const ScrewMotion<T> motion = screw_of(Twist<T>{w, cross(p, w)});
    expect_close(motion.screw.pitch, T(0), 1e-14);
    // p lies on the axis
    expect_close(cross(Vec3<T>(p - motion.screw.point), w), Vec3<T>(Vec3<T>::Zero()), 1e-14);
  });
}

TYPED_TEST(ScrewLaws, a_pure_translation_has_an_infinite_pitch_and_its_length_for_magnitude) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> v = T(3) * random_direction<T>(random);
    const Twist<T> V{Vec3<T>::Zero(), v};
    const ScrewMotion<T> motion = screw_of(V);
    EXPECT_FALSE(any(is_finite(motion.screw.pitch)));
    expect_close(motion.magnitude, T(3), 1e-14);
    expect_close(Vec3<T>(motion.magnitude * motion.screw.direction), v, 1e-14);
    expect_close(motion.screw.point, Vec3<T>(Vec3<T>::Zero()), 0.0);
    expect_close(twist_of(motion.screw, motion.magnitude), V, 1e-14);
  });
}

TYPED_TEST(ScrewLaws, no_motion_is_a_screw_without_a_nan) {
  using T = TypeParam;
  const ScrewMotion<T> still = screw_of(Twist<T>::zero());
  expect_close(still.magnitude, T(0), 0.0);
  EXPECT_TRUE(all_finite(still.screw.direction));
  EXPECT_TRUE(all_finite(still.screw.point));
  EXPECT_TRUE(all_finite(still.magnitude));
  expect_close(twist_of(still.screw, still.magnitude), Twist<T>::zero(), 0.0);

  const ScrewMotion<T> slack = screw_of(Wrench<T>::zero());
  expect_close(wrench_of(slack.screw, slack.magnitude), Wrench<T>::zero(), 0.0);
}

TYPED_TEST(ScrewLaws, every_displacement_is_a_motion_along_its_screw) {  // Chasles
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    const ScrewMotion<T> motion = screw_of(X);
    expect_close(Transform<T>::exp(twist_of(motion.screw, motion.magnitude)), X, 4e-14);
    // the axis is mapped onto itself, shifted by pitch times angle
    const Vec3<T> moved = X * motion.screw.point;
    expect_close(Vec3<T>(moved - motion.screw.point),
                 Vec3<T>(motion.screw.pitch * motion.magnitude * motion.screw.direction), 4e-14);
  });
}

TYPED_TEST(ScrewLaws, on_the_axis_of_a_wrench_its_moment_is_parallel_to_its_force) {  // Poinsot
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Wrench<T> F{random_vector<T>(random, 2.0), Vec3<T>(T(2) * random_direction<T>(random))};
    const ScrewMotion<T> pull = screw_of(F);
    const Wrench<T> there = F.at(pull.screw.point);
    expect_close(there.moment, Vec3<T>(pull.screw.pitch * F.force), 1e-14);
    expect_close(Vec3<T>(pull.magnitude * pull.screw.direction), F.force, 1e-14);
    expect_close(wrench_of(pull.screw, pull.magnitude), F, 1e-14);
  });
}

TYPED_TEST(ScrewLaws, a_pure_moment_is_a_screw_of_infinite_pitch) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Wrench<T> F{Vec3<T>(T(2) * random_direction<T>(random)), Vec3<T>::Zero()};
    const ScrewMotion<T> pull = screw_of(F);
    EXPECT_FALSE(any(is_finite(pull.screw.pitch)));
    expect_close(pull.magnitude, T(2), 1e-14);
    expect_close(wrench_of(pull.screw, pull.magnitude), F, 1e-14);
  });
}

TYPED_TEST(ScrewLaws, a_force_along_a_line_has_that_line_for_axis) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> f = random_direction<T>(random), p = random_vector<T>(random);
    const Screw<T> screw = screw_of(Wrench<T>::force_at(f, p)).screw;
    expect_close(screw.pitch, T(0), 1e-14);
    expect_close(screw.point, Vec3<T>(p - p.dot(f) * f), 1e-14);
  });
}

TEST(Screw, the_handedness_of_a_thread_is_the_sign_of_its_pitch) {
  const Screw<double> right{Vec3<double>(0, 0, 1), Vec3<double>(3, 0, 0), 2.0};
  expect_close(twist_of(right, 1.0), Twist<double>{{0, 0, 1}, {0, -3, 2}}, 0.0);
  EXPECT_EQ(screw_of(Twist<double>{{0, 0, 2}, {0, 0, -1}}).screw.pitch, -0.5);
}

TEST(Screw, half_a_turn_about_a_distant_axis_is_found) {
  const Vec3<double> center(2.0, -1.0, 0.0);
  const auto X =
      Transform<double>::from_translation(center) *
      Transform<double>(Rotation<double>::about_z(3.141592653589793), Vec3<double>(0, 0, 0.5)) *
      Transform<double>::from_translation(-center);
  const ScrewMotion<double> motion = screw_of(X);
  EXPECT_NEAR(motion.magnitude, 3.141592653589793, 1e-15);
  EXPECT_NEAR(std::abs(motion.screw.direction.z()), 1.0, 1e-15);
  EXPECT_NEAR(motion.screw.pitch * motion.screw.direction.z() * motion.magnitude,
              0.5 * motion.screw.direction.z() * motion.screw.direction.z(), 1e-14);
  expect_close(motion.screw.point, center, 1e-14);
}

TEST(Screw, a_pack_may_turn_in_one_lane_slide_in_another_and_rest_in_a_third) {
  using P = Pack<double, 4>;
  P w(0.0), v(0.0);
  w.set(0, 2.0), v.set(0, 1.0);  // turns and slides
  v.set(1, 3.0);                 // slides
  w.set(3, -1.0);                // turns
  const Twist<P> V{Vec3<P>(P(0.0), P(0.0), w), Vec3<P>(P(0.0), P(0.0), v)};
  const ScrewMotion<P> motion = screw_of(V);
  EXPECT_EQ(motion.screw.pitch[0], 0.5);
  EXPECT_EQ(motion.screw.pitch[1], infinity);
  EXPECT_EQ(motion.screw.pitch[2], infinity);
  EXPECT_EQ(motion.screw.pitch[3], 0.0);
  EXPECT_EQ(motion.magnitude[1], 3.0);
  EXPECT_EQ(motion.magnitude[2], 0.0);
  EXPECT_EQ(motion.screw.direction.z()[3], -1.0);
  expect_close(twist_of(motion.screw, motion.magnitude), V, 1e-15);
}

}  // namespace
}  // namespace ulna
