#include "ulna/constraints/cones.hpp"

#include <limits>
#include <numeric>

#include "constraints/cone_group.hpp"
#include "constraints/cone_local.hpp"
#include "constraints/cone_rows.hpp"

namespace ulna {

using Kind = ConeProblem::Kind;

void ConeProblem::clear() {
  blocks_.clear(), pieces_.clear(), starts_.clear(), sizes_.clear(), data_.clear();
  columns_.clear();
  unit_ = true;
  velocity.clear(), offset.clear(), compliance.clear(), lambda.clear(), w.clear();
}

int ConeProblem::add_segment(int size) {
  starts_.push_back(static_cast<int>(velocity.size()));
  sizes_.push_back(size);
  velocity.resize(velocity.size() + static_cast<std::size_t>(size), 0.0);
  return segment_count() - 1;
}

int ConeProblem::add(Block block) {
  block.row = row_count();
  block.piece = static_cast<int>(pieces_.size());
  blocks_.push_back(block);
  for (int i = 0; i < block.rows; ++i)
    offset.push_back(0.0), compliance.push_back(0.0), lambda.push_back(0.0), w.push_back(0.0);
  return block_count() - 1;
}

ConeProblem::Columns ConeProblem::add_piece(int segment) {
  Block& b = blocks_.back();
  ++b.pieces;
  unit_ = false;
  const int size = sizes_[segment];
  const std::size_t at = data_.size(),
                    half = static_cast<std::size_t>(b.rows) * static_cast<std::size_t>(size);
  data_.resize(at + 2 * half, 0.0);
  pieces_.push_back({segment, starts_[segment], size, at, at + half});
  return {data_.data() + at, data_.data() + at + half};
}

double* ConeProblem::add_unit_piece(int segment, std::span<const int> numbers) {
  Block& b = blocks_.back();
  ++b.pieces;
  const int size = static_cast<int>(numbers.size());
  const std::size_t at = data_.size();
  data_.resize(at + static_cast<std::size_t>(b.rows) * numbers.size(), 0.0);
  int columns = -1;
  if (size < sizes_[segment]) {
    columns = static_cast<int>(columns_.size());
    for (const int k : numbers) columns_.push_back(starts_[segment] + k);
  }
  pieces_.push_back({segment, starts_[segment], size, at, at, columns});
  return data_.data() + at;
}

double ConeProblem::rate(int row_in_block, const Block& block, const double* of) const {
  double sum = 0.0;
  for (const Piece& p : pieces(block)) sum += detail::row_rate(*this, p, row_in_block, of);
  return sum;
}

void ConeProblem::rates(const Block& block, const double* of, double* to) const {
  std::fill_n(to, block.rows, 0.0);
  for (const Piece& p : pieces(block)) detail::add_rates(*this, p, block.rows, of, to);
}

namespace {

/// m/s: what methods leave farther off than this is swept again.
constexpr double far_off = 1e-4;
/// What many rows of a group are.
constexpr int many_rows = 40;
/// Of the effort of a solution, what is kept for these sweeps.
constexpr double share_of_sweeps = 0.25;

/// w of a block at the present velocity.
void set_velocity(ConeProblem& problem, const ConeProblem::Block& b) {
  for (int i = 0; i < b.rows; ++i) {
    const int row = b.row + i;
    problem.w[row] = problem.offset[row] + problem.compliance[row] * problem.lambda[row];
  }
  for (const ConeProblem::Piece& p : problem.pieces(b))
    detail::add_rates(problem, p, b.rows, problem.velocity.data(), problem.w.data() + b.row);
}

void push(ConeProblem& problem, const ConeProblem::Block& b, const double* change) {
  bool any = false;
  for (int i = 0; i < b.rows; ++i) any |= change[i] != 0.0;
  if (!any) return;
  for (const ConeProblem::Piece& p : problem.pieces(b))
    detail::add_impulses(problem, p, b.rows, change, problem.velocity.data());
}

/// J of a row of one piece times K of a row of another, or of the same, of a block.
double coupling(const ConeProblem& problem, const ConeProblem::Piece& p, int row,
                const ConeProblem::Piece& q, int column) {
  const double *J = problem.data() + p.J + row * p.size,
               *K = problem.data() + q.K + column * q.size;
  if (&p == &q) return detail::dot_of<0>(J, K, p.size);
  const int *a = problem.columns(p), *b = problem.columns(q);
  double sum = 0.0;
  for (int i = 0, k = 0; i < p.size && k < q.size;) {
    const int x = a ? a[i] : p.at + i, y = b ? b[k] : q.at + k;
    if (x == y) sum += J[i] * K[k];
    i += x <= y, k += y <= x;
  }
  return sum;
}

/// G of a block alone, R included: the lower triangle row by row.
std::array<double, 6> own_matrix(const ConeProblem& problem, const ConeProblem::Block& b) {
  std::array<double, 6> G{};
  for (const ConeProblem::Piece& p : problem.pieces(b))
    for (const ConeProblem::Piece& q : problem.pieces(b)) {
      if (p.segment != q.segment) continue;
      for (int i = 0, at = 0; i < b.rows; ++i)
        for (int j = 0; j <= i; ++j, ++at) G[at] += coupling(problem, p, i, q, j);
    }
  for (int i = 0; i < b.rows; ++i) G[i * (i + 3) / 2] += problem.compliance[b.row + i];
  return G;
}

/// The trace of the same.
double own_trace(const ConeProblem& problem, const ConeProblem::Block& b) {
  double sum = 0.0;
  const auto pieces = problem.pieces(b);
  for (const ConeProblem::Piece& p : pieces) {
    // its rows are one after the other
    sum += detail::dot_of<0>(problem.data() + p.J, problem.data() + p.K, b.rows * p.size);
    for (const ConeProblem::Piece& q : pieces)
      for (int i = 0; &p != &q && p.segment == q.segment && i < b.rows; ++i)
        sum += coupling(problem, p, i, q, i);
  }
  for (int i = 0; i < b.rows; ++i) sum += problem.compliance[b.row + i];
  return sum;
}

/// How far a block is from its law, as a velocity.
double block_residual(const ConeProblem& problem, const ConeProblem::Block& b, double diagonal) {
  const double *l = problem.lambda.data() + b.row, *w = problem.w.data() + b.row;
  double x[3];
  for (int k = 0; k < b.rows; ++k) x[k] = l[k] - w[k] / diagonal;
  switch (b.kind) {
    case Kind::equality:
      break;
    case Kind::positive:
      x[0] = std::max(x[0], 0.0);
      break;
    case Kind::box:
      x[0] = std::clamp(x[0], b.lower, b.upper);
      break;
    case Kind::cone:
      if (!problem.associated) x[0] -= b.coefficient * detail::length(w[1], w[2]) / diagonal;
      detail::project_on_cone(b.coefficient, x[0], x[1], x[2]);
      break;
    case Kind::disc:
      detail::project_on_disc(b.coefficient * std::max(0.0, problem.lambda[b.normal]), b.rows, x);
      break;
  }
  double worst = 0.0;
  for (int k = 0; k < b.rows; ++k) worst = std::max(worst, diagonal * std::abs(x[k] - l[k]));
  return worst;
}

}  // namespace

struct ConeSolver::Scratch {
  struct Local {
    detail::LocalCone cone;
    detail::LocalDisc disc;
  };
  std::vector<Local> local;  ///< of each block, as soon as it is swept
  std::vector<char> has_local;
  std::vector<double> diagonal;  ///< the mean of each block's
  std::vector<int> parent;       ///< of each segment, for groups
  std::vector<int> order, group_of, starts;
  std::vector<double> free;  ///< velocities without impulses
  std::vector<double> best;  ///< impulses, those of the group that is being solved
  detail::ConeGroup dense;

  void prepare(ConeProblem& problem);
  void set_local(const ConeProblem& problem, int block);
  void find_groups(const ConeProblem& problem);
  int root(int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }
  double residual(ConeProblem& problem, std::span<const int> group) {
    double worst = 0.0;
    for (const int i : group) {
      set_velocity(problem, problem.block(i));
      worst = std::max(worst, block_residual(problem, problem.block(i), diagonal[i]));
    }
    return worst;
  }
  double solve_block(ConeProblem& problem, int i);
  int gauss_seidel(ConeProblem& problem, std::span<const int> group, double tolerance, int sweeps);
  void keep_best(ConeProblem& problem, std::span<const int> group, double error, double& least);
  void go_back(ConeProblem& problem, std::span<const int> group);
  int settle(ConeProblem& problem, std::span<const int> group, double tolerance, int most,
             double& error, double& least);
  bool newton(ConeProblem& problem, std::span<const int> group, const ConeOptions& options,
              ConeReport& report, double& error);
};

void ConeSolver::Scratch::prepare(ConeProblem& problem) {
  const int n = problem.block_count();
  local.resize(static_cast<std::size_t>(n)), diagonal.resize(static_cast<std::size_t>(n));
  has_local.assign(static_cast<std::size_t>(n), 0);
  for (int i = 0; i < n; ++i) {
    const ConeProblem::Block& b = problem.block(i);
    diagonal[i] = std::max(own_trace(problem, b) / b.rows, 1e-300);
  }
}

void ConeSolver::Scratch::set_local(const ConeProblem& problem, int i) {
  const ConeProblem::Block& b = problem.block(i);
  std::array<double, 6> G = own_matrix(problem, b);
  // so that directions in which nothing can move have an answer; it vanishes when λ no longer changes
  for (int k = 0; k < b.rows; ++k) G[k * (k + 3) / 2] += 1e-10 * diagonal[i];
  if (b.kind == Kind::cone) local[i].cone = detail::LocalCone(G);
  if (b.kind == Kind::disc && b.rows == 2) local[i].disc = detail::LocalDisc(G[0], G[1], G[2]);
  if (b.kind != Kind::cone) local[i].cone.nn = G[0];
  has_local[i] = 1;
}

/// Blocks by group, groups in the order of their first block.
void ConeSolver::Scratch::find_groups(const ConeProblem& problem) {
  parent.resize(static_cast<std::size_t>(problem.segment_count()));
  std::iota(parent.begin(), parent.end(), 0);
  const int n = problem.block_count();
  for (int i = 0; i < n; ++i) {
    const auto pieces = problem.pieces(problem.block(i));
    for (const ConeProblem::Piece& p : pieces) parent[root(p.segment)] = root(pieces[0].segment);
  }
  group_of.assign(parent.size(), -1);
  int groups = 0;
  starts.assign(1, 0);
  for (int i = 0; i < n; ++i) {
    int& g = group_of[root(problem.pieces(problem.block(i))[0].segment)];
    if (g < 0) g = groups++, starts.push_back(0);
    ++starts[static_cast<std::size_t>(g) + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  order.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    order[starts[group_of[root(problem.pieces(problem.block(i))[0].segment)]]++] = i;
  for (int g = groups; g > 0; --g) starts[g] = starts[g - 1];
  starts[0] = 0;
}

/// Solves a block, all others as they are. Returns the change, as a velocity.
double ConeSolver::Scratch::solve_block(ConeProblem& problem, int i) {
  const ConeProblem::Block& b = problem.block(i);
  if (!has_local[i]) set_local(problem, i);
  set_velocity(problem, b);
  double *l = problem.lambda.data() + b.row, *w = problem.w.data() + b.row;
  double to[3] = {}, change[3];
  if (b.kind == Kind::cone) {
    const detail::LocalCone& c = local[i].cone;
    // b = w - G λ, G from its elimination
    const auto t = c.tangent.in(l[1], l[2]);
    const auto Gt = c.tangent.out(c.tangent.g[0] * t[0], c.tangent.g[1] * t[1]);
    const double normal = l[0] + c.tn[0] * l[1] + c.tn[1] * l[2];
    const double rest[3] = {w[0] - c.nn * normal, w[1] - Gt[0] - c.nn * c.tn[0] * normal,
                            w[2] - Gt[1] - c.nn * c.tn[1] * normal};
    c.solve(b.coefficient, rest, to);
  } else if (b.kind == Kind::disc && b.rows == 2) {
    const detail::LocalDisc& d = local[i].disc;
    const auto t = d.in(l[0], l[1]);
    const auto Gt = d.out(d.g[0] * t[0], d.g[1] * t[1]);
    const double rest[2] = {w[0] - Gt[0], w[1] - Gt[1]};
    detail::solve_disc(d, b.coefficient * problem.lambda[b.normal], rest, to);
  } else {
    to[0] = l[0] - w[0] / local[i].cone.nn;
    if (b.kind == Kind::positive) to[0] = std::max(to[0], 0.0);
    if (b.kind == Kind::box) to[0] = std::clamp(to[0], b.lower, b.upper);
    const double radius = b.kind == Kind::disc ? b.coefficient * problem.lambda[b.normal] : 0.0;
    if (b.kind == Kind::disc) to[0] = std::clamp(to[0], -radius, radius);
  }
  double most = 0.0;
  for (int k = 0; k < b.rows; ++k) {
    change[k] = to[k] - l[k];
    l[k] = to[k];
    most = std::max(most, std::abs(change[k]));
  }
  push(problem, b, change);
  return most * diagonal[i];
}

int ConeSolver::Scratch::gauss_seidel(ConeProblem& problem, std::span<const int> group,
                                      double tolerance, int sweeps) {
  for (int s = 1; s <= sweeps; ++s) {
    double most = 0.0;
    // of a block: some 20 columns to read and to write, and its own equation
    dense.effort += 200.0 * static_cast<double>(group.size());
    if (s % 2)
      for (const int i : group) most = std::max(most, solve_block(problem, i));
    else
      for (std::size_t k = group.size(); k-- > 0;)
        most = std::max(most, solve_block(problem, group[k]));
    if (most <= 0.5 * tolerance && residual(problem, group) <= tolerance) return s;
    if (dense.effort > dense.most_effort) return s;
  }
  return sweeps;
}

int rows_of(const ConeProblem& problem, std::span<const int> group) {
  int rows = 0;
  for (const int i : group) rows += problem.block(i).rows;
  return rows;
}

/// Sweeps to begin with, of what is far from its law: the more rows, the dearer is a step of Newton's method against a sweep.
int first_sweeps(int rows, double error) {
  return rows > many_rows && error > 1e-4 ? std::min(rows / 4, 20) : 0;
}

/// Keeps the impulses with the least error, or goes back to them.
void ConeSolver::Scratch::keep_best(ConeProblem& problem, std::span<const int> group, double error,
                                    double& least) {
  if (error < least) {
    least = error;
    for (const int i : group)
      std::copy_n(problem.lambda.data() + problem.block(i).row, problem.block(i).rows,
                  best.data() + problem.block(i).row);
  }
}
void ConeSolver::Scratch::go_back(ConeProblem& problem, std::span<const int> group) {
  for (const int i : group) {
    const ConeProblem::Block& b = problem.block(i);
    std::copy_n(best.data() + b.row, b.rows, problem.lambda.data() + b.row);
    for (const ConeProblem::Piece& p : problem.pieces(b))
      std::copy_n(free.data() + p.at, problem.segment_size(p.segment),
                  problem.velocity.data() + problem.segment_at(p.segment));
  }
  for (const int i : group)
    push(problem, problem.block(i), problem.lambda.data() + problem.block(i).row);
}

/// Sweeps from the best that was found, where methods that cost more have left it far off: bounded, and cheap.
int ConeSolver::Scratch::settle(ConeProblem& problem, std::span<const int> group, double tolerance,
                                int most, double& error, double& least) {
  int sweeps = 0;
  if (least < error) go_back(problem, group);
  while (sweeps < most && least > far_off) {
    sweeps += gauss_seidel(problem, group, tolerance, 4);
    error = residual(problem, group);
    keep_best(problem, group, error, least);
    if (dense.effort > dense.most_effort) break;
  }
  return sweeps;
}

/// Newton; where it fails, from where Gauss-Seidel, ADMM or a convex problem lead. Ends at the best that was found.
bool ConeSolver::Scratch::newton(ConeProblem& problem, std::span<const int> group,
                                 const ConeOptions& options, ConeReport& report, double& error) {
  int steps = 0, sweeps = 0;
  double least = std::numeric_limits<double>::infinity();
  keep_best(problem, group, error, least);
  const int rows = rows_of(problem, group);
  // where rows are few, the convex problem comes before ADMM: it costs less there
  const int convex_round = rows > many_rows ? 3 : 2, admm_round = 5 - convex_round;
  if (const int first = first_sweeps(rows, error); first > 0) {
    sweeps += gauss_seidel(problem, group, options.tolerance, first);
    error = residual(problem, group);
    keep_best(problem, group, error, least);
  }
  for (int round = 0; round < options.rounds && least > options.tolerance; ++round) {
    if (dense.effort > dense.most_effort) break;
    if (least < error) go_back(problem, group);
    const bool near = least < 100.0 * options.tolerance;
    if (round == 1 || (round > 1 && near))
      sweeps += gauss_seidel(problem, group, options.tolerance, 20);
    if (round == 0)
      dense.set(problem, group, diagonal, free);
    else
      dense.begin(problem, group);
    if (round % 2 == 1) dense.by_rows();
    if (round == admm_round && !near) sweeps += dense.admm(options.tolerance, 200);
    if (round == convex_round && !near) steps += dense.convex(options.tolerance, 1);
    steps += dense.newton(options.tolerance, 25, round % 2 ? 1e-7 : 1e-9);
    dense.apply(problem, group);
    error = residual(problem, group);
    keep_best(problem, group, error, least);
  }
  if (least > far_off) {
    // each group has its share of what was kept, whatever those before it took
    dense.most_effort = std::max(dense.effort, dense.most_effort) +
                        share_of_sweeps * options.effort * static_cast<double>(group.size()) /
                            problem.block_count();
    sweeps += settle(problem, group, options.tolerance, options.last_sweeps, error, least);
  }
  if (least < error) go_back(problem, group), error = residual(problem, group);
  report.newton = std::max(report.newton, steps), report.sweeps = std::max(report.sweeps, sweeps);
  return error <= options.tolerance;
}

ConeSolver::ConeSolver(ConeOptions o) : options(o), scratch_(std::make_unique<Scratch>()) {}
ConeSolver::~ConeSolver() = default;
ConeSolver::ConeSolver(ConeSolver&&) noexcept = default;
ConeSolver& ConeSolver::operator=(ConeSolver&&) noexcept = default;

double ConeSolver::residual(ConeProblem& problem) {
  scratch_->prepare(problem), scratch_->find_groups(problem);
  return scratch_->residual(problem, scratch_->order);
}

ConeReport ConeSolver::solve(ConeProblem& problem) {
  Scratch& s = *scratch_;
  s.prepare(problem), s.find_groups(problem);
  s.free = problem.velocity, s.best.resize(problem.lambda.size());
  // what λ is to begin with, within its cones: of surfaces that have turned it may not be
  for (int i = 0; i < problem.block_count(); ++i) {
    const auto& b = problem.block(i);
    double* const l = problem.lambda.data() + b.row;
    if (b.kind == Kind::cone) detail::project_on_cone(b.coefficient, l[0], l[1], l[2]);
    push(problem, b, l);
  }
  ConeReport report;
  s.dense.effort = 0.0;
  report.groups = static_cast<int>(s.starts.size()) - 1;
  for (int g = 0; g < report.groups; ++g) {
    const std::span<const int> group(s.order.data() + s.starts[g],
                                     s.order.data() + s.starts[g + 1]);
    s.dense.most_effort = (1.0 - share_of_sweeps) * options.effort;
    double error = s.residual(problem, group);
    if (error > options.tolerance && options.method == ConeMethod::admm) {
      s.dense.set(problem, group, s.diagonal, s.free);
      report.sweeps = std::max(report.sweeps, s.dense.admm(options.tolerance, 10 * options.sweeps));
      s.dense.apply(problem, group);
      error = s.residual(problem, group);
    } else if (error > options.tolerance) {
      const bool direct =
          options.method == ConeMethod::newton || (options.method == ConeMethod::automatic &&
                                                   rows_of(problem, group) <= options.direct_rows);
      if (!direct) {
        report.sweeps = std::max(report.sweeps,
                                 s.gauss_seidel(problem, group, options.tolerance, options.sweeps));
        error = s.residual(problem, group);
      } else {
        s.newton(problem, group, options, report, error);
      }
    }
    report.residual = std::max(report.residual, error);
    report.converged &= error <= options.tolerance;
  }
  report.effort = s.dense.effort;
  return report;
}

}  // namespace ulna
