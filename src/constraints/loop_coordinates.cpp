#include "ulna/constraints/loop_coordinates.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <random>

namespace ulna {
namespace {

using Eigen::Index;
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
  const int free = n - m;
  N_.setZero(n, free), J_dependent_.setZero(m, m), J_independent_.setZero(m, free);
  inverse_.setZero(m, m), unit_.setIdentity(m, m), rest_.setZero(m, free);
  bend_.setZero(m), begin_.setZero(loops.model().nq());
  factor_ = Eigen::PartialPivLU<MatrixXd>(m);
  set(loops.closed_at());
}

bool LoopCoordinates::is_independent(int coordinate) const {
  return std::ranges::binary_search(independent_, coordinate);
}

void LoopCoordinates::set(In<double> q) {
  loops_.set(q);
  factor();
}

/// N, where the loops are.
void LoopCoordinates::factor() {
  const MatrixXd& J = loops_.J();
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    J_dependent_.col(Index(k)) = J.col(dependent_[k]);
  for (std::size_t k = 0; k < independent_.size(); ++k)
    J_independent_.col(Index(k)) = J.col(independent_[k]);
  factor_.compute(J_dependent_);
  inverse_ = factor_.solve(unit_);
  answer(J_independent_, rest_);
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    N_.row(independent_[k]).setZero();
    N_(independent_[k], Index(k)) = 1.0;
  }
  for (std::size_t k = 0; k < dependent_.size(); ++k) N_.row(dependent_[k]) = rest_.row(Index(k));
}

void LoopCoordinates::move(In<double> y, In<double> y_rate, Out<double> v, Out<double> a) {
  v.noalias() = N_.lazyProduct(y);
  loops_.set(loops_.at().q(), v);
  bend_.noalias() = -inverse_.lazyProduct(loops_.acceleration());
  a.noalias() = N_.lazyProduct(y_rate);
  for (std::size_t k = 0; k < dependent_.size(); ++k) a(dependent_[k]) += bend_(Index(k));
  loops_.set(loops_.at().q(), v, a);
}

void LoopCoordinates::reduce(OutMatrix<double> X) const {
  for (Index c = 0; c < X.cols(); ++c) {
    for (std::size_t k = 0; k < independent_.size(); ++k) {
      double sum = X(independent_[k], c);
      for (const int d : dependent_) sum += N_(d, Index(k)) * X(d, c);
      X(independent_[k], c) = sum;
    }
    for (const int d : dependent_) X(d, c) = 0.0;
  }
}

/// Newton's method on the dependent coordinates, from near by. Leaves the loops at q, and N there.
bool LoopCoordinates::correct(Out<double> q) {
  constexpr double closed = 1e-14, nearly = 1e-9;  // m or rad
  constexpr int most = 10;
  double before = infinity;
  for (int i = 0; i < most; ++i) {
    set(q);
    const double gap = loops_.gap().cwiseAbs().maxCoeff();
    // to rounding, so that the way there does not show
    if (gap < closed || (gap < nearly && gap > 0.1 * before)) return true;
    before = gap;
    bend_.noalias() = -inverse_.lazyProduct(loops_.gap());
    // far away it would leave for another way of closing them; a number that is none ends it, too
    if (!(bend_.cwiseAbs().maxCoeff() < 0.5)) return false;
    for (std::size_t k = 0; k < dependent_.size(); ++k) q(dependent_[k]) += bend_(Index(k));
  }
  return loops_.gap().cwiseAbs().maxCoeff() < nearly;
}

bool LoopCoordinates::follow(In<double> to, Out<double> q) {
  constexpr double longest = 0.2, farthest = 100.0;  // rad or m
  begin_ = q;
  double way = 0.0;
  bool known = true;
  for (const int i : independent_)
    way = std::max(way, std::abs(to(i) - q(i))), known &= std::isfinite(to(i));
  const auto fail = [&] {
    q = begin_;
    set(q);
    return false;
  };
  if (!known || !(way < farthest)) return fail();
  if (way == 0.0) return correct(q) || fail();
  const int pieces = std::max(1, static_cast<int>(std::ceil(way / longest)));
  set(q);
  for (int left = pieces; left > 0; --left) {
    for (std::size_t k = 0; k < independent_.size(); ++k) {
      const double step = (to(independent_[k]) - q(independent_[k])) / left;
      for (const int d : dependent_) q(d) += step * N_(d, Index(k));
      q(independent_[k]) = left == 1 ? to(independent_[k]) : q(independent_[k]) + step;
    }
    if (!correct(q)) return fail();
  }
  return true;
}

void LoopCoordinates::answer(const Eigen::MatrixXd& X, Eigen::MatrixXd& dependent) const {
  dependent.noalias() = -inverse_.lazyProduct(X);
}

void LoopCoordinates::carry(In<double> tau, Out<double> lambda) const {
  lambda.setZero();
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    lambda += tau(dependent_[k]) * inverse_.row(Index(k)).transpose();
}

void LoopCoordinates::gather(In<double> all, Out<double> y) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) y(Index(k)) = all(independent_[k]);
}

void LoopCoordinates::scatter(In<double> y, Out<double> all) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) all(independent_[k]) = y(Index(k));
}

}  // namespace ulna
