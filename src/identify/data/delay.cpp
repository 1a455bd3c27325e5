#include "ulna/identify/data/delay.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "identify/data/ranges.hpp"

namespace ulna::identify {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

void require_alike(const char* what, const MatrixXd& a, const MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    throw std::invalid_argument(std::string(what) + ": " + std::to_string(a.rows()) + " x " +
                                std::to_string(a.cols()) + " and " + std::to_string(b.rows()) +
                                " x " + std::to_string(b.cols()) + " numbers given");
  if (!a.allFinite() || !b.allFinite())
    throw std::invalid_argument(std::string(what) + ": a number is not finite");
}

/// Least squares of y on the columns of A.
struct Regression {
  VectorXd x;
  VectorXd residual;
  MatrixXd inverse;  ///< of A'A
  bool ok = false;
};

Regression least_squares(const MatrixXd& A, const VectorXd& y) {
  Regression fit;
  // columns of very different size are brought to one
  const VectorXd scale = A.colwise().norm().transpose();
  if ((scale.array() <= 0.0).any()) return fit;
  const MatrixXd S = A * scale.cwiseInverse().asDiagonal();
  const Eigen::LDLT<MatrixXd> normal(S.transpose() * S);
  if (normal.info() != Eigen::Success || normal.vectorD().minCoeff() < 1e-10) return fit;
  const VectorXd x = normal.solve(S.transpose() * y);
  fit.residual = y - S * x;
  fit.x = x.cwiseQuotient(scale);
  fit.inverse = scale.cwiseInverse().asDiagonal() *
                normal.solve(MatrixXd::Identity(A.cols(), A.cols())) *
                scale.cwiseInverse().asDiagonal();
  fit.ok = fit.x.allFinite();
  return fit;
}

/// The variance of sum(x_k e_k) for noise that is correlated in time and independent of x: the sum of
/// the products of both autocorrelations, that of the noise taken from the residuals and tapered
/// [Newey, West 1987].
double variance_of_sum(const VectorXd& x, const VectorXd& residual) {
  const Index count = x.size(), most = std::min<Index>(count / 4, 2000);
  const auto product = [&](const VectorXd& y, Index lag) {
    return y.head(count - lag).dot(y.tail(count - lag));
  };
  const double variance = residual.squaredNorm();
  Index lags = 0;
  while (lags < most && product(residual, lags) > 0.05 * variance) ++lags;
  lags = std::min(most, 6 * lags);
  double sum = product(x, 0) * variance;
  for (Index l = 1; l <= lags; ++l)
    sum += 2.0 * (1.0 - double(l) / double(lags + 1)) * product(x, l) * product(residual, l);
  return std::max(0.0, sum / double(count));
}

/// Where f is least between a and b, by golden section.
template <class F>
double minimum(const F& f, double a, double b) {
  constexpr double golden = 0.6180339887498949;
  double c = b - golden * (b - a), d = a + golden * (b - a);
  double f_c = f(c), f_d = f(d);
  while (b - a > 1e-6) {
    if (f_c < f_d) {
      b = d, d = c, f_d = f_c;
      c = b - golden * (b - a), f_c = f(c);
    } else {
      a = c, c = d, f_c = f_d;
      d = a + golden * (b - a), f_d = f(d);
    }
  }
  return 0.5 * (a + b);
}

/// Sum of squares that is left of y after gain and offset of x, over the samples both have when x is
/// `lag` samples late; of long signals, of every n-th.
double left_over(const VectorXd& x, const VectorXd& y, Index lag, Index edge) {
  const Index count = x.size() - 2 * edge, step = std::max<Index>(1, count / 20'000);
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0;
  for (Index k = edge; k < edge + count; k += step) {
    const double a = x[k - lag], b = y[k];
    n += 1.0, sx += a, sy += b, sxx += a * a, sxy += a * b, syy += b * b;
  }
  const double vx = sxx - sx * sx / n, vy = syy - sy * sy / n, c = sxy - sx * sy / n;
  // a prediction with the wrong sign is no fit
  return vx > 0.0 && c > 0.0 ? vy - c * c / vx : vy;
}

/// Samples of x and of its rate per sample at k - lag, by cubics through four neighbours.
void shifted(const VectorXd& x, double lag, Index edge, VectorXd& value, VectorXd& rate) {
  const auto whole = Index(std::floor(-lag));
  const CubicWeights by(-lag - double(whole));
  const Index count = x.size() - 2 * edge;
  value = VectorXd::Zero(count), rate = VectorXd::Zero(count);
  for (Index j = 0; j < 4; ++j) {
    value += by.value[j] * x.segment(edge + whole - 1 + j, count);
    rate += by.slope[j] * x.segment(edge + whole - 1 + j, count);
  }
}

JointDelay joint_delay(const VectorXd& x, const VectorXd& y, double rate_hz, Index longest) {
  JointDelay result;
  const Index edge = longest + 3;
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index lag = -longest; lag <= longest; ++lag) {
    const double left = left_over(x, y, lag, edge);
    if (left < least) least = left, best = lag;
  }
  if (std::abs(best) == longest && longest > 0) return result;

  const VectorXd target = y.segment(edge, y.size() - 2 * edge);
  VectorXd value, rate;
  MatrixXd A(target.size(), 2);
  const auto fit_at = [&](double lag) {
    shifted(x, lag, edge, value, rate);
    A << value, VectorXd::Ones(target.size());
    return least_squares(A, target);
  };
  const auto left_at = [&](double lag) {
    const Regression fit = fit_at(lag);
    return fit.ok ? fit.residual.squaredNorm() : std::numeric_limits<double>::infinity();
  };
  const double lag = minimum(left_at, double(best) - 1.0, double(best) + 1.0);
  const double left = left_at(lag), around = 0.5 * (left_at(lag - 0.5) + left_at(lag + 0.5));
  // half the second derivative of what is left, and the spread of half the first
  const double curvature = (around - left) / 0.25;
  const Regression fit = fit_at(lag);
  if (!fit.ok || !(fit.x[0] > 0.0) || !(curvature > 0.0)) return result;
  A << value, VectorXd::Ones(target.size());
  const Regression rate_fit = least_squares(A, rate);
  const VectorXd slope = fit.x[0] * rate_fit.residual;
  result.delay = lag / rate_hz;
  result.deviation = std::sqrt(variance_of_sum(slope, fit.residual)) / curvature / rate_hz;
  result.gain = fit.x[0], result.offset = fit.x[1];
  const double variance = (target.array() - target.mean()).matrix().squaredNorm();
  result.correlation = std::sqrt(std::max(0.0, 1.0 - left / variance));
  result.found = std::isfinite(result.delay) && std::isfinite(result.deviation);
  return result;
}

}  // namespace

Delay estimate_delay(const MatrixXd& predicted, const MatrixXd& measured, double rate_hz,
                     double longest) {
  require_alike("estimate_delay", predicted, measured);
  if (!(rate_hz > 0.0) || !(longest > 0.0) || !std::isfinite(rate_hz))
    throw std::invalid_argument("estimate_delay: rate and longest delay must be positive");
  Delay all;
  const double samples = std::ceil(longest * rate_hz);
  // half of the samples must be left to compare
  if (samples + 3.0 > 0.25 * double(predicted.cols()))
    throw std::invalid_argument("estimate_delay: " + std::to_string(predicted.cols()) +
                                " samples are too few to search delays up to " +
                                std::to_string(longest) + " s");
  double weights = 0.0, sum = 0.0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    all.joints.push_back(joint_delay(predicted.row(i).transpose(), measured.row(i).transpose(),
                                     rate_hz, Index(samples)));
    const JointDelay& joint = all.joints.back();
    if (!joint.found) continue;
    const double sigma = std::max(joint.deviation, 1e-9 / rate_hz);
    weights += 1.0 / (sigma * sigma), sum += joint.delay / (sigma * sigma);
  }
  if (weights == 0.0) return all;
  all.found = true;
  all.delay = sum / weights;
  double chi = 0.0;
  int count = 0;
  for (const JointDelay& joint : all.joints) {
    if (!joint.found) continue;
    const double sigma = std::max(joint.deviation, 1e-9 / rate_hz);
    chi += std::pow((joint.delay - all.delay) / sigma, 2), ++count;
  }
  all.deviation = std::sqrt(std::max(1.0, count > 1 ? chi / (count - 1) : 1.0) / weights);
  return all;
}

std::vector<DriveGain> estimate_gains(const MatrixXd& predicted, const MatrixXd& current,
                                      const MatrixXd& v) {
  require_alike("estimate_gains: predicted and current", predicted, current);
  require_alike("estimate_gains: predicted and v", predicted, v);
  std::vector<DriveGain> all;
  for (Index i = 0; i < predicted.rows(); ++i) {
    MatrixXd A(predicted.cols(), 4);
    A << current.row(i).transpose(), -v.row(i).transpose(), -v.row(i).transpose().cwiseSign(),
        -VectorXd::Ones(predicted.cols());
    const Regression fit = least_squares(A, predicted.row(i).transpose());
    DriveGain gain;
    if (fit.ok) {
      // the weights with which the samples make the gain
      const VectorXd weights = A * fit.inverse.col(0);
      gain.gain = fit.x[0];
      gain.deviation = std::sqrt(variance_of_sum(weights, fit.residual));
      gain.viscous = fit.x[1], gain.coulomb = fit.x[2], gain.offset = fit.x[3];
      gain.found = true;
    }
    all.push_back(gain);
  }
  return all;
}

}  // namespace ulna::identify
