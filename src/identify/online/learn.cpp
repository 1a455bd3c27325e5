#include <algorithm>
#include <chrono>
#include <cmath>

#include "identify/data/ranges.hpp"
#include "identify/data/screen_parts.hpp"
#include "identify/estimate/uncertainty.hpp"
#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/identify/online/online_estimator.hpp"

namespace ulna::identify {
namespace {

/// How far off torques may be, before any was seen: a share of what drives can do, or did at first.
Vector noise_guess(const Model& model, const Log& log) {
  constexpr double share = 0.005, of_first = 0.03;
  Index n = 1;
  while (n < log.size() && log.t(n) < log.t(0) + 1.0) ++n;
  const Vector first = rms(log.tau.leftCols(n));
  Vector noise(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    const double effort = model.effort_limit()(i);
    noise(i) = std::isfinite(effort) && effort > 0.0 ? share * effort
                                                     : std::max(of_first * first(i), 0.01);
  }
  return noise;
}

/// Drops what comes after the first samples.
void keep_first(Piece& piece, Index samples) {
  piece.t.conservativeResize(samples);
  for (Matrix* x : {&piece.q, &piece.v, &piece.a, &piece.tau, &piece.direction})
    x->conservativeResize(Eigen::NoChange, samples);
}

/// A piece of a log as a causal filter leaves it: the samples after the filter has settled, torques being measured `late` seconds later
/// than motion. `raw` gets how many samples of all logs went before each.
Piece filtered(const Log& log, const Range& range, MotionFilter& filter, double rate, double late,
               std::vector<Index>& raw) {
  const bool measured = log.v.size() > 0;
  const int n = int(log.q.rows());
  const Vector t = log.t.segment(range.begin, range.size());
  const double begin = t(0) + std::max(0.0, -late),
               seconds = t(t.size() - 1) - t(0) - std::abs(late);
  if (!(seconds > 0.0)) return {};
  const Index count = even_samples(seconds, rate);
  const auto part = [&](const Matrix& x, double later) {
    return Resampler(t, begin + later, rate, count)(x.middleCols(range.begin, range.size()));
  };
  const Matrix q = part(log.q, 0.0), tau = part(log.tau, late),
               v = measured ? part(log.v, 0.0) : Matrix();
  filter.reset();
  Piece piece;
  piece.rate_hz = rate;
  piece.t.resize(count);
  piece.q.resize(n, count), piece.v = piece.a = piece.tau = piece.direction = piece.q;
  Index kept = 0;
  for (Index k = 0; k < count; ++k) {
    const bool sound = filter.update(q.col(k), measured ? Vector(v.col(k)) : Vector(), tau.col(k));
    if (!sound || !filter.settled()) continue;
    piece.t(kept) = begin + double(k) / rate - filter.delay();
    piece.q.col(kept) = filter.q(), piece.v.col(kept) = filter.v();
    piece.a.col(kept) = filter.a(), piece.tau.col(kept) = filter.tau();
    piece.direction.col(kept++) = filter.direction();
    raw.push_back(range.begin + k);
  }
  keep_first(piece, kept);
  return piece;
}

/// The estimator's parameters with their uncertainty.
Estimate estimate_of(OnlineEstimator& online, const BaseParameters& base, const Vector& noise,
                     double correlated) {
  Estimate e;
  e.z = online.z();
  const Matrix prior = online.prior().information(e.z),
               data = online.information().selfadjointView<Eigen::Lower>();
  set_uncertainty(base, base.free(), inverse_of(prior), inverse_of(prior + data), e);
  e.base = base.of(e.z);
  e.noise = noise;
  e.correlated = Vector::Constant(noise.size(), correlated);
  e.excitation = excitation(data(base.independent, base.independent));
  e.consistent = is_consistent(online.model(), e.z);
  e.steps = int(online.samples());
  return e;
}

OnlineOptions options_of(std::span<const Log> logs, const Options& options) {
  OnlineOptions online;
  online.rate_hz = natural_rate(logs.front());
  online.correlated = std::max(1.0, online.rate_hz / *options.filter_hz);
  // the robot of the logs is one and the same: what was seen counts for as long as they are
  double seconds = 0.0;
  for (const Log& log : logs) seconds += double(log.size()) / online.rate_hz;
  online.memory = std::max(online.memory, seconds);
  online.noise_memory = 10.0;
  online.prior = options.prior;
  return online;
}

using GoOn = std::function<bool(const std::string& what)>;

/// The estimator on its way through the logs.
class OnlineRun {
 public:
  OnlineRun(std::span<const Log> logs, const Options& options, Identification& result,
            const GoOn& go_on)
      : options_(options),
        go_on_(go_on),
        result_(result),
        how_(options_of(logs, options)),
        online_(result.torques, noise_guess(result.torques.model(), logs.front()), how_),
        prior_(online_.prior().center()) {
    seen_.filter_hz = *options.filter_hz;
    figures_.rate_hz = how_.rate_hz;
    for (const Log& log : logs) total_ += log.size();
  }

  void learn(const Log& log) {
    MotionFilter filter(int(log.q.rows()), LowPass(*options_.filter_hz, how_.rate_hz, 4),
                        log.v.size() > 0 ? MotionFilter::Velocity::measured
                                         : MotionFilter::Velocity::from_position);
    figures_.delay = filter.delay();
    for (const Range& range : pieces_of(log.breaks, log.size())) {
      if (range.size() < 8 || result_.stopped) continue;
      std::vector<Index> raw;
      Piece piece = filtered(log, range, filter, how_.rate_hz, *options_.torque_delay, raw);
      if (piece.size() == 0) continue;
      const Matrix predicted = predictions(piece, raw);
      keep_first(piece, predicted.cols());
      if (piece.size() == 0) continue;
      result_.traces.push_back({log.file, false, how_.rate_hz, piece.t,
                                result_.torques.reduced(piece.q, piece.tau), predicted});
      seen_.pieces.push_back(std::move(piece));
    }
    before_ += log.size();
  }

  void report() {
    const TorqueData data = gather(result_.torques, seen_);
    if (data.size() == 0 && result_.stopped) throw Stopped();
    if (data.size() == 0)
      throw std::runtime_error(
          "the logs are shorter than the filter needs to settle, so nothing is left to learn from "
          "online: give longer ones, or a higher Options::filter_hz");
    // of logs that were left early, the second half of what was learned from
    if (result_.stopped) first_half_ = data.size() / 2;
    Matrix errors = data.tau;
    for (std::size_t p = 0; p < data.breaks.size(); ++p)
      errors.middleCols(data.breaks[p], result_.traces[p].t.size()) -= result_.traces[p].predicted;
    const auto second_half = [&](const Matrix& x) -> Matrix {
      return x.rightCols(data.size() - first_half_);
    };
    figures_.run = fit_of(errors, data.tau);
    figures_.second_half = fit_of(second_half(errors), second_half(data.tau));
    errors = errors_of(result_.torques, prior_, data);
    figures_.prior_percent = fit_of(second_half(errors), second_half(data.tau)).total_percent;
    const auto times = Vector::Map(times_.data(), Index(times_.size()));
    figures_.median_us = quantile(times, 0.5);
    figures_.percentile_99_us = quantile(times, 0.99);
    result_.chosen.estimate =
        estimate_of(online_, result_.base, figures_.second_half.rms, how_.correlated);
    result_.chosen.estimate.prior = prior_;
    result_.online = figures_;
  }

 private:
  /// Predicts each torque of a piece, then learns from it, up to where it is stopped.
  Matrix predictions(const Piece& piece, const std::vector<Index>& raw) {
    Matrix predicted(piece.tau.rows(), piece.size());
    long* const counts[] = {&figures_.learned, &figures_.doubted, &figures_.changed,
                            &figures_.ignored, &figures_.changed};
    for (Index k = 0; k < piece.size(); ++k) {
      const double share = double(before_ + raw[k]) / double(total_);
      if (k % 512 == 0 && !go_on_(message("learning, ", std::round(100.0 * share), " %")))
        return predicted.leftCols(k);
      first_half_ += share < 0.5;
      const Vector q = piece.q.col(k), v = piece.v.col(k), a = piece.a.col(k),
                   direction = piece.direction.col(k), tau = piece.tau.col(k);
      online_.predict(q, v, a, direction, predicted.col(k));
      const auto start = std::chrono::steady_clock::now();
      const auto outcome = online_.update(q, v, a, direction, tau);
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      times_.push_back(took.count());
      ++*counts[int(outcome)];
      figures_.always_consistent &= is_consistent(online_.model(), online_.z());
    }
    return predicted;
  }

  const Options& options_;
  const GoOn& go_on_;
  Identification& result_;
  OnlineOptions how_;
  OnlineEstimator online_;
  Vector prior_;
  Prepared seen_;  ///< what was learned from
  std::vector<double> times_;
  OnlineFigures figures_;
  Index total_ = 0, before_ = 0;  ///< samples of all logs, and of those learned from
  Index first_half_ = 0;  ///< of the samples learned from, those in the first half of the logs
};

}  // namespace

void learn_online(std::span<const Log> logs, const Options& options, Identification& result,
                  const GoOn& go_on) {
  OnlineRun run(logs, options, result, go_on);
  for (const Log& log : logs) run.learn(log);
  run.report();
}

}  // namespace ulna::identify
