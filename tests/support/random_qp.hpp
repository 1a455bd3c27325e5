#pragma once

#include <random>

#include "ulna/control/qp.hpp"

namespace ulna::test {

using namespace control;

/// Programs as an arm under predictive control meets them: fourteen states, seven inputs, all bounded,
/// some thirty bounds active at twenty stages.
struct ArmQp {
  std::vector<QpStage> stages;
  Eigen::VectorXd x0;
};

inline ArmQp arm_qp(int horizon, unsigned seed) {
  using Eigen::MatrixXd, Eigen::VectorXd;
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto random = [&](int rows, int columns) -> MatrixXd {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(bits); });
  };
  std::vector<StageSize> sizes(static_cast<std::size_t>(horizon) + 1, {14, 7, 0});
  sizes.back().u = 0;
  ArmQp qp{qp_stages(sizes), VectorXd(14)};

  const double dt = 0.05;
  const MatrixXd I = MatrixXd::Identity(7, 7);
  MatrixXd A = MatrixXd::Identity(14, 14) + 0.02 * random(14, 14);
  A.topRightCorner(7, 7) += dt * I;
  const MatrixXd L = 0.7 * MatrixXd(random(7, 7).triangularView<Eigen::Lower>());
  const MatrixXd M_inverse = L * L.transpose() + 0.5 * I;
  const VectorXd reference = 0.5 * random(7, 1);
  qp.x0 << random(7, 1), 0.5 * random(7, 1);
  VectorXd weights(14), largest(14);
  weights << VectorXd::Constant(7, 10.0), VectorXd::Constant(7, 1.0);
  largest << VectorXd::Constant(7, 1.2), VectorXd::Constant(7, 1.0);
  for (QpStage& s : qp.stages) {
    const bool last = s.size.u == 0;
    const VectorXd W = (last ? 10.0 : 1.0) * weights;
    s.Q() = W.asDiagonal();
    s.h.segment(s.size.u, 7) = -W.head(7).cwiseProduct(reference);
    s.bounds.upper << VectorXd::Constant(s.size.u, 3.0), largest;
    s.bounds.lower = -s.bounds.upper;
    if (last) continue;
    s.R() = 0.1 * I;
    s.A() = A;
    s.B() << 0.5 * dt * dt * M_inverse, dt * M_inverse;
    s.f = 0.01 * random(14, 1);
  }
  return qp;
}

}  // namespace ulna::test
