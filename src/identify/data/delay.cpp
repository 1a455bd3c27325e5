#include "ulna/identify/data/delay.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "identify/data/ranges.hpp"
#include "identify/messages.hpp"

namespace ulna::identify {

namespace {

void require_alike(const char* what, const Matrix& a, const Matrix& b) {
  require(a.rows() == b.rows() && a.cols() == b.cols(), what, ": ", a.rows(), " x ", a.cols(),
          " and ", b.rows(), " x ", b.cols(), " numbers given");
  require(a.allFinite() && b.allFinite(), what, ": a number is not finite");
}

/// Least squares of y on the columns of A.
struct Regression {
  Vector x;
  Vector residual;
  Matrix inverse;  ///< of A'A
  bool ok = false;
};

Regression least_squares(const Matrix& A, const Vector& y) {
  Regression fit;
  // columns of very different size are brought to one
  const Vector scale = A.colwise().norm().transpose();
  if ((scale.array() <= 0.0).any()) return fit;
  const Matrix S = A * scale.cwiseInverse().asDiagonal();
  const Eigen::LDLT<Matrix> normal(S.transpose() * S);
  if (normal.info() != Eigen::Success || normal.vectorD().minCoeff() < 1e-10) return fit;
  const Vector x = normal.solve(S.transpose() * y);
  fit.residual = y - S * x;
  fit.x = x.cwiseQuotient(scale);
  fit.inverse = scale.cwiseInverse().asDiagonal() *
                normal.solve(Matrix::Identity(A.cols(), A.cols())) *
                scale.cwiseInverse().asDiagonal();
  fit.ok = fit.x.allFinite();
  return fit;
}

/// The variance of sum(x_k e_k) for noise correlated in time and independent of x: the sum of
/// products of both autocorrelations, the noise's being tapered [Newey, West 1987].
double variance_of_sum(const Vector& x, const Vector& residual) {
  const Index count = x.size(), most = std::min<Index>(count / 4, 2000);
  const auto product = [&](const Vector& y, Index lag) {
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
double left_over(const Vector& x, const Vector& y, Index lag, Index edge) {
  const Index count = x.size() - 2 * edge, step = std::max<Index>(1, count / 20'000);
  const auto centred = [&](const Vector& signal, Index begin) -> Vector {
    const auto some = signal(Eigen::seqN(begin, (count + step - 1) / step, step)).array();
    return some - some.mean();
  };
  const Vector a = centred(x, edge - lag), b = centred(y, edge);
  const double vx = a.squaredNorm(), vy = b.squaredNorm(), c = a.dot(b);
  // a prediction with the wrong sign is no fit
  return vx > 0.0 && c > 0.0 ? vy - c * c / vx : vy;
}

/// Samples of x and of its rate per sample at k - lag, by cubics through four neighbours.
void shifted(const Vector& x, double lag, Index edge, Vector& value, Vector& rate) {
  const auto whole = Index(std::floor(-lag));
  const CubicWeights by(-lag - double(whole));
  const Index count = x.size() - 2 * edge;
  value = Vector::Zero(count), rate = Vector::Zero(count);
  for (Index j = 0; j < 4; ++j) {
    value += by.value[j] * x.segment(edge + whole - 1 + j, count);
    rate += by.slope[j] * x.segment(edge + whole - 1 + j, count);
  }
}

JointDelay joint_delay(const Vector& x, const Vector& y, double rate_hz, Index longest) {
  JointDelay result;
  const Index edge = longest + 3;
  Index best = 0;
  double least = infinity;
  for (Index lag = -longest; lag <= longest; ++lag) {
    const double left = left_over(x, y, lag, edge);
    if (left < least) least = left, best = lag;
  }
  if (std::abs(best) == longest && longest > 0) return result;

  const Vector target = y.segment(edge, y.size() - 2 * edge);
  Vector value, rate;
  Matrix A(target.size(), 2);
  const auto fit_at = [&](double lag) {
    shifted(x, lag, edge, value, rate);
    A << value, Vector::Ones(target.size());
    return least_squares(A, target);
  };
  const auto left_at = [&](double lag) {
    const Regression fit = fit_at(lag);
    return fit.ok ? fit.residual.squaredNorm() : infinity;
  };
  const double lag = minimum(left_at, double(best) - 1.0, double(best) + 1.0);
  const double left = left_at(lag), around = 0.5 * (left_at(lag - 0.5) + left_at(lag + 0.5));
  // half the second derivative of what is left, and the spread of half the first
  const double curvature = (around - left) / 0.25;
  const Regression fit = fit_at(lag);
  if (!fit.ok || !(fit.x[0] > 0.0) || !(curvature > 0.0)) return result;
  A << value, Vector::Ones(target.size());
  const Regression rate_fit = least_squares(A, rate);
  const Vector slope = fit.x[0] * rate_fit.residual;
  result.delay = lag / rate_hz;
  result.deviation = std::sqrt(variance_of_sum(slope, fit.residual)) / curvature / rate_hz;
  result.gain = fit.x[0], result.offset = fit.x[1];
  const double variance = (target.array() - target.mean()).matrix().squaredNorm();
  result.correlation = std::sqrt(std::max(0.0, 1.0 - left / variance));
  result.found = std::isfinite(result.delay) && std::isfinite(result.deviation);
  return result;
}

/// Of the squared errors of all joints, each relative to its torque, what is left with predictions so late.
double left_of_error(const Matrix& predicted, const Matrix& measured, double lag, Index edge) {
  double before = 0.0, after = 0.0;
  Vector value, rate;
  for (Index i = 0; i < predicted.rows(); ++i) {
    const Vector x = predicted.row(i), target = measured.row(i).segment(edge, x.size() - 2 * edge);
    const double size = (target.array() - target.mean()).matrix().squaredNorm();
    if (!(size > 0.0)) continue;
    shifted(x, lag, edge, value, rate);
    after += (target - value).squaredNorm() / size;
    before += (target - x.segment(edge, target.size())).squaredNorm() / size;
  }
  return before > 0.0 ? after / before : 1.0;
}

}  // namespace

Delay estimate_delay(const Matrix& predicted, const Matrix& measured, double rate_hz,
                     double longest) {
  require_alike("estimate_delay", predicted, measured);
  require(rate_hz > 0.0 && longest > 0.0 && std::isfinite(rate_hz),
          "estimate_delay: rate and longest delay must be positive");
  Delay all;
  const double samples = std::ceil(longest * rate_hz);
  // half of the samples must be left to compare
  require(samples + 3.0 <= 0.25 * double(predicted.cols()), "estimate_delay: ", predicted.cols(),
          " samples are too few to search delays up to ", longest, " s");
  const Index joints = predicted.rows();
  Vector delays(joints), weights = Vector::Zero(joints);
  for (Index i = 0; i < joints; ++i) {
    const JointDelay joint =
        joint_delay(predicted.row(i), measured.row(i), rate_hz, Index(samples));
    all.joints.push_back(joint);
    delays[i] = joint.delay;
    if (joint.found) weights[i] = std::pow(std::max(joint.deviation, 1e-9 / rate_hz), -2);
  }
  const Index count = (weights.array() > 0.0).count();
  if (count == 0) return all;
  all.found = true;
  all.delay = weights.dot(delays) / weights.sum();
  const double chi = weights.dot((delays.array() - all.delay).square().matrix());
  all.deviation =
      std::sqrt(std::max(1.0, count > 1 ? chi / double(count - 1) : 1.0) / weights.sum());
  all.left = left_of_error(predicted, measured, all.delay * rate_hz, Index(samples) + 3);
  return all;
}

std::vector<DriveGain> estimate_gains(const Matrix& predicted, const Matrix& current,
                                      const Matrix& v) {
  require_alike("estimate_gains: predicted and current", predicted, current);
  require_alike("estimate_gains: predicted and v", predicted, v);
  std::vector<DriveGain> all;
  for (Index i = 0; i < predicted.rows(); ++i) {
    Matrix A(predicted.cols(), 4);
    A << current.row(i).transpose(), -v.row(i).transpose(), -v.row(i).transpose().cwiseSign(),
        -Vector::Ones(predicted.cols());
    const Regression fit = least_squares(A, predicted.row(i).transpose());
    DriveGain gain;
    if (fit.ok) {
      // the weights with which the samples make the gain
      const Vector weights = A * fit.inverse.col(0);
      gain.gain = fit.x[0];
      gain.deviation = std::sqrt(variance_of_sum(weights, fit.residual));
      gain.viscous = fit.x[1], gain.coulomb = fit.x[2], gain.offset = fit.x[3];
      gain.found = true;
      const Regression friction = least_squares(A.rightCols(3), predicted.row(i).transpose());
      const double beside = friction.ok ? friction.residual.squaredNorm() : 0.0;
      if (beside > 0.0) gain.determined = 1.0 - fit.residual.squaredNorm() / beside;
    }
    all.push_back(gain);
  }
  return all;
}

}  // namespace ulna::identify
