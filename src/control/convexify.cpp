#include "convexify.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "ulna/control/differentiated.hpp"

namespace ulna::control::detail {

namespace {

/// Replaces negative eigenvalues by their magnitudes.
void make_positive(Eigen::Ref<Eigen::MatrixXd> R) {
  if (R.rows() == 0) return;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(R);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const double least = 1e-12 * std::max(1.0, values.cwiseAbs().maxCoeff());
  if (values.minCoeff() >= least) return;
  R = eigen.eigenvectors() * values.cwiseAbs().cwiseMax(least).asDiagonal() *
      eigen.eigenvectors().transpose();
}

/// The bound of a row that its multiplier belongs to.
double bound_of(const QpStage& s, int row, double multiplier) {
  return multiplier > 0.0 ? s.bounds.upper(row) : s.bounds.lower(row);
}

bool is_equation(const QpStage& s, int row) { return s.bounds.lower(row) == s.bounds.upper(row); }

void penalise_active_rows(QpStage& s, const Eigen::VectorXd& multipliers, bool given_state,
                          Eigen::VectorXd& weights) {
  const double weight = 1e3 * std::max(1.0, s.H.cwiseAbs().maxCoeff());
  const int n = s.size.variables();
  weights.setZero();
  for (int row = 0; row < s.size.rows(); ++row) {
    if (given_state && row >= s.size.u && row < n) continue;
    const double bound = bound_of(s, row, multipliers(row));
    const bool active = std::abs(bound) < std::min(1e-4, std::abs(multipliers(row)));
    if (!active && !is_equation(s, row)) continue;
    weights(row) = weight;
    if (row < n) {
      s.H(row, row) += weight;
      s.h(row) -= weight * bound;
    } else {
      const auto G = s.G.row(row - n);
      s.H.noalias() += weight * G.transpose() * G;
      s.h -= weight * bound * G.transpose();
    }
  }
}

}  // namespace

void make_convex(Eigen::Ref<Eigen::MatrixXd> H) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  const Eigen::MatrixXd& V = eigen.eigenvectors();
  H = V * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * V.transpose();
}

void convexify(std::vector<QpStage>& stages, const std::vector<Eigen::VectorXd>& multipliers,
               Convexification& added) {
  constexpr double left = 1e-3;  ///< curvature of states; the minimum does not depend on it
  for (std::size_t k = stages.size(); k-- > 0;) {
    QpStage& s = stages[k];
    const int x = s.size.x;
    penalise_active_rows(s, multipliers[k], k == 0, added.rows[k]);
    if (k + 1 < stages.size()) {
      const Eigen::MatrixXd M_F = added.states[k + 1] * s.F;
      s.H.noalias() += s.F.transpose() * M_F;
      s.h.noalias() += M_F.transpose() * s.f;
    }
    make_positive(s.R());
    // the least that makes H positive, given R: S' R^-1 S
    Eigen::MatrixXd kept = left * Eigen::MatrixXd::Identity(x, x);
    if (s.size.u > 0) {
      const Eigen::MatrixXd S = s.H.topRightCorner(s.size.u, x);
      kept.noalias() += S.transpose() * Eigen::MatrixXd(s.R()).llt().solve(S);
    }
    added.states[k] = s.Q() - kept;
    s.Q() = kept;
  }
}

void restore_multipliers(const std::vector<QpStage>& stages, const Convexification& added,
                         const std::vector<Eigen::VectorXd>& z, std::vector<Eigen::VectorXd>& next,
                         std::vector<Eigen::VectorXd>& rows) {
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const QpStage& s = stages[k];
    const int n = s.size.variables();
    if (k + 1 < stages.size())
      next[k].noalias() += added.states[k + 1] * z[k + 1].tail(stages[k + 1].size.x);
    for (int row = 0; row < s.size.rows(); ++row) {
      if (added.rows[k](row) == 0.0) continue;
      double& m = rows[k](row);
      const double y = row < n ? z[k](row) : s.G.row(row - n).dot(z[k]);
      const double bound = std::abs(y - s.bounds.lower(row)) < std::abs(y - s.bounds.upper(row))
                               ? s.bounds.lower(row)
                               : s.bounds.upper(row);
      const double held = m + added.rows[k](row) * (y - bound);
      // a bound does not pull: a row whose multiplier has the wrong sign is released the next time
      m = is_equation(s, row) || (held > 0.0) == (bound == s.bounds.upper(row)) ? held : 0.0;
    }
  }
}

}  // namespace ulna::control::detail
