#include "constraints/cone_dense.hpp"

#include "constraints/cone_local.hpp"

namespace ulna::detail {

using Kind = ConeProblem::Kind;

bool lu_factor(DenseCones::Matrix A, std::vector<int>& pivots) {
  const Eigen::Index n = A.cols();
  pivots.clear();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index p;
    const double largest = A.col(k).tail(n - k).cwiseAbs().maxCoeff(&p);
    if (!(largest > 0.0)) return false;
    pivots.push_back(static_cast<int>(p += k));
    if (p != k) A.row(k).swap(A.row(p));
    A.col(k).tail(n - k - 1) /= A(k, k);
    for (Eigen::Index j = k + 1; j < n; ++j)
      if (A(k, j) != 0.0) A.col(j).tail(n - k - 1) -= A(k, j) * A.col(k).tail(n - k - 1);
  }
  return true;
}

void lu_solve(const DenseCones::Matrix& A, const std::vector<int>& pivots, DenseCones::Vector x) {
  const Eigen::Index n = A.cols();
  for (Eigen::Index k = 0; k < n; ++k) std::swap(x(k), x(pivots[static_cast<std::size_t>(k)]));
  for (Eigen::Index k = 0; k < n; ++k) x.tail(n - k - 1) -= x(k) * A.col(k).tail(n - k - 1);
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    x(k) /= A(k, k);
    x.head(k) -= x(k) * A.col(k).head(k);
  }
}

namespace {

/// Adds J_a K_b' of what two blocks have in common.
void add_coupling(const ConeProblem& problem, const ConeProblem::Block& a,
                  const ConeProblem::Block& b, DenseCones::Matrix G, int row, int column) {
  const double* data = problem.data();
  for (const ConeProblem::Piece& p : problem.pieces(a))
    for (const ConeProblem::Piece& q : problem.pieces(b)) {
      if (p.segment != q.segment) continue;
      for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.rows; ++j) {
          const double *J = data + p.J + i * p.size, *K = data + q.K + j * q.size;
          double sum = 0.0;
          for (int k = 0; k < p.size; ++k) sum += J[k] * K[k];
          G(row + i, column + j) += sum;
        }
    }
}

}  // namespace

void DenseCones::set(const ConeProblem& problem, std::span<const int> group,
                     std::span<const double> diagonal) {
  associated_ = problem.associated;
  blocks_.clear();
  local_row_.resize(problem.lambda.size());
  size_ = 0;
  for (const int i : group) {
    const ConeProblem::Block& b = problem.block(i);
    const double root = std::sqrt(diagonal[static_cast<std::size_t>(i)]);
    for (int k = 0; k < b.rows; ++k) local_row_[b.row + k] = size_ + k;
    blocks_.push_back(
        {b.kind, b.rows, size_, b.coefficient, b.lower * root, b.upper * root, -1, root});
    size_ += b.rows;
  }
  free_.assign(static_cast<std::size_t>(size_), 1);
  Matrix M = G();
  Vector l = lambda(), b = b_.vector(size_);
  M.setZero();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ConeProblem::Block& from = problem.block(group[i]);
    Block& to = blocks_[i];
    for (std::size_t j = 0; j <= i; ++j)
      add_coupling(problem, from, problem.block(group[j]), M, to.row, blocks_[j].row);
    for (int k = 0; k < to.rows; ++k) {
      M(to.row + k, to.row + k) += problem.compliance[from.row + k];
      l(to.row + k) = problem.lambda[from.row + k] * to.root;
      b(to.row + k) = problem.w[from.row + k] / to.root;
    }
    if (to.kind == Kind::disc) {
      // the radius belongs to a cone that is scaled by another number
      to.normal = local_row_[from.normal];
      const auto cone = std::ranges::find(blocks_, to.normal, &Block::row);
      to.coefficient *= to.root / cone->root;
    }
  }
  for (const Block& c : blocks_)
    for (const Block& r : blocks_)
      if (r.row >= c.row) M.block(r.row, c.row, r.rows, c.rows) /= r.root * c.root;
  for (int c = 1; c < size_; ++c) M.col(c).head(c) = M.row(c).head(c).transpose();
  b.noalias() -= M.lazyProduct(l);
}

void DenseCones::apply(ConeProblem& problem, std::span<const int> group) {
  const Vector l = lambda();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ConeProblem::Block& b = problem.block(group[i]);
    for (int k = 0; k < b.rows; ++k) {
      const double to = l(blocks_[i].row + k) / blocks_[i].root;
      const double change = to - problem.lambda[b.row + k];
      problem.lambda[b.row + k] = to;
      for (const ConeProblem::Piece& p : problem.pieces(b)) {
        const double* K = problem.data() + p.K + k * p.size;
        for (int c = 0; c < p.size; ++c) problem.velocity[p.at + c] += K[c] * change;
      }
    }
  }
}

void DenseCones::velocity_of(const Vector& lambda, Vector w) {
  w = b_.vector(size_);
  w.noalias() += G().lazyProduct(lambda);
}

void DenseCones::project(Vector y) {
  for (const Block& b : blocks_) {
    double* x = y.data() + b.row;
    if (b.kind == Kind::positive) *x = std::max(*x, 0.0);
    if (b.kind == Kind::box) *x = std::clamp(*x, b.lower, b.upper);
    if (b.kind == Kind::cone) project_on_cone(b.coefficient, x[0], x[1], x[2]);
    if (b.kind == Kind::disc)
      project_on_disc(b.coefficient * std::max(0.0, y(b.normal)), b.rows, x);
  }
}

double DenseCones::residual() {
  Vector w = w_.vector(size_), y = trial_.vector(size_), l = lambda();
  velocity_of(l, w);
  y = l - w;
  for (const Block& b : blocks_)
    if (b.kind == Kind::cone && !associated_)
      y(b.row) -= b.coefficient * length(w(b.row + 1), w(b.row + 2));
  // a disc's radius is that of the present normal
  for (const Block& b : blocks_)
    if (b.kind == Kind::disc)
      project_on_disc(b.coefficient * std::max(0.0, l(b.normal)), b.rows, y.data() + b.row);
  double worst = 0.0;
  for (const Block& b : blocks_) {
    double* x = y.data() + b.row;
    if (b.kind == Kind::positive) *x = std::max(*x, 0.0);
    if (b.kind == Kind::box) *x = std::clamp(*x, b.lower, b.upper);
    if (b.kind == Kind::cone) project_on_cone(b.coefficient, x[0], x[1], x[2]);
    for (int k = 0; k < b.rows; ++k)
      worst = std::max(worst, b.root * std::abs(x[k] - l(b.row + k)));
  }
  return worst;
}

}  // namespace ulna::detail
