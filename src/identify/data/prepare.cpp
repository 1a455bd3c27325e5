#include "ulna/identify/data/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "identify/data/ranges.hpp"
#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/identify/data/log_rules.hpp"

namespace ulna::identify {

Piece Piece::part(Index begin, Index end, Index stride) const {
  const auto some = Eigen::seqN(begin, (end - begin + stride - 1) / stride, stride);
  const auto cut = [&](const Matrix& m) -> Matrix { return m.size() ? m(Eigen::all, some) : m; };
  return {log,           rate_hz / double(stride),
          t(some),       cut(q),
          cut(v),        cut(a),
          cut(tau),      cut(direction),
          cut(sliding),  cut(theta),
          cut(omega),    cut(alpha),
          cut(link_tau), link_encoders};
}

Index Prepared::size() const {
  Index sum = 0;
  for (const Piece& piece : pieces) sum += piece.size();
  return sum;
}

Prepared Prepared::part(double begin, double end) const {
  Prepared result = *this;
  result.pieces.clear();
  for (const Piece& piece : pieces) {
    const Range range = share_of(piece.size(), begin, end);
    if (range.size() > 0) result.pieces.push_back(piece.part(range.begin, range.end));
  }
  return result;
}

std::string Prepared::str() const {
  std::string s = message(filter_hz, " Hz zero-phase low-pass (Butterworth, order ", filter_order,
                          ", forwards and backwards)");
  if (!pieces.empty()) s += message(", samples at ", pieces.front().rate_hz, " Hz");
  s += velocity_measured ? ", velocity measured" : ", velocity from position";
  s += acceleration_measured ? ", acceleration measured" : ", acceleration from velocity";
  if (torque_delay != 0.0)
    s += message(", torque delay of ", 1e3 * torque_delay, " ms compensated");
  return s;
}

namespace {

void check(const PrepareOptions& options) {
  require(options.filter_hz > 0.0 && std::isfinite(options.filter_hz),
          "prepare: the filter's cut-off must be a positive number of Hz");
  require(options.filter_order >= 1 && options.filter_order <= LowPass::max_order,
          "prepare: the filter's order must be from 1 to ", LowPass::max_order);
  require(options.decimation >= 1, "prepare: decimation must be at least 1");
  require(options.rate_hz >= 0.0 && std::isfinite(options.rate_hz) &&
              std::isfinite(options.torque_delay) && std::isfinite(options.trim),
          "prepare: rate, delay and trim must be finite numbers, the rate not negative");
}

/// How fast joints must be for the sign of their velocity to be more than noise. What the filter takes from most samples is noise, of
/// which as much is left below the cut-off as that is wide; `x` are velocities, or positions that these are derived from.
Vector least_speed(const Matrix& x, const Matrix& filtered, const Matrix& v, bool velocities,
                   double filter_hz, double rate) {
  constexpr double deviations = 4.0, deviations_per_median = 1.4826, smallest = 1e-6;
  constexpr double of_fastest = 1e-3;  // dry friction is no step: where it slides, it slides
  const double below = std::min(0.8, 2.0 * filter_hz / rate);
  const double left = std::sqrt(below / (1.0 - below)) *
                      (velocities ? 1.0 : 2.0 * std::numbers::pi * filter_hz / std::sqrt(3.0));
  Vector least(v.rows());
  for (Index i = 0; i < v.rows(); ++i) {
    const Vector removed = (x.row(i) - filtered.row(i)).cwiseAbs();
    least(i) = std::max({smallest, of_fastest * v.row(i).cwiseAbs().maxCoeff(),
                         deviations * deviations_per_median * left * quantile(removed, 0.5)});
  }
  return least;
}

/// A piece of a log; nothing if it is too short.
std::optional<Piece> prepared_piece(const Log& log, const Range& range, double rate,
                                    const LowPass& low_pass, const PrepareOptions& options) {
  const Vector t = log.t.segment(range.begin, range.size());
  const double begin = t[0] + std::max(0.0, -options.torque_delay);
  const double end = t[t.size() - 1] - std::max(0.0, options.torque_delay);
  const double trim = options.trim >= 0.0 ? options.trim : 0.5 / options.filter_hz;
  const Index count = even_samples(end - begin, rate), trimmed = std::lround(trim * rate);
  const auto fewest = std::max<Index>(16, std::lround(2.0 * rate / options.filter_hz));
  if (range.size() < 8 || count < fewest + 2 * trimmed) return {};

  const Resampler resample(t, begin, rate, count);
  const auto resampled = [&](const Matrix& x, const Resampler& at) -> Matrix {
    return at(x.middleCols(range.begin, range.size()));
  };
  const auto filtered = [&](const Matrix& x, const Resampler& at) {
    Matrix y = resampled(x, at);
    zero_phase(low_pass, y);
    return y;
  };
  const Matrix q = filtered(log.q, resample);
  const bool has_v = log.v.size() && options.velocity_logged;
  const Matrix v = has_v ? filtered(log.v, resample) : derivative(q, rate);
  const Vector least = least_speed(resampled(has_v ? log.v : log.q, resample), has_v ? v : q, v,
                                   has_v, options.filter_hz, rate);
  const bool has_a = log.a.size() && options.acceleration_logged;
  const Matrix a = has_a ? filtered(log.a, resample) : derivative(v, rate);
  Matrix direction = v.cwiseSign();
  Matrix sliding = Matrix::Ones(v.rows(), v.cols());
  // what is slow for less than the filter remembers turns round
  const Index shortest = std::lround(rate / options.filter_hz);
  for (Index i = 0; i < v.rows(); ++i)
    for (Index k = 0; k < count; ++k) {
      Index moves = k;
      while (moves < count && std::abs(v(i, moves)) < least(i)) ++moves;
      if (moves - k >= shortest) sliding.row(i).segment(k, moves - k).setZero();
      k = std::max(k, moves);
    }
  zero_phase(low_pass, direction);
  zero_phase(low_pass, sliding);

  Piece piece;
  piece.rate_hz = rate / options.decimation;
  const auto some = Eigen::seq(trimmed, count - trimmed - 1, options.decimation);
  piece.q = q(Eigen::all, some), piece.v = v(Eigen::all, some), piece.a = a(Eigen::all, some);
  piece.direction = direction(Eigen::all, some);
  piece.sliding = sliding(Eigen::all, some).cwiseMax(0.0).cwiseMin(1.0);
  if (log.tau.size()) {
    const Resampler later(t, begin + options.torque_delay, rate, count);
    piece.tau = filtered(log.tau, options.torque_delay == 0.0 ? resample : later)(Eigen::all, some);
  }
  piece.link_encoders = log.link_encoders;
  if (log.link_tau.size()) piece.link_tau = filtered(log.link_tau, resample)(Eigen::all, some);
  if (log.theta.size()) {
    const Matrix theta = filtered(log.theta, resample);
    const bool has_omega = log.omega.size() && options.velocity_logged;
    const Matrix omega = has_omega ? filtered(log.omega, resample) : derivative(theta, rate);
    piece.theta = theta(Eigen::all, some), piece.omega = omega(Eigen::all, some);
    piece.alpha = derivative(omega, rate)(Eigen::all, some);
  }
  piece.t.resize(piece.q.cols());
  for (Index k = 0; k < piece.t.size(); ++k)
    piece.t[k] = begin + double(trimmed + k * options.decimation) / rate;
  return piece;
}

}  // namespace

double natural_rate(const Log& log) {
  const Vector steps = steps_of(log.t);
  double time = steps.sum();
  for (const Index b : log.breaks) time -= steps[b - 1];
  return std::min(1.0 / quantile(steps, 0.5), 4.0 * double(steps.size()) / time);
}

Prepared prepare(std::span<const Log> logs, const PrepareOptions& options, Diagnostics& found) {
  check(options);
  Prepared all{.filter_hz = options.filter_hz,
               .filter_order = options.filter_order,
               .decimation = options.decimation,
               .torque_delay = options.torque_delay};
  const auto every = [&](auto has) {
    return !logs.empty() && std::all_of(logs.begin(), logs.end(), has);
  };
  all.velocity_measured =
      options.velocity_logged && every([](const Log& l) { return l.v.size() > 0; });
  all.acceleration_measured =
      options.acceleration_logged && every([](const Log& l) { return l.a.size() > 0; });

  for (std::size_t i = 0; i < logs.size(); ++i) {
    const Log& log = logs[i];
    if (log.size() < 2) continue;
    const double natural = natural_rate(log);
    const double rate = options.rate_hz > 0.0 ? options.rate_hz : natural;
    // a rate beyond what was measured only costs memory
    if (!(rate >= 2.1 * options.filter_hz) || !(rate <= 20.0 * natural)) {
      found.add(log_rules::rate_low, {log.file}, "",
                message("a rate of ", rate, " Hz does not fit a cut-off of ", options.filter_hz,
                        " Hz and a clock of ", natural, " Hz"));
      continue;
    }
    const LowPass low_pass(options.filter_hz, rate, options.filter_order);
    AffectedRows too_short;
    const std::vector<Range> ranges = pieces_of(log.breaks, log.size());
    for (const Range& range : ranges) {
      if (auto piece = prepared_piece(log, range, rate, low_pass, options)) {
        piece->log = int(i);
        all.pieces.push_back(std::move(*piece));
      } else {
        too_short.add(log.line.empty() ? 0 : log.line[range.begin]);
      }
    }
    if (too_short.count() == Index(ranges.size()))
      found.add(
          log_rules::too_short, {log.file}, "",
          message("no piece of it is long enough to be filtered at ", options.filter_hz, " Hz"));
    else if (too_short)
      found.add(log_rules::piece_short, {log.file, too_short.first()}, "",
                message(counted(too_short.count(), "piece"), " (", too_short.lines(),
                        ") too short to be filtered at ", options.filter_hz, " Hz"),
                "left out");
  }
  return all;
}

}  // namespace ulna::identify
