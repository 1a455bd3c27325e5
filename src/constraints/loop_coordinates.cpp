#include "ulna/constraints/loop_coordinates.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <random>

namespace ulna {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Jacobians where the loops are closed, there and nearby.
std::vector<MatrixXd> closed_jacobians(Loops loops) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> shake(-0.3, 0.3);
  std::vector<MatrixXd> list;
  for (int trial = 0; trial < 8; ++trial) {
    VectorXd away(loops.model().nv());
    for (double& x : away) x = trial > 0 ? shake(random) : 0.0;
    VectorXd q = integrate(loops.model(), loops.closed_at(), away);
    if (!loops.close(q)) continue;
    loops.set(q);
    list.push_back(loops.J());
  }
  return list;
}

/// The least that these columns have of their largest singular value, anywhere.
double weakest(const std::vector<MatrixXd>& jacobians, const std::vector<int>& columns) {
  double least = infinity;
  for (const MatrixXd& J : jacobians) {
    const VectorXd s = MatrixXd(J(Eigen::all, columns)).jacobiSvd().singularValues();
    least = std::min(least, s(s.size() - 1) / s(0));
  }
  return least;
}

}  // namespace

LoopCoordinates::LoopCoordinates(const Loops& loops) : loops_(loops) {
  const int n = loops.model().nv(), m = loops.size();
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) order[i] = i;
  std::ranges::stable_partition(order,
                                [&](int i) { return loops.model().effort_limit()(i) > 0.0; });
  dependent_ = order;
  std::ranges::sort(dependent_);
  const std::vector<MatrixXd> jacobians = closed_jacobians(loops);
  // what the others can do without
  for (const double least : {0.02, 1e-6, 0.0})
    for (const int c : order) {
      if (static_cast<int>(dependent_.size()) == m || !std::ranges::count(dependent_, c)) continue;
      std::vector<int> rest = dependent_;
      std::erase(rest, c);
      if (weakest(jacobians, rest) < least) continue;
      dependent_ = rest, independent_.push_back(c);
    }
  std::ranges::sort(independent_);
  N_.setZero(n, n - m), J_dependent_.setZero(m, m);
  set(loops.closed_at());
}

void LoopCoordinates::set(In<double> q) {
  loops_.set(q);
  const MatrixXd& J = loops_.J();
  J_dependent_ = J(Eigen::all, dependent_);
  const MatrixXd rest = -J_dependent_.partialPivLu().solve(J(Eigen::all, independent_));
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    N_.row(independent_[k]).setZero();
    N_(independent_[k], static_cast<Eigen::Index>(k)) = 1.0;
  }
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    N_.row(dependent_[k]) = rest.row(static_cast<Eigen::Index>(k));
}

void LoopCoordinates::move(In<double> y, In<double> y_rate, Out<double> v, Out<double> a) {
  const VectorXd q = loops_.at().q();
  v = N_ * y;
  loops_.set(q, v);
  const VectorXd bend = -J_dependent_.partialPivLu().solve(loops_.acceleration());
  a = N_ * y_rate;
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    a(dependent_[k]) += bend(static_cast<Eigen::Index>(k));
}

void LoopCoordinates::reduce(OutMatrix<double> X) const {
  const MatrixXd reduced = N_.transpose() * X;
  X.setZero();
  for (std::size_t k = 0; k < independent_.size(); ++k)
    X.row(independent_[k]) = reduced.row(static_cast<Eigen::Index>(k));
}

}  // namespace ulna
