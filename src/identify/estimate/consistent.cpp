#include "ulna/identify/estimate/consistent.hpp"

#include <algorithm>
#include <utility>

#include "identify/dense.hpp"

namespace ulna::identify {

ConsistentSolver::ConsistentSolver(int unknowns)
    : H_(Matrix::Zero(unknowns, unknowns)),
      factor_(Matrix::Zero(detail::filled_up(unknowns), unknowns)),
      coming_(factor_),
      first_(Eigen::VectorXi::Zero(unknowns)),
      gradient_(Vector::Zero(unknowns)) {
  solved_.setZero(8, unknowns);
}

double ConsistentSolver::step(const Matrix& G, const Vector& g, const PhysicalPrior& prior,
                              Vector& z, double pull) {
  gradient_.noalias() = G.selfadjointView<Eigen::Lower>() * z;
  const double data = 0.5 * gradient_.dot(z) - g.dot(z), before = prior.value(z);
  gradient_ -= g;
  next_ = gradient_;  // of the data; what follows adds the prior's
  for (Index c = 0; c < z.size(); ++c) H_.col(c).segment(c, beside(c)).setZero();
  step_.setZero();
  prior.add_derivatives(z, step_, H_);
  gradient_ += pull * step_;

  if (!factorise(G, pull + damping_)) return -1.0;
  step_ = -scale_.cwiseProduct(gradient_);
  const auto L = factor_.topRows(z.size()).triangularView<Eigen::Lower>();
  L.solveInPlace(step_);
  L.transpose().solveInPlace(step_);
  step_ = scale_.cwiseProduct(step_);
  const double decrement = -gradient_.dot(step_);
  if (!(decrement >= 0.0)) return -1.0;

  // backtracking; the data's part along the way is known in closed form
  const double data_slope = next_.dot(step_);
  next_.noalias() = G.selfadjointView<Eigen::Lower>() * step_;
  const double data_curve = step_.dot(next_);
  for (double t = 1.0; t > 1e-12; t *= 0.5) {
    // not too near to the boundary, from where it is hard to get away
    next_ = z + (1.25 * t) * step_;
    if (!prior.inside(next_)) continue;
    next_ = z + t * step_;
    const double change =
        t * (data_slope + 0.5 * t * data_curve) + pull * (prior.value(next_) - before);
    if (!(change <= -0.1 * t * decrement + 1e-14 * std::abs(data + pull * before))) continue;
    z = next_;
    ++steps_;
    if (t == 1.0)
      damping_ = damping_ < 0.1 ? 0.0 : 0.2 * damping_;
    else
      damping_ = pull > 1.0 ? 0.0 : std::max(1.0, damping_) / t;
    return 0.5 * decrement;
  }
  return -1.0;
}

/// Unknowns that a prior couples are those of a body: rows of H from the diagonal on that may not be zero.
Index ConsistentSolver::beside(Index column) const {
  return std::min<Index>(10, H_.cols() - column);
}

/// Of the Hessian, scaled, as masses and inertias are of very different sizes; false if it is not positive definite.
bool ConsistentSolver::factorise(const Matrix& G, double held) {
  const Index n = H_.cols();
  coming_scale_ = (G.diagonal() + held * H_.diagonal()).cwiseSqrt().cwiseInverse();
  // bodies of different branches of a robot have nothing to do with each other
  Index known = 0;
  first_.setConstant(int(n));
  for (Index c = 0; c < n; ++c) {
    auto column = coming_.col(c).segment(c, n - c);
    column = G.col(c).tail(n - c);
    column.head(beside(c)) += held * H_.col(c).segment(c, beside(c));
    column.array() *= coming_scale_(c) * coming_scale_.tail(n - c).array();
    for (Index row = c; row < n && known < n; ++row)
      if (first_(row) > c && (row == c || coming_(row, c) != 0.0)) first_(row) = int(c), ++known;
  }
  // near the boundary the prior's curvature is all but singular beside itself
  coming_.diagonal().array() += 1e-13;
  if (!detail::factor(coming_, first_)) return false;
  std::swap(factor_, coming_), std::swap(scale_, coming_scale_);
  return true;
}

void ConsistentSolver::variances(Eigen::Ref<Matrix> rows, Eigen::Ref<Vector> variances) {
  for (Index first = 0; first < rows.cols(); first += 8) {
    const Index count = std::min<Index>(8, rows.cols() - first);
    for (Index i = 0; i < rows.rows(); ++i)
      solved_.col(i).head(count) = scale_(i) * rows.row(i).segment(first, count).transpose();
    detail::solve_rows(factor_, solved_);
    variances.segment(first, count) = solved_.topRows(count).rowwise().squaredNorm();
  }
}

bool ConsistentSolver::solve(const Matrix& G, const Vector& g, const PhysicalPrior& prior,
                             Vector& z, int most, double tolerance) {
  steps_ = 0;
  damping_ = 0.0;
  z = prior.center();
  // from where the prior is strong enough to win, along the central path
  double pull = 0.0, last = infinity;
  int stalls = 0;
  // what rounding makes of the size of the data's part hides what is left to gain
  const auto hidden = [&] { return 1e-13 * std::abs(g.dot(z)); };
  for (int i = 0; i < most; ++i) {
    const double rest = step(G, g, prior, z, std::max(pull, 1.0));
    if (pull == 0.0) {
      pull = std::max(1.0, rest);
      if (pull > 10.0) z = prior.center();
      continue;
    }
    const double unseen = std::max(0.01, hidden());
    if (rest < unseen && rest > 0.5 * last) ++stalls;
    const bool small = rest >= 0.0 ? rest < tolerance : last < unseen;
    if (pull <= 1.0 && (small || stalls > 10)) return true;
    if (pull <= 1.0 && rest < 0.0) return false;
    last = pull <= 1.0 ? rest : infinity;
    if (rest < 0.5 * pull) pull = std::max(1.0, 0.4 * pull);
  }
  return false;
}

}  // namespace ulna::identify
