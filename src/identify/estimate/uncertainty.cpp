#include "identify/estimate/uncertainty.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

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

namespace {

/// Of one row, at multiples of the stride, over its variance; zeros of a row without any.
Vector autocorrelation(const Vector& x, const std::vector<Range>& pieces, Index stride,
                       Index lags) {
  Vector found = Vector::Zero(lags + 1);
  const double variance = x.squaredNorm();
  if (!(variance > 0.0)) return found;
  for (Index k = 0; k <= lags; ++k) {
    const Index lag = k * stride;
    for (const Range& piece : pieces)
      if (const Index count = piece.size() - lag; count > 0)
        found(k) += x.segment(piece.begin, count).dot(x.segment(piece.begin + lag, count));
  }
  return found / variance;
}

/// After Parzen, at a share of the reach.
double taper(double u) {
  return u < 0.5 ? 1.0 - 6.0 * u * u * (1.0 - u) : 2.0 * std::pow(1.0 - u, 3);
}

// what is alike over many lags need not be looked at lag by lag
constexpr Index most_lags = 256;

}  // namespace

Vector correlation(const Matrix& residual, const std::vector<Index>& breaks, double reach) {
  const auto most = Index(std::ceil(std::max(reach, 0.0)));
  const std::vector<Range> pieces = pieces_of(breaks, residual.cols());
  Vector alike = Vector::Ones(residual.rows());
  if (most < 2) return alike;
  const Index stride = std::max<Index>(1, most / most_lags), lags = most / stride;
  for (Index r = 0; r < residual.rows(); ++r) {
    const Vector own = autocorrelation(residual.row(r), pieces, stride, lags);
    double sum = 0.5;
    for (Index k = 1; k <= lags; ++k) sum += taper(double(k * stride) / double(most + 1)) * own(k);
    alike(r) = std::max(1.0, 2.0 * double(stride) * sum);
  }
  return alike;
}

MotionCorrelation::MotionCorrelation(const std::vector<const Matrix*>& motion,
                                     const std::vector<Index>& breaks, double reach)
    : pieces_(pieces_of(breaks, motion.front()->cols())) {
  const auto most = Index(std::ceil(std::max(reach, 0.0)));
  stride_ = std::max<Index>(1, most / most_lags), lags_ = most / stride_;
  motion_.setZero(motion.front()->rows(), lags_ + 1);
  for (Index r = 0; r < motion_.rows(); ++r) {
    double count = 0.0;
    for (const Matrix* signal : motion) {
      const Vector x = signal->row(r).transpose();
      const Vector own = autocorrelation(x.array() - x.mean(), pieces_, stride_, lags_);
      if (own(0) > 0.0) motion_.row(r) += own.transpose(), count += 1.0;
    }
    if (count > 0.0) motion_.row(r) /= count;
    for (Index k = 0; k <= lags_; ++k)
      motion_(r, k) *= taper(double(k * stride_) / double(most + 1));
  }
}

Vector MotionCorrelation::of(const Matrix& residual, const Vector& counts,
                             const Vector& fitted) const {
  constexpr double least_left = 0.2;
  Vector alike = Vector::Ones(residual.rows());
  if (lags_ < 1) return alike;
  const auto both_ways = [&](const auto& products) {
    return std::max(1.0, 2.0 * double(stride_) * (products.sum() - 0.5));
  };
  for (Index r = 0; r < residual.rows(); ++r) {
    const Vector own = autocorrelation(residual.row(r), pieces_, stride_, lags_);
    if (!(own(0) > 0.0)) continue;
    const Vector motion = motion_.row(r);
    alike(r) = both_ways(motion.cwiseProduct(own));
    const double of_all = std::max(least_left, 1.0 - fitted(r) * alike(r) / counts(r)),
                 of_motion = std::max(least_left,
                                      1.0 - fitted(r) * both_ways(motion.cwiseAbs2()) / counts(r));
    alike(r) *= of_all / of_motion;
  }
  return alike;
}

}  // namespace ulna::identify
