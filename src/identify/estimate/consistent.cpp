#include "ulna/identify/estimate/consistent.hpp"

#include <Eigen/Cholesky>

namespace ulna::identify {

ConsistentSolver::ConsistentSolver(int unknowns)
    : H_(Matrix::Zero(unknowns, unknowns)), gradient_(Vector::Zero(unknowns)) {}

double ConsistentSolver::step(const Matrix& G, const Vector& g, const PhysicalPrior& prior,
                              Vector& z, double pull) {
  gradient_.noalias() = G.selfadjointView<Eigen::Lower>() * z;
  const double data = 0.5 * gradient_.dot(z) - g.dot(z), before = prior.value(z);
  gradient_ -= g;
  next_ = gradient_;  // of the data; what follows adds the prior's
  H_.setZero();
  step_.setZero();
  prior.add_derivatives(z, step_, H_);
  gradient_ += pull * step_;
  factor_.noalias() = G + (pull + damping_) * H_;

  // scaled, as masses and inertias are of very different sizes
  scale_ = factor_.diagonal().cwiseSqrt().cwiseInverse();
  for (Index c = 0; c < factor_.cols(); ++c) {
    const Index below = factor_.rows() - c;
    factor_.col(c).tail(below).array() *= scale_(c) * scale_.tail(below).array();
  }
  // near the boundary the prior's curvature is all but singular beside itself
  factor_.diagonal().array() += 1e-13;
  Eigen::LLT<Eigen::Ref<Matrix>> cholesky(factor_);
  if (cholesky.info() != Eigen::Success) return -1.0;
  step_ = -scale_.cwiseProduct(gradient_);
  cholesky.solveInPlace(step_);
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

void ConsistentSolver::variances(Eigen::Ref<Matrix> rows, Eigen::Ref<Vector> variances) const {
  rows = scale_.asDiagonal() * rows;
  factor_.triangularView<Eigen::Lower>().solveInPlace(rows);
  variances = rows.colwise().squaredNorm();
}

bool ConsistentSolver::solve(const Matrix& G, const Vector& g, const PhysicalPrior& prior,
                             Vector& z, int most, double tolerance) {
  steps_ = 0;
  damping_ = 0.0;
  z = prior.center();
  // from where the prior is strong enough to win, along the central path
  double pull = 0.0, last = infinity;
  int stalls = 0;
  for (int i = 0; i < most; ++i) {
    const double rest = step(G, g, prior, z, std::max(pull, 1.0));
    if (pull == 0.0) {
      pull = std::max(1.0, rest);
      if (pull > 10.0) z = prior.center();
      continue;
    }
    // where rounding hides what is left to gain, there is no more to be had
    if (rest < 0.01 && rest > 0.5 * last) ++stalls;
    const bool small = rest >= 0.0 ? rest < tolerance : last < 0.01;
    if (pull <= 1.0 && (small || stalls > 10)) return true;
    if (pull <= 1.0 && rest < 0.0) return false;
    last = pull <= 1.0 ? rest : infinity;
    if (rest < 0.5 * pull) pull = std::max(1.0, 0.4 * pull);
  }
  return false;
}

}  // namespace ulna::identify
