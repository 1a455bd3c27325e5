#include "identify/dense.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "ulna/identify/estimate/consistent.hpp"

namespace ulna::test {

using namespace identify;
namespace {

Matrix random_matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return Matrix::NullaryExpr(rows, columns, [&] { return uniform(bits); });
}

/// Positive definite; two branches that have nothing to do with each other, and what both have to do with.
Matrix branched(Index n, unsigned seed) {
  Matrix rows = random_matrix(2 * n, n, seed);
  const Index third = n / 3;
  rows.topLeftCorner(n, third).setZero();
  rows.block(n, third, n, third).setZero();
  return rows.transpose() * rows + 0.1 * Matrix::Identity(n, n);
}

Eigen::VectorXi first_columns(const Matrix& A) {
  Eigen::VectorXi first(A.rows());
  for (Index row = 0; row < A.rows(); ++row)
    for (first(row) = 0; A(row, first(row)) == 0.0 && first(row) < row;) ++first(row);
  return first;
}

Matrix filled_up(const Matrix& A) {
  Matrix filled = Matrix::Zero(identify::detail::filled_up(A.rows()), A.cols());
  filled.topRows(A.rows()) = A;
  return filled;
}

const std::vector<Index> sizes{1, 2, 3, 5, 8, 12, 23, 31, 84, 131, 360};

TEST(DenseFactor, is_the_one_of_eigen) {
  for (const Index n : sizes) {
    const Matrix A = branched(n, unsigned(n));
    Matrix L = filled_up(A);
    ASSERT_TRUE(identify::detail::factor(L, first_columns(A)));
    const Matrix wanted = A.llt().matrixL();
    EXPECT_LE((L.topRows(n) - wanted).triangularView<Eigen::Lower>().toDenseMatrix().norm(),
              1e-11 * wanted.norm())
        << n;
  }
}

TEST(DenseFactor, refuses_what_is_not_positive_definite) {
  for (const Index n : sizes) {
    Matrix A = branched(n, 1);
    A(n - 1, n - 1) = -1.0;
    Matrix L = filled_up(A);
    EXPECT_FALSE(identify::detail::factor(L, first_columns(A))) << n;
    A(0, 0) = std::nan("");
    L = filled_up(A);
    EXPECT_FALSE(identify::detail::factor(L, first_columns(A))) << n;
  }
}

TEST(DenseFactor, solves_eight_rows_at_a_time) {
  for (const Index n : sizes) {
    const Matrix A = branched(n, 2);
    Matrix L = filled_up(A);
    ASSERT_TRUE(identify::detail::factor(L, first_columns(A)));
    Eigen::Matrix<double, 8, Eigen::Dynamic> X = random_matrix(8, n, 3);
    const Matrix wanted = A.llt().matrixL().solve(X.transpose());
    identify::detail::solve_rows(L, X);
    EXPECT_LE((X.transpose() - wanted).norm(), 1e-10 * wanted.norm()) << n;
  }
}

TEST(AddSquares, adds_to_the_lower_half) {
  for (const Index n : sizes)
    for (const Index count : {1, 6, 30}) {
      const Matrix Z = random_matrix(n, count, 4), before = branched(n, 5);
      Matrix sum = before;
      identify::detail::add_squares(Z, sum);
      const Matrix wanted = before + Z * Z.transpose();
      EXPECT_LE((sum - wanted).triangularView<Eigen::Lower>().toDenseMatrix().norm(),
                1e-13 * wanted.norm())
          << n << " " << count;
    }
}

TEST(ConsistentSolver, follows_data_that_change_slowly_by_one_step_for_each) {
  constexpr int n = 40;
  PhysicalPrior prior(n);
  for (int at = 0; at < n; ++at) prior.add_positive(at, 1.0, 1.0);
  const Matrix rows = random_matrix(400, n, 6);
  const Vector truth = Vector::Constant(n, 2.0);
  Vector z = prior.center();
  ConsistentSolver solver(n);
  Matrix G = Matrix::Zero(n, n);
  Vector g = Vector::Zero(n);
  for (int k = 0; k < 400; ++k) {
    G += 10.0 * rows.row(k).transpose() * rows.row(k);
    g = G * truth;
    EXPECT_GE(solver.step(G, g, prior, z), 0.0) << k;
  }
  EXPECT_LE((z - truth).norm(), 0.01);
}

}  // namespace
}  // namespace ulna::test
