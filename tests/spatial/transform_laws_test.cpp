#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/spatial.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::product;
using test::Random;
using test::random_transform;
using test::random_twist;
using test::random_vector;

template <class T>
class TransformLaws : public ::testing::Test {};
TYPED_TEST_SUITE(TransformLaws, test::Scalars, test::ScalarNames);

TYPED_TEST(TransformLaws, transforms_form_a_group) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto A = random_transform<T>(random), B = random_transform<T>(random),
               C = random_transform<T>(random);
    expect_close((A * B) * C, A * (B * C), 4e-15);
    expect_close(A * Transform<T>::identity(), A, 0.0);
    expect_close(A * A.inverse(), Transform<T>(), 8e-15);
    expect_close(A.inverse() * A, Transform<T>(), 8e-15);
    expect_close((A * B).inverse(), B.inverse() * A.inverse(), 8e-15);
  });
}

TYPED_TEST(TransformLaws, the_homogeneous_matrix_multiplies_like_the_transform) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto A = random_transform<T>(random), B = random_transform<T>(random);
    expect_close(product(A.matrix(), B.matrix()), (A * B).matrix(), 4e-15);
    const Vec3<T> p = random_vector<T>(random);
    const Vec4<T> homogeneous = product(A.matrix(), Vec4<T>(p.x(), p.y(), p.z(), T(1)));
    expect_close(Vec3<T>(homogeneous.template head<3>()), A * p, 4e-15);
    expect_close(homogeneous(3), T(1), 0.0);
  });
}

TYPED_TEST(TransformLaws, a_transform_is_a_turn_and_then_a_shift) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    expect_close(
        Transform<T>::from_translation(X.translation()) * Transform<T>::from_rotation(X.rotation()),
        X, 0.0);
    const Vec3<T> p = random_vector<T>(random);
    expect_close(X.inverse_apply(Vec3<T>(X * p)), p, 8e-15);
    expect_close(X.inverse_apply(p), X.inverse() * p, 4e-15);
  });
}

TYPED_TEST(TransformLaws, log_undoes_exp) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const Twist<T> S{random_vector<T>(random, 1.7), random_vector<T>(random, 2.0)};
    expect_close(Transform<T>::exp(S).log(), S, 4e-14);
  });
}

TYPED_TEST(TransformLaws, exp_undoes_log) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    expect_close(Transform<T>::exp(X.log()), X, 4e-14);
    expect_close(X.inverse().log(), -X.log(), 4e-14);
  });
}

TYPED_TEST(TransformLaws, the_exponential_is_seen_from_another_frame_by_conjugation) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    const auto S = random_twist<T>(random);
    expect_close(X * Transform<T>::exp(S) * X.inverse(), Transform<T>::exp(X * S), 2e-14);
  });
}

TYPED_TEST(TransformLaws, motions_along_one_twist_add_up) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto S = random_twist<T>(random);
    const T a = random.scalar<T>(), b = random.scalar<T>();
    expect_close(Transform<T>::exp(a * S) * Transform<T>::exp(b * S),
                 Transform<T>::exp(T(a + b) * S), 2e-14);
  });
}

}  // namespace
}  // namespace ulna
