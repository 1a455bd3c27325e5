#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace ulna {

/// Impulses within cones: what contacts with friction, stops, dry friction in joints and joints that close
/// loops do in a step. It knows no robot: velocities in segments, one for each thing that moves by itself, and rows
/// on them in blocks,
///
///     v = v_free + Σ K λ,     w = J v + offset + R λ,
///
/// where K = M^-1 J' has been computed by whoever knows M. To be found are impulses λ such that, block by block,
///
///     equality    w = 0
///     positive    0 <= λ, w >= 0, λ w = 0                                          (a stop)
///     box         lower <= λ <= upper; w = 0 between, w >= 0 at lower, w <= 0 at upper   (dry friction)
///     cone        λ = (n, t1, t2): 0 <= λn, wn >= 0, λn wn = 0, |λt| <= mu λn, and where wt is not
///                 zero, λt = -mu λn wt/|wt|                                        (Coulomb's law)
///     disc        |λ| <= coefficient λn of a cone, against w likewise         (torsional, rolling friction)
///
/// The cone is the circular one, and the law is that of Coulomb, not its convex relaxation, in which what slides
/// takes off: w + mu |wt| n is in the dual cone of λ's [De Saxcé, Feng 1998].
class ConeProblem {
 public:
  enum class Kind : unsigned char { equality, positive, box, cone, disc };
  struct Block {
    Kind kind;
    int rows, row;             ///< how many, and the first
    double coefficient = 0.0;  ///< of friction; of a disc, m
    double lower = 0.0, upper = 0.0;
    int normal = -1;  ///< of a disc: the row of the cone's normal
    int piece = 0, pieces = 0;
  };
  /// What a block has to do with a segment: J and K, row by row, each of `size` numbers: as long as the segment, or
  /// for some of its numbers.
  struct Piece {
    int segment, at, size;
    std::size_t J, K;
    int columns = -1;  ///< where their list begins; -1: all of the segment
  };
  /// To be filled in by who adds a piece; valid until more is added.
  struct Columns {
    double* J;
    double* K;
  };

  /// Nothing in it. What was allocated is kept.
  void clear();
  /// A segment of the velocity, of so many numbers. Returns its number.
  int add_segment(int size);
  int add_equality() { return add({Kind::equality, 1, 0}); }
  int add_positive() { return add({Kind::positive, 1, 0}); }
  int add_box(double lower, double upper) { return add({Kind::box, 1, 0, 0.0, lower, upper}); }
  int add_cone(double mu) { return add({Kind::cone, 3, 0, mu}); }
  /// Of 1 or 2 rows.
  int add_disc(int rows, double coefficient, int cone) {
    return add({Kind::disc, rows, 0, coefficient, 0.0, 0.0, blocks_[cone].row});
  }
  /// The last block acts on this segment too. At most two for a block.
  Columns add_piece(int segment);
  /// The same in coordinates in which the mass matrix is the identity, so that K = J, for some numbers of the segment, which
  /// ascend: of a tree, those between a body and the base. To be filled in: J, row by row.
  double* add_unit_piece(int segment, std::span<const int> numbers);

  int block_count() const { return static_cast<int>(blocks_.size()); }
  int row_count() const { return static_cast<int>(lambda.size()); }
  int segment_size(int segment) const { return sizes_[segment]; }
  const Block& block(int i) const { return blocks_[i]; }
  /// A cone's coefficient and a box' bounds may be changed between solutions.
  Block& block(int i) { return blocks_[i]; }
  std::span<const Piece> pieces(const Block& b) const {
    return {pieces_.data() + b.piece, static_cast<std::size_t>(b.pieces)};
  }
  int segment_count() const { return static_cast<int>(starts_.size()); }
  int segment_at(int segment) const { return starts_[segment]; }
  const double* data() const { return data_.data(); }
  /// Which elements of the velocity a piece acts on; none: those from `at` on.
  const int* columns(const Piece& p) const {
    return p.columns < 0 ? nullptr : columns_.data() + p.columns;
  }
  /// Whether all pieces were added by add_unit_piece.
  bool is_unit() const { return unit_; }

  /// J v of a row for any velocity.
  double rate(int row_in_block, const Block& block, const double* of) const;
  /// And of all rows of a block.
  void rates(const Block& block, const double* of, double* to) const;

  std::vector<double> velocity;            ///< v: free before, after the impulses afterwards
  std::vector<double> offset, compliance;  ///< per row
  std::vector<double> lambda;              ///< per row: where to begin, then the result
  std::vector<double> w;                   ///< per row: a result
  /// The convex problem: w itself is in the dual cone. For optimisation, not for physics.
  bool associated = false;

 private:
  int add(Block block);

  std::vector<Block> blocks_;
  std::vector<Piece> pieces_;
  std::vector<int> starts_, sizes_, columns_;
  std::vector<double> data_;
  bool unit_ = true;
};

enum class ConeMethod {
  automatic,  ///< Newton where a group of rows is small, Gauss-Seidel where it is large or Newton gives up
  gauss_seidel,  ///< block by block, each exactly
  newton,        ///< as automatic, whatever the size
  admm,          ///< the alternating direction method of multipliers
};

struct ConeOptions {
  ConeMethod method = ConeMethod::automatic;
  /// m/s or rad/s: how far a block may be from its law. The residual is that of the natural map: how far λ moves when w,
  /// divided by the mean diagonal of the block, is subtracted and the result is projected on the cone;
  /// times that diagonal.
  double tolerance = 1e-8;
  int sweeps = 60;         ///< of Gauss-Seidel, at most
  int rounds = 4;          ///< of Newton's method, each from where another method leads, at most
  int last_sweeps = 80;    ///< of Gauss-Seidel, from the best that was found, where that is far off
  int direct_rows = 6000;  ///< more rows that depend on each other are left to Gauss-Seidel
  /// Multiplications of a solution, roughly, after which the best that was found counts. A count, not a time: bits stay the same.
  double effort = std::numeric_limits<double>::infinity();
};

struct ConeReport {
  double residual = 0.0;  ///< the worst, as of ConeOptions::tolerance
  int sweeps = 0;         ///< of Gauss-Seidel, or iterations of ADMM, in the group that took most
  int newton = 0;         ///< steps in the group that took most
  int groups = 0;         ///< of rows that depend on each other
  double effort = 0.0;    ///< as of ConeOptions::effort
  bool converged = true;  ///< in all groups
};

/// Solves cone problems. Rows that share no segment, directly or through others, are solved apart. Begins at
/// problem.lambda, which may be zero or what it was a step ago. Allocates only when it grows; the same problem gives
/// the same bits. See docs/contact.md for the choice of the method.
class ConeSolver {
 public:
  explicit ConeSolver(ConeOptions options = {});
  ~ConeSolver();
  ConeSolver(ConeSolver&&) noexcept;
  ConeSolver& operator=(ConeSolver&&) noexcept;

  ConeReport solve(ConeProblem& problem);
  /// The residual of what is in the problem now.
  double residual(ConeProblem& problem);

  ConeOptions options;

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace ulna
