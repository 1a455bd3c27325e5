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
using test::random_wrench;
using test::transposed;

template <class T>
class AdjointLaws : public ::testing::Test {};
TYPED_TEST_SUITE(AdjointLaws, test::Scalars, test::ScalarNames);

template <class T>
Mat6<T> identity6() {
  return Mat6<T>::Identity();
}

TYPED_TEST(AdjointLaws, the_adjoint_matrices_act_as_the_transform_does) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    const auto V = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    expect_close(product(X.motion_matrix(), V.vector()), (X * V).vector(), 4e-15);
    expect_close(product(X.force_matrix(), F.vector()), (X * F).vector(), 4e-15);
    expect_close(X.inverse_apply(V), X.inverse() * V, 8e-15);
    expect_close(X.inverse_apply(F), X.inverse() * F, 8e-15);
    expect_close(X.inverse_apply(X * V), V, 8e-15);
    expect_close(X.inverse_apply(X * F), F, 8e-15);
  });
}

TYPED_TEST(AdjointLaws, the_adjoint_of_a_product_is_the_product_of_the_adjoints) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto A = random_transform<T>(random), B = random_transform<T>(random);
    const auto V = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    expect_close((A * B) * V, A * (B * V), 8e-15);
    expect_close((A * B) * F, A * (B * F), 8e-15);
    expect_close((A * B).motion_matrix(), product(A.motion_matrix(), B.motion_matrix()), 8e-15);
    expect_close((A * B).force_matrix(), product(A.force_matrix(), B.force_matrix()), 8e-15);
  });
}

TYPED_TEST(AdjointLaws, force_matrix_is_the_inverse_transpose_of_the_motion_matrix) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    expect_close(product(transposed(X.force_matrix()), X.motion_matrix()), identity6<T>(), 8e-15);
    expect_close(product(X.motion_matrix(), X.inverse().motion_matrix()), identity6<T>(), 8e-15);
    expect_close(X.force_matrix(), transposed(X.inverse().motion_matrix()), 8e-15);
  });
}

TYPED_TEST(AdjointLaws, power_is_the_same_in_every_frame) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    const auto V = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    expect_close(dot(X * V, X * F), dot(V, F), 2e-14);
    expect_close(dot(F, V), dot(V, F), 0.0);
  });
}

TYPED_TEST(AdjointLaws, a_twist_matrix_is_seen_from_another_frame_by_conjugation) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    const auto V = random_twist<T>(random);
    expect_close(product(product(X.matrix(), twist_matrix(V)), X.inverse().matrix()),
                 twist_matrix(X * V), 8e-15);
  });
}

// Cărămizaru 2023, line 1092 misprints the inverse as a transpose
TYPED_TEST(AdjointLaws, cross_products_are_the_same_in_every_frame) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = random_transform<T>(random);
    const auto V = random_twist<T>(random), W = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    expect_close(X * cross(V, W), cross(X * V, X * W), 1e-14);
    expect_close(X * cross(V, F), cross(X * V, X * F), 1e-14);
    expect_close(cross_matrix(X * V),
                 product(product(X.motion_matrix(), cross_matrix(V)), X.inverse().motion_matrix()),
                 2e-14);
  });
}

}  // namespace
}  // namespace ulna
