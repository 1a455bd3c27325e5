#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/spatial.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::product;
using test::Random;
using test::random_twist;
using test::random_vector;
using test::random_wrench;

template <class T>
class TwistWrenchLaws : public ::testing::Test {};
TYPED_TEST_SUITE(TwistWrenchLaws, test::Scalars, test::ScalarNames);

TYPED_TEST(TwistWrenchLaws, twists_and_wrenches_are_vectors_with_the_angular_part_first) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random), W = random_twist<T>(random);
    const auto F = random_wrench<T>(random), G = random_wrench<T>(random);
    const T s = random.scalar<T>();
    expect_close(Vec3<T>(V.vector().template head<3>()), V.angular, 0.0);
    expect_close(Vec3<T>(F.vector().template head<3>()), F.moment, 0.0);
    expect_close(Twist<T>::from_vector(V.vector()), V, 0.0);
    expect_close(Wrench<T>::from_vector(F.vector()), F, 0.0);
    expect_close((V + W).vector(), Vec6<T>(V.vector() + W.vector()), 0.0);
    expect_close((V - W).vector(), Vec6<T>(V.vector() - W.vector()), 0.0);
    expect_close((F + G).vector(), Vec6<T>(F.vector() + G.vector()), 0.0);
    expect_close((F - G).vector(), Vec6<T>(F.vector() - G.vector()), 0.0);
    expect_close((s * V).vector(), Vec6<T>(s * V.vector()), 0.0);
    expect_close(F * s, s * F, 0.0);
    expect_close(V * s, s * V, 0.0);
    expect_close(-V + V, Twist<T>::zero(), 0.0);
    expect_close(-F + F, Wrench<T>::zero(), 0.0);
  });
}

TYPED_TEST(TwistWrenchLaws, cross_matrices_act_as_the_cross_products) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random), W = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    expect_close(product(cross_matrix(V), W.vector()), cross(V, W).vector(), 4e-15);
    expect_close(product(dual_cross_matrix(V), F.vector()), cross(V, F).vector(), 4e-15);
  });
}

TYPED_TEST(TwistWrenchLaws, the_two_cross_products_are_dual_to_each_other) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random), W = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    expect_close(T(dot(cross(V, W), F) + dot(W, cross(V, F))), T(0), 2e-14);
  });
}

TYPED_TEST(TwistWrenchLaws, a_twist_does_not_change_when_it_rides_on_itself) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random), W = random_twist<T>(random);
    expect_close(cross(V, V), Twist<T>::zero(), 4e-15);
    expect_close(cross(V, W), -cross(W, V), 4e-15);
  });
}

TYPED_TEST(TwistWrenchLaws, twists_obey_jacobis_identity) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto U = random_twist<T>(random), V = random_twist<T>(random),
               W = random_twist<T>(random);
    expect_close(cross(U, cross(V, W)) + cross(V, cross(W, U)) + cross(W, cross(U, V)),
                 Twist<T>::zero(), 4e-14);
    const Mat6<T> VW = product(cross_matrix(V), cross_matrix(W)),
                  WV = product(cross_matrix(W), cross_matrix(V));
    expect_close(cross_matrix(cross(V, W)), Mat6<T>(VW - WV), 2e-14);
  });
}

TYPED_TEST(TwistWrenchLaws, the_bracket_is_the_commutator_of_the_twist_matrices) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random), W = random_twist<T>(random);
    const Mat4<T> VW = product(twist_matrix(V), twist_matrix(W)),
                  WV = product(twist_matrix(W), twist_matrix(V));
    expect_close(twist_matrix(cross(V, W)), Mat4<T>(VW - WV), 8e-15);
  });
}

TYPED_TEST(TwistWrenchLaws, moving_to_another_point_keeps_power) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    const Vec3<T> p = random_vector<T>(random);
    expect_close(dot(V.at(p), F.at(p)), dot(V, F), 2e-14);
  });
}

TYPED_TEST(TwistWrenchLaws, moving_to_another_point_is_a_transform_without_rotation) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random);
    const auto F = random_wrench<T>(random);
    const Vec3<T> p = random_vector<T>(random), q = random_vector<T>(random);
    const auto X = Transform<T>::from_translation(p);
    expect_close(V.at(p), X.inverse_apply(V), 4e-15);
    expect_close(F.at(p), X.inverse_apply(F), 4e-15);
    expect_close(V.at(p).at(q), V.at(Vec3<T>(p + q)), 4e-15);
    expect_close(F.at(p).at(q), F.at(Vec3<T>(p + q)), 4e-15);
    expect_close(V.at(p).at(Vec3<T>(-p)), V, 4e-15);
  });
}

TYPED_TEST(TwistWrenchLaws,
           a_force_at_a_point_has_no_moment_there_and_works_on_the_points_velocity) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto V = random_twist<T>(random);
    const Vec3<T> f = random_vector<T>(random), p = random_vector<T>(random);
    const auto F = Wrench<T>::force_at(f, p);
    expect_close(F.at(p).moment, Vec3<T>(Vec3<T>::Zero()), 4e-15);
    expect_close(F.force, f, 0.0);
    expect_close(dot(V, F), T(f.dot(V.at(p).linear)), 8e-15);
    // the force may slide along its line
    expect_close(Wrench<T>::force_at(f, Vec3<T>(p + T(2) * f)), F, 8e-15);
  });
}

TEST(Twist, a_wheel_that_turns_about_z_moves_its_rim_sideways) {
  const Twist<double> V{{0, 0, 2}, {0, 0, 0}};
  expect_close(V.at(Vec3<double>(3, 0, 0)).linear, Vec3<double>(0, 6, 0), 0.0);
}

TEST(Wrench, a_force_upward_at_x_bends_about_minus_y) {
  const auto F = Wrench<double>::force_at(Vec3<double>(0, 0, 5), Vec3<double>(2, 0, 0));
  expect_close(F.moment, Vec3<double>(0, -10, 0), 0.0);
}

TEST(Twist, the_velocity_of_a_point_is_the_derivative_of_its_path) {
  using D = Dual<double, 1>;
  for_each_seed([](Random& random) {
    const auto V = random_twist<double>(random);
    const Vec3<double> p = random_vector<double>(random);
    const Twist<D> S{V.angular.cast<D>(), V.linear.cast<D>()};
    const Vec3<D> path = Transform<D>::exp(D::variable(0.0, 0) * S) * Vec3<D>(p.cast<D>());
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(path(i).gradient[0], V.at(p).linear(i), 2e-15);
  });
}

TEST(Twist, the_cross_products_are_the_derivatives_of_the_adjoints_along_a_motion) {
  using D = Dual<double, 1>;
  using DD = Dual<D, 1>;
  for_each_seed([](Random& random) {
    const auto V = random_twist<double>(random), W = random_twist<double>(random);
    const auto F = random_wrench<double>(random);
    const DD t = DD::variable(D::variable(0.0, 0), 0);
    const auto X = Transform<DD>::exp(t * Twist<DD>{V.angular.cast<DD>(), V.linear.cast<DD>()});
    const Vec6<DD> w = (X * Twist<DD>{W.angular.cast<DD>(), W.linear.cast<DD>()}).vector();
    const Vec6<DD> f = (X * Wrench<DD>{F.moment.cast<DD>(), F.force.cast<DD>()}).vector();
    const Vec6<double> dw = cross(V, W).vector(), ddw = cross(V, cross(V, W)).vector();
    const Vec6<double> df = cross(V, F).vector(), ddf = cross(V, cross(V, F)).vector();
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(w(i).gradient[0].value, dw(i), 1e-14);
      EXPECT_NEAR(w(i).gradient[0].gradient[0], ddw(i), 1e-13);
      EXPECT_NEAR(f(i).gradient[0].value, df(i), 1e-14);
      EXPECT_NEAR(f(i).gradient[0].gradient[0], ddf(i), 1e-13);
    }
  });
}

}  // namespace
}  // namespace ulna
