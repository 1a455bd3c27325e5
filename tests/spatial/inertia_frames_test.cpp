#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/spatial.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::inertia_of;
using test::product;
using test::Random;
using test::random_cloud;
using test::random_inertia;
using test::random_transform;
using test::random_twist;
using test::transposed;

template <class T>
class InertiaFrameLaws : public ::testing::Test {};
TYPED_TEST_SUITE(InertiaFrameLaws, test::Scalars, test::ScalarNames);

TYPED_TEST(InertiaFrameLaws, moving_the_frame_is_a_congruence_of_the_matrix) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto I = random_inertia<T>(random);
    const auto X = random_transform<T>(random);
    const Mat6<T> moved =
        product(product(X.force_matrix(), I.matrix()), X.inverse().motion_matrix());
    expect_close((X * I).matrix(), moved, 2e-14);
  });
}

TYPED_TEST(InertiaFrameLaws, moving_the_frame_moves_the_point_masses) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    auto cloud = random_cloud<T>(random);
    const auto X = random_transform<T>(random);
    const auto I = X * inertia_of(cloud);
    for (auto& point : cloud) point.at = X * point.at;
    expect_close(I, inertia_of(cloud), 1e-14);
  });
}

TYPED_TEST(InertiaFrameLaws, frames_compose) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto I = random_inertia<T>(random);
    const auto A = random_transform<T>(random), B = random_transform<T>(random);
    expect_close((A * B) * I, A * (B * I), 2e-14);
    expect_close(A.inverse() * (A * I), I, 4e-14);
  });
}

TYPED_TEST(InertiaFrameLaws, kinetic_energy_and_momentum_are_the_same_in_every_frame) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto I = random_inertia<T>(random);
    const auto V = random_twist<T>(random);
    const auto X = random_transform<T>(random);
    expect_close(kinetic_energy(X * I, X * V), kinetic_energy(I, V), 2e-14);
    expect_close((X * I) * (X * V), X * (I * V), 2e-14);
  });
}

TYPED_TEST(InertiaFrameLaws, the_pseudo_inertia_is_the_sum_of_homogeneous_squares) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto cloud = random_cloud<T>(random);
    Mat4<T> J = Mat4<T>::Zero();
    for (const auto& [m, r] : cloud) {
      const T h[4] = {r.x(), r.y(), r.z(), T(1)};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) J(i, j) += m * h[i] * h[j];
    }
    expect_close(pseudo_inertia(inertia_of(cloud)), J, 1e-14);
    expect_close(inertia_from_pseudo(J), inertia_of(cloud), 1e-14);
  });
}

TYPED_TEST(InertiaFrameLaws, the_pseudo_inertia_moves_by_the_homogeneous_matrix) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto I = random_inertia<T>(random);
    const auto X = random_transform<T>(random);
    const Mat4<T> moved = product(product(X.matrix(), pseudo_inertia(I)), transposed(X.matrix()));
    expect_close(pseudo_inertia(X * I), moved, 2e-14);
  });
}

}  // namespace
}  // namespace ulna
