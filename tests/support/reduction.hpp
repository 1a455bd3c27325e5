#pragma once

#include <Eigen/Cholesky>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/num/dual.hpp"

namespace ulna::test {

/// A robot whose loops are closed, by as many coordinates y as it has degrees of freedom: a witness that knows nothing of
/// loops, only of the tree and of Geometry, which computes q(y) for any scalar:
///
///     N' M N y'' = N' (tau - ID(q, N y', q'' at y'' = 0)),     N = dq/dy.
template <class Geometry>
class Reduction {
 public:
  using VectorXd = Eigen::VectorXd;

  Reduction(const Plant<double>& plant, Geometry geometry)
      : plant_(plant), geometry_(geometry), motion_(plant.model()), ws_(plant.model()) {}

  struct State {
    VectorXd y, rate;
  };
  VectorXd q(const State& s) const { return geometry_(s.y); }
  VectorXd v(const State& s) const { return slopes(s).first * s.rate; }

  VectorXd acceleration(const State& s, const VectorXd& tau) {
    const auto [N, bend] = slopes(s);
    const VectorXd at = q(s), v = N * s.rate;
    const auto needs = [&](const VectorXd& a) {
      VectorXd torque(v.size());
      motion_.set(at, v, a);
      inverse_dynamics<double>(plant_, motion_, ws_, torque);
      return VectorXd(N.transpose() * torque);
    };
    const VectorXd still = needs(bend);
    Eigen::MatrixXd M(s.y.size(), s.y.size());
    for (Eigen::Index k = 0; k < M.cols(); ++k) M.col(k) = needs(bend + N.col(k)) - still;
    return M.ldlt().solve(N.transpose() * tau - still);
  }

  /// Torques constant for a while, by steps of rk4.
  void go(State& s, const VectorXd& tau, double duration, int steps) {
    const double h = duration / steps;
    const auto from = [&](const VectorXd& rate, const VectorXd& a, double t) {
      return State{s.y + t * rate, s.rate + t * a};
    };
    for (int i = 0; i < steps; ++i) {
      const VectorXd a1 = acceleration(s, tau);
      const State s2 = from(s.rate, a1, 0.5 * h);
      const VectorXd a2 = acceleration(s2, tau);
      const State s3 = from(s2.rate, a2, 0.5 * h);
      const VectorXd a3 = acceleration(s3, tau);
      const State s4 = from(s3.rate, a3, h);
      const VectorXd a4 = acceleration(s4, tau);
      s.y += h / 6.0 * (s.rate + 2.0 * s2.rate + 2.0 * s3.rate + s4.rate);
      s.rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
  }

 private:
  /// N, and q'' where y'' = 0.
  std::pair<Eigen::MatrixXd, VectorXd> slopes(const State& s) const {
    using D = Dual<double, 1>;
    using DD = Dual<D, 1>;
    const Eigen::Index d = s.y.size();
    Eigen::MatrixXd N;
    for (Eigen::Index k = 0; k < d; ++k) {
      VecX<D> y(d);
      for (Eigen::Index i = 0; i < d; ++i) y(i) = D(s.y(i)), y(i).gradient[0] = i == k ? 1.0 : 0.0;
      const VecX<D> moved = geometry_(y);
      if (k == 0) N.resize(moved.size(), d);
      for (Eigen::Index i = 0; i < moved.size(); ++i) N(i, k) = moved(i).gradient[0];
    }
    VecX<DD> y(d);
    for (Eigen::Index i = 0; i < d; ++i) {
      D value(s.y(i)), rate(s.rate(i));
      value.gradient[0] = s.rate(i);
      y(i) = DD(0.0), y(i).value = value, y(i).gradient[0] = rate;
    }
    const VecX<DD> moved = geometry_(y);
    VectorXd bend(moved.size());
    for (Eigen::Index i = 0; i < bend.size(); ++i) bend(i) = moved(i).gradient[0].gradient[0];
    return {N, bend};
  }

  const Plant<double>& plant_;
  Geometry geometry_;
  Motion<double> motion_;
  Workspace<double> ws_;
};

}  // namespace ulna::test
