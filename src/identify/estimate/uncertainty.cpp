#include "identify/estimate/uncertainty.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "identify/data/ranges.hpp"

namespace ulna::identify {

Vector rms(const Matrix& rows) {
  return (rows.rowwise().squaredNorm() / double(std::max<Index>(1, rows.cols()))).cwiseSqrt();
}

Matrix inverse_of(const Matrix& G) {
  const Index n = G.rows();
  Vector scale(n);
  for (Index i = 0; i < n; ++i) scale(i) = G(i, i) > 0.0 ? 1.0 / std::sqrt(G(i, i)) : 0.0;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(scale.asDiagonal() * G * scale.asDiagonal());
  Vector inverse = eigen.eigenvalues();
  const double floor = 1e-13 * (n > 0 ? inverse(n - 1) : 0.0);
  for (double& value : inverse) value = value > floor ? 1.0 / value : 0.0;
  const Matrix V = scale.asDiagonal() * eigen.eigenvectors();
  return V * inverse.asDiagonal() * V.transpose();
}

Vector deviations(const Matrix& covariance) {
  return covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
}

void set_uncertainty(const BaseParameters& base, const std::vector<int>& free, const Matrix& before,
                     const Matrix& after, Estimate& estimate) {
  const Matrix map = base.map()(Eigen::all, free);
  estimate.base_deviation = deviations(map * after * map.transpose());
  estimate.deviation = estimate.learned = Vector::Zero(base.unknowns);
  estimate.deviation(free) = deviations(after);
  estimate.learned(free) =
      (1.0 - after.diagonal().array() / before.diagonal().array()).max(0.0).matrix();
}

Vector correlation(const Matrix& residual, const std::vector<Index>& breaks, double reach) {
  const auto most = Index(std::ceil(std::max(reach, 0.0)));
  const std::vector<Range> pieces = pieces_of(breaks, residual.cols());
  Vector alike = Vector::Ones(residual.rows());
  if (most < 2) return alike;
  // what is alike over many lags need not be looked at lag by lag
  const Index stride = std::max<Index>(1, most / 256);
  for (Index r = 0; r < residual.rows(); ++r) {
    const Vector error = residual.row(r);
    const double variance = error.squaredNorm();
    if (!(variance > 0.0)) continue;
    double sum = 0.5;
    for (Index lag = stride; lag <= most; lag += stride) {
      double product = 0.0;
      for (const Range& piece : pieces) {
        const Index begin = piece.begin, count = piece.size() - lag;
        if (count > 0)
          product += error.segment(begin, count).dot(error.segment(begin + lag, count));
      }
      const double u = double(lag) / double(most + 1);
      const double taper = u < 0.5 ? 1.0 - 6.0 * u * u * (1.0 - u) : 2.0 * std::pow(1.0 - u, 3);
      sum += taper * product / variance;
    }
    alike(r) = std::max(1.0, 2.0 * double(stride) * sum);
  }
  return alike;
}

}  // namespace ulna::identify
