#include "ulna/constraints/proximal_factor.hpp"

namespace ulna {
namespace {

constexpr int most_rounds = 30;
/// Of the right side, what rounding leaves.
constexpr double rounding = 1e-15;

double largest(const Eigen::VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

ProximalFactor::ProximalFactor(int size)
    : W_(Eigen::MatrixXd::Zero(size, size)),
      regular_(W_),
      factor_(size),
      x_(Eigen::VectorXd::Zero(size)),
      left_(x_),
      step_(x_) {}

bool ProximalFactor::factor(const Eigen::Ref<const Eigen::MatrixXd>& W) {
  detail::require_square("W", W.rows(), W.cols(), x_.size());
  if (!W.allFinite()) return false;
  W_ = W, regular_ = W;
  for (Eigen::Index i = 0; i < W.rows(); ++i) regular_(i, i) += W(i, i) > 0.0 ? mu * W(i, i) : 1.0;
  factor_.compute(regular_);
  return true;
}

double ProximalFactor::solve(Out<double> x) {
  left_ = x;
  x_.setZero();
  const double enough = rounding * largest(left_);
  double least = largest(left_);
  for (rounds_ = 0; rounds_ < most_rounds && least > enough; ++rounds_) {
    step_ = left_;
    factor_.solveInPlace(step_);
    x_ += step_;
    step_ = W_.lazyProduct(x_);
    left_ = x - step_;
    const double now = largest(left_);
    // where rows contradict each other, what is left stays
    const bool better = now < 0.5 * least;
    least = now;
    if (!better) break;
  }
  x = x_;
  return least;
}

}  // namespace ulna
