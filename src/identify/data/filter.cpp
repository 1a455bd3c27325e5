#include "ulna/identify/data/filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"

namespace ulna::identify {

using std::numbers::pi;

LowPass::LowPass(double cutoff_hz, double rate_hz, int order)
    : cutoff_(cutoff_hz), rate_(rate_hz), order_(order) {
  require(cutoff_hz > 0.0 && cutoff_hz < 0.5 * rate_hz && std::isfinite(rate_hz),
          "low-pass: a cut-off of ", cutoff_hz,
          " Hz is not between 0 and half the sampling rate of ", rate_hz, " Hz");
  require(order >= 1 && order <= max_order, "low-pass: order ", order, " is not from 1 to ",
          max_order);
  const double k = std::tan(pi * cutoff_hz / rate_hz);
  for (int i = 0; i < order / 2; ++i) {
    // a pair of poles of the analogue filter: s² + 2 sin(angle) s + 1
    const double damping = 2.0 * std::sin(pi * (2 * i + 1) / (2.0 * order));
    const double scale = 1.0 / (1.0 + damping * k + k * k);
    sections_.push_back({k * k * scale, 2.0 * k * k * scale, k * k * scale,
                         2.0 * (k * k - 1.0) * scale, (1.0 - damping * k + k * k) * scale});
  }
  if (order % 2)
    sections_.push_back({k / (1.0 + k), k / (1.0 + k), 0.0, (k - 1.0) / (k + 1.0), 0.0});
}

double LowPass::gain(double hz) const {
  const double ratio = std::tan(pi * hz / rate_) / std::tan(pi * cutoff_ / rate_);
  return 1.0 / std::sqrt(1.0 + std::pow(ratio * ratio, order_));
}

double LowPass::delay() const {
  double samples = 0.0;
  for (const Biquad& s : sections_)
    samples +=
        (s.b1 + 2.0 * s.b2) / (s.b0 + s.b1 + s.b2) - (s.a1 + 2.0 * s.a2) / (1.0 + s.a1 + s.a2);
  return samples / rate_;
}

Cascade::Cascade(const LowPass& filter, Index channels)
    : sections_(filter.sections().begin(), filter.sections().end()),
      s1_(Index(sections_.size()), channels),
      s2_(s1_) {}

void Cascade::start(const Eigen::Ref<const Eigen::ArrayXd>& x) {
  for (Index i = 0; i < s1_.rows(); ++i) {
    s1_.row(i) = (1.0 - sections_[i].b0) * x.transpose();
    s2_.row(i) = (sections_[i].b2 - sections_[i].a2) * x.transpose();
  }
}

void Cascade::pass(Eigen::Ref<Eigen::ArrayXd> x) {
  for (Index c = 0; c < x.size(); ++c) {
    double in = x[c];
    for (Index i = 0; i < s1_.rows(); ++i) {
      const Biquad& s = sections_[i];
      const double out = s.b0 * in + s1_(i, c);
      s1_(i, c) = s.b1 * in - s.a1 * out + s2_(i, c);
      s2_(i, c) = s.b2 * in - s.a2 * out;
      in = out;
    }
    x[c] = in;
  }
}

void zero_phase(const LowPass& filter, Matrix& x) {
  const Index n = x.rows(), count = x.cols();
  if (n == 0 || count == 0) return;
  require(x.allFinite(), "zero-phase filter: a sample is not finite");

  // what reaches in from outside: the filter forgets within a few periods of its cut-off
  const double memory = std::ceil(6.0 * filter.rate_hz() / filter.cutoff_hz());
  const Index pad = Index(std::min(double(count - 1), memory));
  Eigen::ArrayXXd longer(n, count + 2 * pad);
  longer.middleCols(pad, count) = x.array();
  for (Index k = 1; k <= pad; ++k) {
    longer.col(pad - k) = 2.0 * x.col(0) - x.col(k);
    longer.col(pad + count - 1 + k) = 2.0 * x.col(count - 1) - x.col(count - 1 - k);
  }
  Cascade cascade(filter, n);
  cascade.start(longer.col(0));
  for (Index k = 0; k < longer.cols(); ++k) cascade.pass(longer.col(k));
  cascade.start(longer.col(longer.cols() - 1));
  for (Index k = longer.cols(); k-- > 0;) cascade.pass(longer.col(k));
  x = longer.middleCols(pad, count);
}

namespace {

/// Weights w with sum w_i f(i) = f'(at) for polynomials of degree count - 1 [Fornberg 1988].
Vector difference_weights(int count, int at) {
  Vector w(count);
  const auto product = [&](int of, int left_out, double from) {
    double p = 1.0;
    for (int j = 0; j < count; ++j)
      if (j != of && j != left_out) p *= from - j;
    return p;
  };
  for (int i = 0; i < count; ++i) {
    double slope = 0.0;
    for (int left_out = 0; left_out < count; ++left_out)
      if (left_out != i) slope += product(i, left_out, at);
    w[i] = slope / product(i, -1, i);
  }
  return w;
}

}  // namespace

Matrix derivative(const Matrix& x, double rate_hz) {
  const Index n = x.rows(), count = x.cols();
  Matrix dx = Matrix::Zero(n, count);
  const Index width = std::min<Index>(9, count - (count % 2 == 0));
  if (width < 3) {
    if (count == 2) dx.colwise() = rate_hz * (x.col(1) - x.col(0));
    return dx;
  }
  const Index half = width / 2;
  const auto weights = [&](Index at) -> Vector {
    return rate_hz * difference_weights(int(width), int(at));
  };
  for (Index k = 0; k < half; ++k) {
    dx.col(k) = x.leftCols(width) * weights(k);
    dx.col(count - 1 - k) = x.rightCols(width) * weights(width - 1 - k);
  }
  // the middle is antisymmetric: differences of numbers far apart, over all samples in one sweep
  const Vector w = weights(half);
  for (Index k = half; k < count - half; ++k)
    for (Index d = 1; d <= half; ++d) dx.col(k) += w(half + d) * (x.col(k + d) - x.col(k - d));
  return dx;
}

Resampler::Resampler(const Vector& t, double begin, double rate_hz, Index count, Kind kind)
    : samples_(t.size()) {
  const Index n = t.size();
  require(n >= 2, "resampling needs two samples");
  const Vector steps = steps_of(t);
  for (Index k = 0; k + 1 < n; ++k)
    require(steps[k] > 0.0, "resampling: time does not increase at sample ", k + 1);
  const double apart = 0.5 * quantile(steps, 0.5);
  const double end = begin + double(count - 1) / rate_hz;
  const double tolerance = 1e-9 * (std::abs(t[0]) + std::abs(t[n - 1]));
  require(rate_hz > 0.0 && begin >= t[0] - tolerance && end <= t[n - 1] + tolerance,
          "resampling: the times reach beyond the samples");

  stencils_.reserve(std::size_t(count));
  Index i = 0;
  for (Index k = 0; k < count; ++k) {
    const double x = begin + double(k) / rate_hz;
    while (i + 2 < n && t[i + 1] <= x) ++i;
    // the two samples around, then neighbours to the left and to the right that are far enough
    Index at[4] = {i, i + 1, 0, 0};
    int size = 2;
    if (kind == Kind::cubic) {
      Index leftmost = i, rightmost = i + 1;
      const auto take = [&](Index& outmost, int way) {
        Index next = outmost + way;
        while (next >= 0 && next < n && std::abs(t[next] - t[outmost]) < apart) next += way;
        if (next >= 0 && next < n) at[size++] = outmost = next;
      };
      take(leftmost, -1), take(rightmost, 1);
      if (size < 4) take(rightmost, 1);
      if (size < 4) take(leftmost, -1);
    }
    Stencil s{};
    for (int a = 0; a < 4; ++a) {
      s.sample[a] = i;
      if (a >= size) continue;
      s.sample[a] = at[a];
      double w = 1.0;
      for (int b = 0; b < size; ++b)
        if (b != a) w *= (x - t[at[b]]) / (t[at[a]] - t[at[b]]);
      s.weight[a] = w;
    }
    stencils_.push_back(s);
  }
}

Matrix Resampler::operator()(const Matrix& x) const {
  require(x.cols() == samples_, "resampling: ", x.cols(), " samples given, the clock has ",
          samples_);
  Matrix y(x.rows(), Index(stencils_.size()));
  for (Index k = 0; k < y.cols(); ++k) {
    const Stencil& s = stencils_[k];
    y.col(k) = s.weight[0] * x.col(s.sample[0]) + s.weight[1] * x.col(s.sample[1]) +
               s.weight[2] * x.col(s.sample[2]) + s.weight[3] * x.col(s.sample[3]);
  }
  return y;
}

MotionFilter::MotionFilter(int joints, const LowPass& filter, Velocity velocity)
    : joints_(joints),
      filter_(filter),
      velocity_(velocity),
      input_(Eigen::ArrayXd::Zero(4 * joints)),
      cascade_(filter, 4 * joints) {
  settling_ = long(std::ceil(10.0 * delay() * filter_.rate_hz()));
}

bool MotionFilter::update(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v,
                          const Eigen::Ref<const Vector>& tau) {
  const bool measured = velocity_ == Velocity::measured;
  require(q.size() == joints_ && tau.size() == joints_ && (!measured || v.size() == joints_),
          "motion filter for ", joints_, " joints: q has ", q.size(), " numbers, v ", v.size(),
          ", tau ", tau.size());
  bool all_finite = true;
  const auto take = [&](const Eigen::Ref<const Vector>& from, int at) {
    for (int i = 0; i < joints_; ++i) {
      if (std::isfinite(from[i]))
        input_[at + i] = from[i];
      else
        all_finite = false;
    }
  };
  // where positions are going, before they are taken; at the beginning, and after a gap, nowhere
  for (int i = 0; i < joints_ && !measured; ++i) {
    const double way = samples_ > 0 ? q[i] - input_[i] : 0.0;
    if (!std::isnan(way)) input_[3 * joints_ + i] = (way > 0.0) - (way < 0.0);
  }
  take(q, 0);
  if (measured) {
    take(v, joints_);
    input_.tail(joints_) = input_.segment(joints_, joints_).sign();
  }
  take(tau, 2 * joints_);
  if (samples_ == 0) {
    if (!all_finite) return false;
    now_ = last_ = input_;
    cascade_.start(input_);
  }
  before_last_ = last_, last_ = now_;
  now_ = input_;
  cascade_.pass(now_);
  ++samples_;

  // of q and v now, a sample and two samples ago
  const double rate = filter_.rate_hz();
  const auto q0 = now_.head(joints_), q1 = last_.head(joints_), q2 = before_last_.head(joints_);
  const auto v0 = now_.segment(joints_, joints_), v1 = last_.segment(joints_, joints_);
  if (measured) {
    mean_ = 0.5 * (now_ + last_);
    v_ = mean_.segment(joints_, joints_);
    a_ = rate * (v0 - v1);
    direction_ = mean_.tail(joints_);
  } else {
    mean_ = 0.25 * (now_ + 2.0 * last_ + before_last_);
    v_ = 0.5 * rate * (q0 - q2);
    a_ = rate * rate * (q0 - 2.0 * q1 + q2);
    // the sign of a difference is that of half a sample ago, as the difference is
    direction_ = 0.5 * (now_ + last_).tail(joints_);
  }
  q_ = mean_.head(joints_), tau_ = mean_.segment(2 * joints_, joints_);
  return all_finite;
}

}  // namespace ulna::identify
