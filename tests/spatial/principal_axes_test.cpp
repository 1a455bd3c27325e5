#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/finite_difference.hpp"
#include "support/scalars.hpp"
#include "support/spatial.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::five_point_derivative;
using test::for_each_seed;
using test::Random;
using test::random_rotation;
using test::random_symmetric;

template <class T>
class PrincipalAxes : public ::testing::Test {};
TYPED_TEST_SUITE(PrincipalAxes, test::Scalars, test::ScalarNames);

/// A = V diag(moments) V', ascending, right-handed: derivatives included.
template <class T>
void expect_principal(const Mat3<T>& A, double tolerance = 1e-14) {
  const Principal<T> p = principal_axes(A);
  const Mat3<T>& V = p.axes.matrix();
  const Mat3<T> D = p.moments.asDiagonal();
  expect_close(Mat3<T>(V * D * V.transpose()), A, tolerance);
  expect_close(Mat3<T>(V.transpose() * V), Mat3<T>(Mat3<T>::Identity()), tolerance);
  const Vec3<T> x = V.col(0), y = V.col(1), z = V.col(2);
  expect_close(cross(x, y), z, tolerance);
  EXPECT_TRUE(all(p.moments(0) <= p.moments(1) && p.moments(1) <= p.moments(2)));
}

template <class T>
Mat3<T> with_moments(const Rotation<T>& R, double a, double b, double c) {
  const Mat3<T> D = Vec3<T>(T(a), T(b), T(c)).asDiagonal();
  return R.matrix() * D * R.matrix().transpose();
}

TYPED_TEST(PrincipalAxes, compose_to_the_matrix_ascending_and_right_handed) {
  using T = TypeParam;
  for_each_seed([](Random& random) { expect_principal(random_symmetric<T>(random), 2e-13); });
}

TYPED_TEST(PrincipalAxes, of_a_diagonal_matrix_are_the_axes_of_the_frame_in_order) {
  using T = TypeParam;
  for (const auto& [a, b, c] : {std::array{1.0, 2.0, 3.0},
                                {3.0, 2.0, 1.0},
                                {2.0, 3.0, 1.0},
                                {3.0, 1.0, 2.0},
                                {1.0, 3.0, 2.0},
                                {2.0, 1.0, 3.0}}) {
    const Mat3<T> A = Vec3<T>(T(a), T(b), T(c)).asDiagonal();
    expect_principal(A);
    expect_close(principal_axes(A).moments, Vec3<T>(T(1), T(2), T(3)), 0.0);
  }
}

TYPED_TEST(PrincipalAxes, find_prescribed_moments_repeated_and_zero_ones_too) {
  using T = TypeParam;
  for (const auto& [a, b, c] : {std::array{1.0, 2.0, 3.0},
                                {1.0, 1.0, 2.0},
                                {1.0, 2.0, 2.0},
                                {1.0, 1.0, 1.0},
                                {0.0, 0.0, 1.0},
                                {0.0, 1.0, 1.0},
                                {0.0, 0.0, 0.0},
                                {-1.0, 0.0, 1.0}}) {
    for_each_seed([a = a, b = b, c = c](Random& random) {
      // a rotation of plain numbers: repeated moments have no axes that could be differentiated
      const Mat3<double> R = random_rotation<double>(random).matrix();
      const Mat3<T> A = with_moments(Rotation<T>::from_matrix(R.cast<T>()), a, b, c);
      const Mat3<T> symmetric = T(0.5) * (A + A.transpose());
      expect_principal(symmetric);
      expect_close(principal_axes(symmetric).moments, Vec3<T>(T(a), T(b), T(c)), 4e-15);
    });
  }
}

TYPED_TEST(PrincipalAxes, of_a_body_are_about_its_centre_of_mass) {
  using T = TypeParam;
  for_each_seed([](Random& random) {
    const auto X = test::random_transform<T>(random);
    const Mat3<T> D = Vec3<T>(T(2), T(3), T(4)).asDiagonal();
    const auto I = X * Inertia<T>::about_com(T(5), Vec3<T>::Zero(), D);
    expect_close(principal_axes(I).moments, Vec3<T>(T(2), T(3), T(4)), 1e-13);
    // each axis is one of the body's own, in one sense or the other
    const Mat3<T> alignment = principal_axes(I).axes.matrix().transpose() * X.rotation().matrix();
    for (int k = 0; k < 3; ++k) expect_close(abs(alignment(k, k)), T(1), 1e-13);
  });
}

TEST(PrincipalAxesOf, are_those_of_another_eigenvalue_solver) {
  for_each_seed(
      [](Random& random) {
        const Mat3<double> A = random_symmetric<double>(random);
        expect_close(principal_axes(A).moments,
                     Vec3<double>(Eigen::SelfAdjointEigenSolver<Mat3<double>>(A).eigenvalues()),
                     4e-15);
      },
      100);
}

TEST(PrincipalAxesOf, do_not_mind_matrices_whose_elements_differ_by_many_magnitudes) {
  for (const double tiny : {1e-5, 1e-10, 1e-20, 1e-150, 1e-200, 1e-310}) {
    SCOPED_TRACE(tiny);
    Mat3<double> A;
    A << 1, tiny, 2 * tiny, tiny, 2, -tiny, 2 * tiny, -tiny, 3;
    expect_principal(A);
    A << 1, tiny, 0.5, tiny, 1, tiny, 0.5, tiny, 1;
    expect_principal(A);
    A << tiny, 0, 0, 0, 1, 0.5, 0, 0.5, 1;
    expect_principal(A);
  }
}

TEST(PrincipalAxesOf, scale_with_the_matrix) {
  for_each_seed([](Random& random) {
    const Mat3<double> A = random_symmetric<double>(random);
    for (const double scale : {1e-12, 1e-6, 1e6}) {
      const Vec3<double> moments = principal_axes(Mat3<double>(scale * A)).moments / scale;
      expect_close(moments, principal_axes(A).moments, 4e-15);
    }
  });
}

using Dual1 = Dual<double, 1>;

Mat3<Dual1> along(const Mat3<double>& A, const Mat3<double>& dA) {
  Mat3<Dual1> x;
  for (int i = 0; i < 9; ++i) x(i) = Dual1(A(i)) + Dual1::variable(0.0, 0) * Dual1(dA(i));
  return x;
}

Vec3<double> moments_of(const Mat3<double>& A) { return principal_axes(A).moments; }

TEST(PrincipalAxesDerivative, of_the_moments_is_the_limit_of_its_difference_quotient) {
  for_each_seed([](Random& random) {
    const Mat3<double> A = with_moments(random_rotation<double>(random), 1.0, 2.0, 4.0);
    const Mat3<double> dA = random_symmetric<double>(random);
    const Vec3<Dual1> moments = principal_axes(along(A, dA)).moments;
    const Vec3<double> quotient =
        five_point_derivative([&](double t) { return moments_of(Mat3<double>(A + t * dA)); }, 4e-4);
    // the quotient itself is known to the rounding of the moments, some 1e-14, over the step
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(moments(i).gradient[0], quotient(i), 5e-11);
  });
}

// Hellmann and Feynman: the derivative of a moment is what the change does to its axis
TEST(PrincipalAxesDerivative, of_a_moment_is_the_change_seen_along_its_axis) {
  for_each_seed(
      [](Random& random) {
        const Mat3<double> A = random_symmetric<double>(random),
                           dA = random_symmetric<double>(random);
        const Vec3<Dual1> moments = principal_axes(along(A, dA)).moments;
        const Mat3<double> V = principal_axes(A).axes.matrix();
        for (int k = 0; k < 3; ++k)
          EXPECT_NEAR(moments(k).gradient[0], V.col(k).dot(dA * V.col(k)), 1e-12);
      },
      50);
}

TEST(PrincipalAxesDerivative, of_moments_and_axes_together_is_that_of_the_matrix) {
  for_each_seed(
      [](Random& random) {
        const Mat3<double> A = with_moments(random_rotation<double>(random), 1.0, 2.0, 4.0);
        const Mat3<double> symmetric = 0.5 * (A + A.transpose());
        expect_principal(along(symmetric, random_symmetric<double>(random)), 1e-13);
      },
      100);
}

// most bodies are drawn along their principal axes: the matrix is diagonal, its derivative is not
TEST(PrincipalAxesDerivative, at_a_diagonal_matrix_the_axes_turn_with_it) {
  for_each_seed([](Random& random) {
    const Mat3<double> A = Vec3<double>(1.0, 2.0, 4.0).asDiagonal();
    const Mat3<double> dA = random_symmetric<double>(random);
    const Principal<Dual1> p = principal_axes(along(A, dA));
    // perturbation theory: axis j turns towards axis i by dA_ij / (λ_j - λ_i)
    const Vec3<double> lambda(1.0, 2.0, 4.0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(p.axes.matrix()(i, j).gradient[0],
                    i == j ? 0.0 : dA(i, j) / (lambda(j) - lambda(i)), 1e-14)
            << i << ", " << j;
    expect_principal(along(A, dA));
  });
}

TEST(PrincipalAxesDerivative, of_a_matrix_with_one_plane_of_symmetry_is_that_of_the_matrix) {
  for_each_seed([](Random& random) {
    Mat3<double> A;
    A << 1, 0.3, 0, 0.3, 2, 0, 0, 0, 4;
    expect_principal(along(A, random_symmetric<double>(random)), 1e-13);
    A << 1, 0, 0.3, 0, 2, 0, 0.3, 0, 4;
    expect_principal(along(A, random_symmetric<double>(random)), 1e-13);
  });
}

TEST(PrincipalAxesDerivative, the_second_of_a_moment_is_that_of_perturbation_theory) {
  using DD = Dual<Dual1, 1>;
  for_each_seed([](Random& random) {
    const Vec3<double> lambda(1.0, 2.0, 4.0);
    const Mat3<double> dA = random_symmetric<double>(random);
    for (const Mat3<double>& V : {Mat3<double>(Mat3<double>::Identity()),
                                  Mat3<double>(random_rotation<double>(random).matrix())}) {
      const DD t = DD::variable(Dual1::variable(0.0, 0), 0);
      const Mat3<double> A0 = V * lambda.asDiagonal() * V.transpose(), W = V * dA * V.transpose();
      Mat3<DD> A;
      for (int i = 0; i < 9; ++i) A(i) = DD(A0(i)) + t * DD(W(i));
      const Vec3<DD> moments = principal_axes(A).moments;
      for (int i = 0; i < 3; ++i) {
        double second = 0.0;
        for (int j = 0; j < 3; ++j)
          if (j != i) second += 2.0 * dA(i, j) * dA(i, j) / (lambda(i) - lambda(j));
        EXPECT_NEAR(moments(i).gradient[0].value, dA(i, i), 1e-12);
        EXPECT_NEAR(moments(i).gradient[0].gradient[0], second, 1e-11);
      }
    }
  });
}

}  // namespace
}  // namespace ulna
