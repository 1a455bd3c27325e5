#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "ulna/constraints/cones.hpp"

namespace ulna::detail {

/// Memory for a vector or matrix whose size changes: it grows and is never given back.
class Growing {
 public:
  using Vector = Eigen::Map<Eigen::VectorXd>;
  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  Vector vector(int size) { return {grown(static_cast<std::size_t>(size)), size}; }
  Matrix matrix(int n) {
    return {grown(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), n, n};
  }

 private:
  double* grown(std::size_t size) {
    if (data_.size() < size) data_.resize(size + size / 2);
    return data_.data();
  }
  std::vector<double> data_;
};

/// A group of rows as a dense problem w = G λ + b, scaled by a number per block so that the mean diagonal of each
/// block is 1: scaled cones are cones, and masses that differ by millions are alike.
class DenseCones {
 public:
  using Vector = Growing::Vector;
  using Matrix = Growing::Matrix;

  /// The blocks of a group, at the present λ and w. `diagonal` are the mean diagonals of all blocks.
  void set(const ConeProblem& problem, std::span<const int> group,
           std::span<const double> diagonal);
  /// Writes λ, and to the velocities what it does to them.
  void apply(ConeProblem& problem, std::span<const int> group);

  /// Newton's method on the equations of [Alart, Curnier 1991]; the tolerance is that of w before scaling. λ is the best
  /// found. Rows may depend on each other: of all λ that solve the problem, this is close to the smallest.
  /// Returns the number of steps.
  int newton(double tolerance, int most);
  /// ADMM with the shift of De Saxcé [Carpentier, Montaut et al. 2024]. Returns the number of iterations.
  int admm(double tolerance, int most);
  /// Of the natural map, before scaling, at λ.
  double residual();

 private:
  struct Block {
    ConeProblem::Kind kind;
    int rows, row;  ///< in this group
    double coefficient, lower, upper;
    int normal;
    double root;  ///< of the mean diagonal
  };
  /// A row of Newton's matrix: multiples of up to three unit rows and rows of G.
  struct NewtonRow {
    int row, terms;
    int of[3];
    double unit[3], of_G[3];
  };

  Vector lambda() { return lambda_.vector(size_); }
  Matrix G() { return G_.matrix(size_); }
  void velocity_of(const Vector& lambda, Vector w);
  /// F of Alart and Curnier; with `rows`, the rows of its derivative, those of λ alone left out and stepped.
  /// Returns the largest element of F as a velocity.
  double equations(const Vector& lambda, const Vector& w, Vector F, bool rows);
  void cone_equations(const Block& b, const Vector& lambda, const Vector& w, Vector F, bool rows);
  void disc_equations(const Block& b, const Vector& lambda, const Vector& w, Vector F, bool rows);
  void fix(int row, const Vector& F) { step_.vector(size_)(row) = -F(row), free_[row] = 0; }
  void still(int row) { newton_rows_.push_back({row, 1, {row, 0, 0}, {}, {1.0, 0.0, 0.0}}); }
  bool newton_step(const Vector& F);
  void project(Vector y);

  std::vector<Block> blocks_;
  std::vector<int> local_row_;  ///< of each row of the problem
  std::vector<char> free_;
  std::vector<NewtonRow> newton_rows_;
  std::vector<int> active_, pivots_;
  int size_ = 0;
  bool associated_ = false;
  Growing G_, factor_, lambda_, b_, w_, F_, step_, trial_, rhs_, best_, centre_, x_, z_, proximal_;
};

/// A = L U in place, by rows exchanged. False if a pivot vanishes.
bool lu_factor(DenseCones::Matrix A, std::vector<int>& pivots);
void lu_solve(const DenseCones::Matrix& A, const std::vector<int>& pivots, DenseCones::Vector x);

}  // namespace ulna::detail
