#include "control/robot/holding.hpp"

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::control::detail {

Holding::Holding(const Model& model, const std::optional<Loops>& loops)
    : tau(Eigen::VectorXd::Zero(model.nv())), motion_(model), ws_(model), loops_(loops) {
  if (!loops_) return;
  const int n = model.nv(), m = loops_->size();
  lambda.setZero(m), price_.setZero(n);
  weighted_.setZero(m, n), normal_.setZero(m, m);
  factor_ = Eigen::LDLT<Eigen::MatrixXd>(m);
}

void Holding::operator()(const Plant<double>& plant, In<double> q, const MotionWeights& weights,
                         const MotionLimits& limits) {
  motion_.set(q);
  gravity_torque<double>(plant, motion_, ws_, tau);
  if (!loops_) return;
  loops_->set(q);
  const Eigen::MatrixXd& J = loops_->J();
  const double most = std::max(weights.torque.maxCoeff(), 1e-12);
  for (Eigen::Index i = 0; i < price_.size(); ++i)
    price_(i) = limits.torque(i) == 0.0 ? 1e8 * most : std::max(weights.torque(i), 1e-3 * most);
  for (Eigen::Index i = 0; i < price_.size(); ++i) weighted_.col(i) = price_(i) * J.col(i);
  normal_.noalias() = weighted_.lazyProduct(J.transpose());
  lambda.noalias() = weighted_.lazyProduct(tau);
  factor_.compute(normal_);
  factor_.solveInPlace(lambda);
  if (!lambda.allFinite()) lambda.setZero();
  tau.noalias() -= J.transpose().lazyProduct(lambda);
}

}  // namespace ulna::control::detail
