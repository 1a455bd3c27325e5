#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "constraints/block_lu.hpp"
#include "constraints/dense_factor.hpp"
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

/// A group of rows, w = J v + b + R λ with v = v_free + K λ, scaled by a number per block so that the mean diagonal of each
/// block is 1: scaled cones are cones, and masses that differ by millions are alike.
///
/// Linear systems of rows, (E + A J K) x = r with A and E that couple the rows of a contact only, are solved in one of two ways: with
/// the matrix J K of the rows that are not at a bound, or, where these are many, by velocities: x = E^-1 (r - A J z),
/// (1 + K E^-1 A J) z = K E^-1 r [Woodbury], where the matrix is as large as the velocities are many, and as sparse as what touches.
class ConeGroup {
 public:
  using Vector = Growing::Vector;
  using Matrix = Growing::Matrix;

  /// The blocks of a group at the present λ. `diagonal` are the mean diagonals of all blocks, `free` the velocities without
  /// impulses.
  void set(const ConeProblem& problem, std::span<const int> group, std::span<const double> diagonal,
           std::span<const double> free);
  /// From the impulses that the problem has now, which `set` does too.
  void begin(const ConeProblem& problem, std::span<const int> group);
  /// By rows from here on, unless they are much dearer: more exact.
  void by_rows();
  /// Writes λ, and velocities to it.
  void apply(ConeProblem& problem, std::span<const int> group);

  /// Newton's method on the equations of [Alart, Curnier 1991]; the tolerance is that of w before scaling. λ is the best
  /// found. Rows may depend on each other: of all λ that solve the problem, this is close to the smallest.
  /// `proximal` is added to diagonals of 1. Returns the number of steps.
  int newton(double tolerance, int most, double proximal);
  /// Convex problems one after the other, in which the shift of De Saxcé and the radii of discs are those of the last one [Acary,
  /// Cadoux et al. 2011], each by Newton's method on velocities with a line search, which always converges [Castro et al. 2022].
  /// Never far off, but slow to become exact. In unit coordinates only. Returns the number of steps.
  int convex(double tolerance, int rounds);
  /// ADMM with the shift of De Saxcé [Carpentier, Montaut et al. 2024]. Returns the number of iterations.
  int admm(double tolerance, int most);
  /// Of the natural map, before scaling, at λ.
  double residual();

  double effort = 0.0;         ///< multiplications so far
  double most_effort = 1e300;  ///< after which methods end

 private:
  static constexpr int most_rows = 6;
  struct Block {
    ConeProblem::Kind kind;
    int rows, row;  ///< in this group
    double coefficient, lower, upper;
    int normal;
    double root;   ///< of the mean diagonal
    int unit, at;  ///< which, and where in it the block begins
  };
  /// A contact with its torsional and rolling friction, or a block of another kind: rows that laws couple. J and K are for the
  /// velocities that columns_ lists from `column` on, which belong to `runs` segments.
  struct Unit {
    int rows = 0, row[most_rows] = {};
    int first = 0, blocks = 0;  ///< which block is the first, and how many
    int column = 0, columns = 0;
    std::size_t J = 0, K = 0;
    int runs = 0, run[5] = {}, segment[4] = {};
    double D[most_rows * most_rows] = {}, g[most_rows] = {};  ///< E^-1 A and E^-1 r
    bool still = false;                                       ///< D is zero
  };
  /// An equation of Newton's step: multiples of up to three impulses and velocities. And its unknown: multiples of these impulses.
  /// Equations that name impulses alone have none, they follow from others.
  struct NewtonRow {
    int row, terms;
    int of[3];
    double unit[3], of_G[3], unknown[3];
    double rhs;
    int place = -1;  ///< of its unknown; -1: it follows
  };

  Vector lambda() { return lambda_.vector(size_); }
  Matrix G() { return G_.matrix(size_); }
  void add_blocks(const ConeProblem& problem, std::span<const int> group,
                  std::span<const double> diagonal);
  void add_segments(const ConeProblem& problem, std::span<const int> group);
  void add_columns(const ConeProblem& problem, std::span<const int> group, Unit& unit);
  bool add_plain_columns(const ConeProblem& problem, const ConeProblem::Block& from, Unit& unit);
  /// Multiplications of a step by velocities, roughly.
  double velocity_cost();
  /// Whether so many rows are solved by themselves.
  bool prefers_rows(int rows);
  /// Makes G known between the rows of a row's unit and all that were asked for before.
  void know(int row);
  template <int rows_a, int rows_b>
  void couple(const Unit& a, const Unit& b, Matrix to) const;
  bool is_of_bodies(const Unit& u) const;
  void velocity_of(const Vector& lambda, Vector w);
  void add_impulses(const Vector& lambda, Vector velocity) const;
  void add_rates(const Vector& velocity, Vector w) const;
  /// F of Alart and Curnier; with `rows`, the rows of its derivative, those of λ alone left out and stepped.
  /// Returns the largest element of F as a velocity.
  double equations(const Vector& lambda, const Vector& w, Vector F, bool rows);
  void cone_equations(const Block& b, const Vector& lambda, const Vector& w, Vector F, bool rows);
  void disc_equations(const Block& b, const Vector& lambda, const Vector& w, Vector F, bool rows);
  void fix(int row, const Vector& F) { step_.vector(size_)(row) = -F(row), law_[row] = -1; }
  NewtonRow& add_law(const NewtonRow& r) {
    law_[r.row] = static_cast<int>(newton_rows_.size());
    step_.vector(size_)(r.row) = 0.0;
    newton_rows_.push_back(r);
    newton_rows_.back().place = unknowns_++;
    return newton_rows_.back();
  }
  void still(int row, const Vector& F) {
    add_law({row, 1, {row, 0, 0}, {}, {1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, -F(row)});
  }
  bool newton_step(const Vector& F);
  bool step_by_rows();
  bool factor_rows();
  bool factor_rows_symmetric();
  bool step_by_velocities(const Vector& F);
  bool linearise(Unit& unit, const Vector& F);
  void add_to_matrix(const Unit& unit);
  bool factor_velocities();
  double residual_at(const Vector& lambda, const Vector& w);
  /// x = g - D J z of all units.
  void solve_velocities(Vector x);
  bool factor_shifted(double shift);
  void solve_shifted(Vector x);
  /// λ = P((rho centre - rate - shift)/(rho + R)) of all blocks, with slopes in D if asked for. Returns ½ Σ (rho + R) |λ|².
  double respond(double rho, const Vector& centre, const Vector& shift, const Vector& rate,
                 Vector to, bool slopes);
  int minimise(double rho, const Vector& centre, const Vector& shift, Vector v);
  void analyse();
  void project(Vector y);

  std::vector<Block> blocks_;
  std::vector<Unit> units_;
  std::vector<double> data_;
  std::vector<int> columns_, position_;
  std::vector<int> segments_, local_segment_, sizes_, starts_;
  std::vector<int> local_row_;  ///< of each row of the problem
  std::vector<int> law_;        ///< of each row: which of newton_rows_, -1: fixed
  std::vector<NewtonRow> newton_rows_;
  std::vector<int> row_of_place_, mixed_;  ///< of unknowns; equations of more than one velocity
  std::vector<int> known_;                 ///< units whose rows of G are
  std::vector<char> is_known_;
  std::vector<int> places_;  ///< of each row, its unit
  int unknowns_ = 0;         ///< of a step of Newton's method
  int size_ = 0, velocities_ = 0;
  bool associated_ = false, unit_ = false;
  bool exact_ = false;     ///< by rows, unless they are much dearer
  bool analysed_ = false;  ///< lu_ is for these velocities
  double entries_ = 0.0;   ///< multiplications that fill the matrix of velocities
  BlockLu lu_;
  DenseFactor dense_;
  Growing G_, lambda_, b_, R_, free_, v_, w_, held_w_, F_, step_, trial_, rhs_, best_, centre_, x_,
      z_, proximal_, gradient_, rate_, shift_, offset_, best_v_, step_v_;
};

}  // namespace ulna::detail
