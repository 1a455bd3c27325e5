#include "ulna/identify/excite/exciting_motion.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/Splines>

#include "identify/messages.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::identify {
namespace {

constexpr int degree = 5;

/// Orthonormal columns across k^first, and for `rest` 4 across k^(first + 2), too.
Matrix across(int harmonics, int first, int rest) {
  const Eigen::ArrayXd k = Vector::LinSpaced(harmonics, 1.0, harmonics);
  Matrix directions(harmonics, rest / 2);
  // columns of length 1, as powers of many harmonics differ by orders of magnitude
  for (Index i = 0; i < directions.cols(); ++i)
    directions.col(i) = k.pow(double(first + 2 * i)).matrix().normalized();
  const Matrix Q = Eigen::HouseholderQR<Matrix>(directions).householderQ();
  return Q.rightCols(harmonics - directions.cols());
}

}  // namespace

std::string_view to_string(MotionKind kind) {
  return kind == MotionKind::fourier ? "fourier" : "bspline";
}
std::optional<MotionKind> motion_kind_from_string(std::string_view name) {
  for (const MotionKind kind : {MotionKind::fourier, MotionKind::bspline})
    if (to_string(kind) == name) return kind;
  return {};
}

MotionBasis::MotionBasis(MotionKind kind, double duration, int harmonics, int rest)
    : kind_(kind), duration_(duration), harmonics_(harmonics), rest_(rest) {
  require(rest == 2 || rest == 4, "at rest, 2 or 4 derivatives of a motion vanish, not ", rest);
  require(duration > 0.0 && std::isfinite(duration), "the duration of a motion must be positive");
  require(harmonics > rest / 2 && harmonics <= max_harmonics, "a motion has from ", 1 + rest / 2,
          " to ", max_harmonics, " harmonics, not ", harmonics, ": fewer cannot begin at rest");
  if (kind == MotionKind::bspline) return;
  sines_ = across(harmonics, 0, rest);
  cosines_ = across(harmonics, 1, rest);
}

Vector MotionBasis::at(double t, int derivative) const {
  require(derivative >= 0, "the order of a derivative must not be negative");
  const bool outside = t < 0.0 || t > duration_;
  if (outside && derivative > 0) return Vector::Zero(size());
  const double inside = std::clamp(t, 0.0, duration_);
  return kind_ == MotionKind::fourier ? fourier(inside, derivative) : bspline(inside, derivative);
}

Matrix MotionBasis::at(const Vector& t, int derivative) const {
  Matrix values(size(), t.size());
  for (Index s = 0; s < t.size(); ++s) values.col(s) = at(t(s), derivative);
  return values;
}

/// The coefficients are velocities: one of size 1 makes a joint move at about 1 rad/s.
Vector MotionBasis::fourier(double t, int derivative) const {
  const double w = 2.0 * std::numbers::pi / duration_;
  Vector sine(harmonics_), cosine(harmonics_);
  for (int k = 1; k <= harmonics_; ++k) {
    // d/dt turns a sine by a quarter and multiplies it by k w
    const double size = std::pow(k * w, derivative - 1),
                 phase = k * w * t + 0.5 * std::numbers::pi * (derivative % 4);
    sine(k - 1) = size * std::sin(phase);
    cosine(k - 1) = -size * std::cos(phase) + (derivative == 0 ? size : 0.0);
  }
  Vector values(size());
  values << (derivative == 0 ? 1.0 : 0.0), sines_.transpose() * sine, cosines_.transpose() * cosine;
  return values;
}

/// Uniform knots, those at the ends six times [de Boor 2001, ch. X].
Vector MotionBasis::bspline(double t, int derivative) const {
  using Spline = Eigen::Spline<double, 1, degree>;
  Vector values = Vector::Zero(size());
  if (derivative > degree) return values;
  const int controls = size() + 2 * rest_, pieces = controls - degree;
  Spline::KnotVectorType knots(controls + degree + 1);
  for (int i = 0; i < knots.size(); ++i)
    knots(i) = duration_ / pieces * std::clamp(i - degree, 0, pieces);
  const Index first = Spline::Span(t, degree, knots) - degree;
  const Eigen::ArrayXd b =
      Spline::BasisFunctionDerivatives(t, derivative, degree, knots).row(derivative);
  // the first three (five) control points are one coefficient, and the last
  for (int j = 0; j <= degree; ++j)
    values(std::clamp<Index>(first + j - rest_, 0, size() - 1)) += b(j);
  return values;
}

Vector ExcitingMotion::at(double t, int derivative) const {
  return coefficients * basis.at(t, derivative);
}
Matrix ExcitingMotion::at(const Vector& t, int order) const {
  return coefficients * basis.at(t, order);
}

Vector ExcitingMotion::times(double rate_hz) const {
  const Index count = even_samples(duration(), rate_hz);
  return Vector::LinSpaced(count, 0.0, double(count - 1) / rate_hz);
}

}  // namespace ulna::identify
