#include "ulna/identify/choose/residuals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <numeric>

#include "identify/messages.hpp"

namespace ulna::identify {
namespace {

constexpr int bins = 16, frequencies = 60, lags = 60;
/// Shares of the residual's variance from which on a pattern is worth a word.
constexpr double worth_a_word = 0.1;

/// One joint's samples of all pieces.
struct Series {
  std::vector<double> position, velocity, load, time, error;
};

/// Power at even frequencies, of windows of up to 4 s that overlap by half [Welch 1967].
class Spectrum {
 public:
  Spectrum(double highest_hz) : highest_(highest_hz) {}
  void add(const Vector& x, double rate) {
    const auto stride = std::max<Index>(1, Index(rate / (4.0 * highest_)));
    const double slow = rate / double(stride);
    const Index n = x.size() / stride, length = std::min<Index>(n, std::lround(4.0 * slow));
    if (length < 16) return;
    for (Index from = 0; from + length <= n; from += length / 2) {
      ++windows_;
      const Vector w = x(Eigen::seqN(from * stride, length, stride));
      const double mean = w.mean();
      for (int f = 0; f < frequencies; ++f) {
        const std::complex<double> turn = std::polar(1.0, -2.0 * std::numbers::pi * hz(f) / slow);
        std::complex<double> phase = 1.0, sum = 0.0;
        for (Index k = 0; k < length; ++k, phase *= turn)
          sum += (1.0 - std::cos(2.0 * std::numbers::pi * (double(k) + 0.5) / double(length))) *
                 (w(k) - mean) * phase;
        // of Hann's window, the mean square is 3/2 where its mean is 1
        power_[f] += 2.0 * std::norm(sum) / (1.5 * double(length) * slow);
      }
    }
  }
  double hz(int f) const { return highest_ * (f + 0.5) / frequencies; }
  Vector density() const {
    Vector d(frequencies);
    for (int f = 0; f < frequencies; ++f) d(f) = windows_ ? std::sqrt(power_[f] / windows_) : 0.0;
    return d;
  }

 private:
  double highest_;
  int windows_ = 0;
  std::array<double, frequencies> power_{};
};

/// Means of the error in bins of x that hold equally much of its range; `correlated` samples count as one.
Pattern pattern(const char* against, const std::vector<double>& x, const std::vector<double>& error,
                int count, double correlated) {
  Pattern found{.against = against};
  const auto [low, high] = std::ranges::minmax(x);
  double squares = 0.0;
  for (const double e : error) squares += e * e;
  if (!(high > low) || !(squares > 0.0)) return found;
  std::vector<double> sum(static_cast<std::size_t>(count)), number = sum, at = sum;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto bin =
        std::size_t(std::clamp(int((x[k] - low) / (high - low) * count), 0, count - 1));
    sum[bin] += error[k], number[bin] += 1.0, at[bin] += x[k];
  }
  const double total = double(error.size()), variance = squares / total;
  std::vector<double> centres, means, deviations;
  double explained = 0.0, by_chance = 0.0;
  for (std::size_t b = 0; b < std::size_t(count); ++b) {
    if (number[b] < std::max(8.0, correlated)) continue;
    const double mean = sum[b] / number[b];
    centres.push_back(at[b] / number[b]), means.push_back(mean);
    deviations.push_back(std::sqrt(variance * correlated / number[b]));
    explained += number[b] * mean * mean;
    by_chance += variance * correlated;
  }
  const auto vector = [](const std::vector<double>& v) -> Vector {
    return Vector::Map(v.data(), Index(v.size()));
  };
  found.x = vector(centres), found.mean = vector(means), found.deviation = vector(deviations);
  found.share = std::max(0.0, (explained - by_chance) / squares);
  return found;
}

/// What it means that the residual follows something, and the motion that shows more of it.
struct Reading {
  std::string_view against, in_words, cause, motion;
};
constexpr Reading readings[] = {
    {"position", "position",
     "gravity, a cable or spring, ripple of a gear, or a wrong zero position",
     "slow motion through the whole range, both ways"},
    {"velocity", "velocity", "friction that is not a line and a step (Stribeck, lubricant)",
     "constant speeds from slow to fast, both ways"},
    {"load", "torque", "another gain of the sensor or drive, or friction that grows with load",
     "the same motion with a known payload"},
    {"direction", "direction", "Coulomb friction that changes, play, or a delay",
     "short and slow motions to and fro"},
    {"time", "course in time", "an offset drifts, as of a sensor that warms up",
     "the same motion at once and when it has run for a while"},
    {"friction", "friction over time", "it changes as the joint warms up",
     "the same motion at once and when it has run for a while"},
};
const Reading& reading_of(std::string_view against) {
  return *std::ranges::find(readings, against, &Reading::against);
}

std::string meaning_of(const Pattern& p) {
  const Reading& reading = reading_of(p.against);
  return message(std::round(100.0 * p.share), " % of the residual follows the joint's ",
                 reading.in_words, ": ", reading.cause);
}

}  // namespace

std::string_view cause_of(const Pattern& pattern) { return reading_of(pattern.against).cause; }
std::string_view motion_that_shows(const Pattern& pattern) {
  return reading_of(pattern.against).motion;
}

Residuals residuals_of(std::span<const ResidualInput> pieces, double filter_hz) {
  Residuals all;
  Index samples = 0;
  for (const ResidualInput& p : pieces) samples += p.measured.cols();
  if (samples < 100) return all;
  const Index joints = pieces.front().measured.rows();
  const bool moves = std::ranges::all_of(
      pieces, [](const ResidualInput& p) { return p.q.cols() == p.measured.cols(); });
  const double highest = 2.0 * filter_hz, longest_lag = 2.0;
  all.lag = Vector::LinSpaced(lags, 0.0, longest_lag);
  for (Index i = 0; i < joints; ++i) {
    JointResidual joint;
    Series s;
    Spectrum torque(highest), residual(highest);
    Vector products = Vector::Zero(lags), counts = products;
    double alike = 1.0;
    for (const ResidualInput& p : pieces) {
      const Vector error = p.measured.row(i) - p.predicted.row(i), tau = p.measured.row(i);
      torque.add(tau, p.rate_hz), residual.add(error, p.rate_hz);
      alike = std::max(alike, p.rate_hz / filter_hz);
      for (int l = 0; l < lags; ++l) {
        const auto lag = Index(std::lround(all.lag(l) * p.rate_hz));
        if (lag >= error.size()) continue;
        products(l) += error.head(error.size() - lag).dot(error.tail(error.size() - lag));
        counts(l) += double(error.size() - lag);
      }
      for (Index k = 0; moves && k < error.size(); ++k) {
        s.position.push_back(p.q(i, k)), s.velocity.push_back(p.v(i, k));
        s.load.push_back(p.predicted(i, k)), s.error.push_back(error(k));
        s.time.push_back(p.begin + double(k) / p.rate_hz);
      }
    }
    if (all.hz.size() == 0) {
      all.hz.resize(frequencies);
      for (int f = 0; f < frequencies; ++f) all.hz(f) = torque.hz(f);
    }
    joint.torque_density = torque.density(), joint.density = residual.density();
    joint.rms = std::sqrt(products(0) / std::max(counts(0), 1.0));
    joint.autocorrelation = Vector::Zero(lags);
    if (products(0) > 0.0)
      joint.autocorrelation =
          products.cwiseQuotient(counts.cwiseMax(1.0)) / (products(0) / counts(0));
    int l = 0;
    while (l < lags && joint.autocorrelation(l) > 0.2) ++l;
    joint.correlated_seconds = all.lag(std::min(l, lags - 1));
    const double correlated = std::max(alike, joint.correlated_seconds * pieces.front().rate_hz);
    std::vector<double> direction(s.velocity.size()), resisting = direction;
    std::ranges::transform(s.velocity, direction.begin(),
                           [](double v) { return v > 0.0 ? 1.0 : -1.0; });
    // friction that changes has the sign of the velocity: its mean over time alone is about zero
    std::ranges::transform(direction, s.error, resisting.begin(), std::multiplies());
    const double usual_friction =
        std::accumulate(resisting.begin(), resisting.end(), 0.0) / double(resisting.size());
    for (double& r : resisting) r -= usual_friction;
    if (moves)
      joint.patterns = {pattern("position", s.position, s.error, bins, correlated),
                        pattern("velocity", s.velocity, s.error, bins, correlated),
                        pattern("load", s.load, s.error, bins, correlated),
                        pattern("direction", direction, s.error, 2, correlated),
                        pattern("time", s.time, s.error, bins, correlated),
                        pattern("friction", s.time, resisting, bins, correlated)};
    std::vector<std::pair<double, std::string>> meanings;
    for (Pattern& p : joint.patterns)
      if (p.share > worth_a_word) {
        p.meaning = meaning_of(p);
        meanings.emplace_back(p.share, p.meaning);
      }
    std::ranges::sort(meanings, std::greater{}, &std::pair<double, std::string>::first);
    for (auto& [share, text] : meanings) joint.meanings.push_back(std::move(text));
    // noise that was filtered is alike for about the time of the filter
    if (joint.correlated_seconds > 3.0 / filter_hz)
      joint.meanings.push_back(
          message("the residual is alike over ", number(joint.correlated_seconds, 2),
                  " s, longer than the filter makes noise: it is an effect that the model lacks"));
    Index peak = 0;
    const Index inside = frequencies / 2;
    const double top = joint.density.head(inside).maxCoeff(&peak);
    const double usual = joint.density.head(inside).mean();
    if (peak > inside / 4 && top > 4.0 * usual)
      joint.meanings.push_back(message("the residual has a peak at ", number(all.hz(peak), 2),
                                       " Hz: a vibration, of an elastic joint for example"));
    all.joints.push_back(std::move(joint));
  }
  return all;
}

}  // namespace ulna::identify
