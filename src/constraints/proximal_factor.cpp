#include "ulna/constraints/proximal_factor.hpp"

namespace ulna {
namespace {

constexpr int most_rounds = 30;
/// Of the right side, what rounding leaves.
constexpr double rounding = 1e-15;
constexpr double least_share = 1e-6;

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
  left_ = W.diagonal();
  weigh(left_, step_);
  regular_.diagonal() += step_;
  factor_.compute(regular_);
  return true;
}

void ProximalFactor::weigh(In<double> sizes, Out<double> weights) {
  // what is rounding beside the largest row is no size of its own
  const double least = sizes.size() > 0 ? least_share * sizes.maxCoeff() : 0.0;
  for (Eigen::Index i = 0; i < sizes.size(); ++i)
    weights(i) = least > 0.0 ? mu * std::max(sizes(i), least) : 1.0;
}

double ProximalFactor::solve(Out<double> x) {
  left_ = x;
  x_.setZero();
  const double enough = rounding * left_.lpNorm<Eigen::Infinity>();
  double least = left_.lpNorm<Eigen::Infinity>();
  for (rounds_ = 0; rounds_ < most_rounds && least > enough; ++rounds_) {
    step_ = left_;
    factor_.solveInPlace(step_);
    x_ += step_;
    step_ = W_.lazyProduct(x_);
    left_ = x - step_;
    const double now = left_.lpNorm<Eigen::Infinity>();
    // where rows contradict each other, what is left stays
    const bool better = now < 0.5 * least;
    least = now;
    if (!better) break;
  }
  x = x_;
  return least;
}

}  // namespace ulna
