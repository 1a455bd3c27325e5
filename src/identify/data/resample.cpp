#include "ulna/identify/data/resample.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "identify/data/screen_parts.hpp"

namespace ulna::identify {

using Eigen::Index;

Resampler::Resampler(const Eigen::VectorXd& t, double begin, double rate_hz, Index count, Kind kind)
    : samples_(t.size()) {
  const Index n = t.size();
  if (n < 2) throw std::invalid_argument("resampling needs two samples");
  const Eigen::VectorXd steps = t.tail(n - 1) - t.head(n - 1);
  for (Index k = 0; k + 1 < n; ++k)
    if (!(steps[k] > 0.0))
      throw std::invalid_argument("resampling: time does not increase at sample " +
                                  std::to_string(k + 1));
  const double apart = 0.5 * quantile(steps.data(), 1, n - 1, 0.5);
  const double end = begin + double(count - 1) / rate_hz;
  const double tolerance = 1e-9 * (std::abs(t[0]) + std::abs(t[n - 1]));
  if (!(rate_hz > 0.0) || !(begin >= t[0] - tolerance) || !(end <= t[n - 1] + tolerance))
    throw std::invalid_argument("resampling: the times reach beyond the samples");

  stencils_.reserve(std::size_t(count));
  Index i = 0;
  for (Index k = 0; k < count; ++k) {
    const double x = begin + double(k) / rate_hz;
    while (i + 2 < n && t[i + 1] <= x) ++i;
    // the two samples around, then neighbours to the left and to the right that are far enough
    Index at[4] = {i, i + 1, 0, 0};
    int size = 2;
    if (kind == Kind::cubic) {
      Index left = i - 1, right = i + 2;
      Index leftmost = i, rightmost = i + 1;
      const auto take_left = [&] {
        while (left >= 0 && t[leftmost] - t[left] < apart) --left;
        if (left < 0) return;
        at[size++] = leftmost = left--;
      };
      const auto take_right = [&] {
        while (right < n && t[right] - t[rightmost] < apart) ++right;
        if (right >= n) return;
        at[size++] = rightmost = right++;
      };
      take_left(), take_right();
      if (size < 4) take_right();
      if (size < 4) take_left();
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

Eigen::MatrixXd Resampler::operator()(const Eigen::MatrixXd& x) const {
  if (x.cols() != samples_)
    throw std::invalid_argument("resampling: " + std::to_string(x.cols()) +
                                " samples given, the clock has " + std::to_string(samples_));
  Eigen::MatrixXd y(x.rows(), Index(stencils_.size()));
  for (Index k = 0; k < y.cols(); ++k) {
    const Stencil& s = stencils_[k];
    y.col(k) = s.weight[0] * x.col(s.sample[0]) + s.weight[1] * x.col(s.sample[1]) +
               s.weight[2] * x.col(s.sample[2]) + s.weight[3] * x.col(s.sample[3]);
  }
  return y;
}

}  // namespace ulna::identify
