#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/spatial.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::Random;
using test::random_direction;
using test::random_rotation;
using test::random_vector;

template <class T>
class RotationLaws : public ::testing::Test {};
TYPED_TEST_SUITE(RotationLaws, test::Scalars, test::ScalarNames);

template <class T>
Mat3<T> identity() {
  return Mat3<T>::Identity();
}

TYPED_TEST(RotationLaws, rotations_form_a_group) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto A = random_rotation<T>(random), B = random_rotation<T>(random),
               C = random_rotation<T>(random);
    expect_close((A * B) * C, A * (B * C), 4e-15);
    expect_close(A * Rotation<T>::identity(), A, 0.0);
    expect_close(Rotation<T>::identity() * A, A, 0.0);
    expect_close(A * A.inverse(), Rotation<T>(), 4e-15);
    expect_close(A.inverse() * A, Rotation<T>(), 4e-15);
    expect_close((A * B).inverse(), B.inverse() * A.inverse(), 4e-15);
  });
}

TYPED_TEST(RotationLaws, a_rotation_is_orthogonal_and_right_handed) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Mat3<T> R = random_rotation<T>(random).matrix();
    expect_close(Mat3<T>(R.transpose() * R), identity<T>(), 4e-15);
    const Vec3<T> x = R.col(0), y = R.col(1), z = R.col(2);
    expect_close(cross(x, y), z, 4e-15);
  });
}

TYPED_TEST(RotationLaws, composition_acts_in_turn) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto A = random_rotation<T>(random), B = random_rotation<T>(random);
    const Vec3<T> v = random_vector<T>(random);
    expect_close((A * B) * v, A * (B * v), 4e-15);
    expect_close(A.inverse_apply(Vec3<T>(A * v)), v, 4e-15);
    expect_close(A.inverse_apply(v), A.inverse() * v, 1e-15);
  });
}

TYPED_TEST(RotationLaws, lengths_angles_and_cross_products_are_kept) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto R = random_rotation<T>(random);
    const Vec3<T> a = random_vector<T>(random), b = random_vector<T>(random);
    expect_close(T((R * a).dot(R * b)), T(a.dot(b)), 4e-15);
    expect_close(R * cross(a, b), cross(Vec3<T>(R * a), Vec3<T>(R * b)), 4e-15);
  });
}

TYPED_TEST(RotationLaws, a_skew_matrix_is_turned_by_conjugation) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto R = random_rotation<T>(random);
    const Vec3<T> w = random_vector<T>(random);
    const Mat3<T> conjugated = R.matrix() * skew(w) * R.matrix().transpose();
    expect_close(conjugated, skew(Vec3<T>(R * w)), 4e-15);
  });
}

TYPED_TEST(RotationLaws, elementary_rotations_are_turns_about_their_axes) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const T angle = random.scalar<T>(-3.0, 3.0);
    expect_close(Rotation<T>::about_x(angle), Rotation<T>::about(Vec3<T>::UnitX(), angle), 2e-15);
    expect_close(Rotation<T>::about_y(angle), Rotation<T>::about(Vec3<T>::UnitY(), angle), 2e-15);
    expect_close(Rotation<T>::about_z(angle), Rotation<T>::about(Vec3<T>::UnitZ(), angle), 2e-15);
    const Vec3<T> y = Rotation<T>::about_z(angle) * Vec3<T>(Vec3<T>::UnitX());
    expect_close(y, Vec3<T>(cos(angle), sin(angle), T(0)), 0.0);
  });
}

TYPED_TEST(RotationLaws, a_turn_about_an_axis_is_the_exponential) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> axis = random_direction<T>(random);
    const T angle = random.scalar<T>(-6.0, 6.0);
    expect_close(Rotation<T>::about(axis, angle), Rotation<T>::exp(Vec3<T>(angle * axis)), 1e-14);
  });
}

TYPED_TEST(RotationLaws, turns_about_one_axis_add_up) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> axis = random_direction<T>(random);
    const T a = random.scalar<T>(-2.0, 2.0), b = random.scalar<T>(-2.0, 2.0);
    expect_close(Rotation<T>::about(axis, a) * Rotation<T>::about(axis, b),
                 Rotation<T>::about(axis, T(a + b)), 1e-14);
    expect_close(Rotation<T>::about(axis, a) * axis, axis, 4e-15);
  });
}

TYPED_TEST(RotationLaws, the_exponential_commutes_with_turning_the_axis) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto R = random_rotation<T>(random);
    const Vec3<T> r = random_vector<T>(random, 1.5);
    expect_close(R * Rotation<T>::exp(r) * R.inverse(), Rotation<T>::exp(Vec3<T>(R * r)), 1e-14);
  });
}

TYPED_TEST(RotationLaws, log_undoes_exp) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> r = random_vector<T>(random, 1.8);  // shorter than pi
    expect_close(Rotation<T>::exp(r).log(), r, 2e-14);
    expect_close(Quaternion<T>::exp(r).log(), r, 2e-14);
  });
}

TYPED_TEST(RotationLaws, exp_undoes_log) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto R = random_rotation<T>(random);
    expect_close(Rotation<T>::exp(R.log()), R, 2e-14);
    expect_close(R.inverse().log(), Vec3<T>(-R.log()), 2e-14);
  });
}

TYPED_TEST(RotationLaws, a_quaternion_and_its_rotation_are_the_same_turn) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto A = random_rotation<T>(random), B = random_rotation<T>(random);
    const Quaternion<T> a = A.quaternion(), b = B.quaternion();
    expect_close(a.squared_norm(), T(1), 4e-15);
    EXPECT_TRUE(all(a.w >= T(0)));
    expect_close(Rotation<T>::from_quaternion(a), A, 4e-15);
    expect_close(Rotation<T>::from_quaternion(a * b), A * B, 8e-15);
    expect_close(Rotation<T>::from_quaternion(a.conjugate()), A.inverse(), 4e-15);

    // q v q* turns v
    const Vec3<T> v = random_vector<T>(random);
    const Quaternion<T> turned = a * Quaternion<T>{T(0), v.x(), v.y(), v.z()} * a.conjugate();
    expect_close(turned.vector(), A * v, 8e-15);
    expect_close(turned.w, T(0), 4e-15);
  });
}

TYPED_TEST(RotationLaws, a_quaternion_is_normalised_to_unit_length) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Quaternion<T> q{random.scalar<T>(0.5, 2.0), random.scalar<T>(), random.scalar<T>(),
                          random.scalar<T>()};
    const Quaternion<T> n = q.normalized();
    expect_close(n.squared_norm(), T(1), 2e-15);
    expect_close(T(n.x * q.w), T(q.x * n.w), 2e-15);
    expect_close((q * q.conjugate()).w, q.squared_norm(), 2e-15);
  });
}

TYPED_TEST(RotationLaws, the_quaternion_exponential_is_that_of_the_matrix) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> r = random_vector<T>(random, 3.0);
    expect_close(Rotation<T>::from_quaternion(Quaternion<T>::exp(r)), Rotation<T>::exp(r), 1e-14);
    expect_close(Quaternion<T>::exp(r).squared_norm(), T(1), 4e-15);
  });
}

TYPED_TEST(RotationLaws, axis_and_angle_compose_to_the_rotation) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto R = random_rotation<T>(random);
    const AxisAngle<T> a = R.axis_angle();
    EXPECT_TRUE(all(a.angle >= T(0) && a.angle <= T(3.1415928)));
    expect_close(T(a.axis.dot(a.axis)), T(1), 4e-15);
    expect_close(Rotation<T>::about(a.axis, a.angle), R, 2e-14);
  });
}

TYPED_TEST(RotationLaws, roll_pitch_and_yaw_compose_to_the_rotation) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto R = random_rotation<T>(random);
    const RollPitchYaw<T> a = R.rpy();
    expect_close(Rotation<T>::from_rpy(a.roll, a.pitch, a.yaw), R, 4e-14);

    const T roll = random.scalar<T>(-3.0, 3.0), pitch = random.scalar<T>(-1.4, 1.4),
            yaw = random.scalar<T>(-3.0, 3.0);
    const RollPitchYaw<T> b = Rotation<T>::from_rpy(roll, pitch, yaw).rpy();
    expect_close(b.roll, roll, 4e-14);
    expect_close(b.pitch, pitch, 4e-14);
    expect_close(b.yaw, yaw, 4e-14);
  });
}

TYPED_TEST(RotationLaws, z_is_taken_to_the_direction_by_the_smallest_turn) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Vec3<T> d = random_direction<T>(random), z = Vec3<T>::UnitZ();
    const auto R = Rotation<T>::z_to(d);
    expect_close(R * z, d, 2e-14);
    expect_close(Mat3<T>(R.matrix() * R.matrix().transpose()), identity<T>(), 2e-14);
    // a turn about an axis perpendicular to both
    expect_close(R.log().z(), T(0), 2e-14);
  });
}

}  // namespace
}  // namespace ulna
