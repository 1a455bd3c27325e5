#include "ulna/identify/data/screen.hpp"

#include <algorithm>
#include <cmath>

#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/log_rules.hpp"

namespace ulna::identify {

namespace {

/// From each sample to the next: how long it took by the motion, and how exactly that is known.
struct MotionSteps {
  Vector time, error;  ///< the latter infinite if nothing moves

  explicit MotionSteps(const Log& log)
      : time(Vector::Zero(log.size() - 1)), error(Vector::Constant(log.size() - 1, infinity)) {
    for (Index k = 0; k < time.size(); ++k) {
      const Vector v = 0.5 * (log.v.col(k) + log.v.col(k + 1)),
                   way = log.q.col(k + 1) - log.q.col(k);
      const double square = v.squaredNorm();
      if (square == 0.0) continue;
      time[k] = v.dot(way) / square;
      const double freedom = double(std::max<Index>(1, v.size() - 1));
      error[k] = (way - time[k] * v).norm() / std::sqrt(freedom * square);
    }
  }
};

/// The slope of logged time over counted periods by least squares, each stretch by itself.
class PeriodFit {
 public:
  void add(double periods, double time) {
    counted_.push_back(periods + (counted_.empty() ? 0.0 : counted_.back()));
    logged_.push_back(time + (logged_.empty() ? 0.0 : logged_.back()));
  }
  void interrupt() {
    const auto n = Index(counted_.size());
    if (n > 0) {
      const Eigen::Map<const Vector> x(counted_.data(), n), y(logged_.data(), n);
      const Vector centred = x.array() - x.mean();
      xx_ += centred.squaredNorm(), xy_ += centred.dot(y);
    }
    counted_.clear(), logged_.clear();
  }
  double period() const { return xx_ > 0.0 ? xy_ / xx_ : 0.0; }

 private:
  std::vector<double> counted_, logged_;
  double xx_ = 0.0, xy_ = 0.0;
};

}  // namespace

ClockRepair repair_clock(Log& log, Diagnostics& found) {
  constexpr double certain = 0.1;  // of a period
  ClockRepair result;
  if (log.v.size() == 0 || log.size() < 100) return result;
  const MotionSteps steps(log);
  const auto is_break = [&](Index k) {
    return std::binary_search(log.breaks.begin(), log.breaks.end(), k);
  };

  const Index count = log.size() - 1;
  const Vector logged = steps_of(log.t);
  double period = quantile(logged, 0.5);
  const auto judged = [&](Index k) {
    return steps.error[k] < certain * period && !is_break(k + 1);
  };
  const auto periods = [&](Index k) { return steps.time[k] / period; };
  std::vector<double> times;
  for (Index k = 0; k < count; ++k)
    if (judged(k) && std::abs(periods(k) - 1.0) < 0.5) times.push_back(steps.time[k]);
  if (double(times.size()) < 0.5 * double(count)) return result;
  period = quantile(Vector::Map(times.data(), Index(times.size())), 0.5);
  // as the motion counts periods, the logged time of long stretches shows how long one is
  PeriodFit fit;
  double off_even = 0.0, off_logged = 0.0;
  Index many = 0, even = 0;
  for (Index k = 0; k < count; ++k) {
    if (!judged(k)) {
      fit.interrupt();
      continue;
    }
    const double n = std::round(periods(k)), m = steps.time[k];
    fit.add(n, logged[k]);
    ++many, even += std::abs(periods(k) - n) < 0.15 && n < 50.0;
    off_even += std::pow(m - n * period, 2), off_logged += std::pow(m - logged[k], 2);
  }
  fit.interrupt();
  result.share = double(even) / double(many);
  period = fit.period();
  result.period = period;
  // the even clock must explain the motion much better than the logged one does
  if (result.share < 0.95 || off_even > 0.1 * off_logged || !(period > 0.0)) return result;

  // counted in periods from the beginning of each piece; where the motion does not show it, the log does
  Vector t = log.t;
  std::vector<char> kept(std::size_t(log.size()), 1);
  double begin = log.t[0], elapsed = 0.0, square = 0.0, sum = 0.0;
  for (Index k = 0; k < count; ++k) {
    if (is_break(k + 1)) {
      begin = log.t[k + 1], elapsed = 0.0;
      continue;
    }
    double n = judged(k) ? std::round(periods(k))
                         : std::max(1.0, std::round((log.t[k + 1] - begin) / period - elapsed));
    if (n < 0.0) return result;
    if (n == 0.0) kept[k + 1] = 0, ++result.dropped;
    elapsed += n;
    t[k + 1] = begin + elapsed * period;
    const double off = log.t[k + 1] - t[k + 1];
    // the two clocks must show the same time, but for single lines that were written late
    if (std::abs(off) > 50.0 * period) return result;
    sum += off, square += off * off;
  }
  const double mean = sum / double(count);
  result.deviation = std::sqrt(std::max(0.0, square / double(count) - mean * mean));
  result.repaired = true;
  log.t = t.array() + mean;
  log.keep(kept);
  found.note(log_rules::clock, {log.file}, "clock",
             message("by the motion, ", number(100.0 * result.share, 3),
                     " % of the samples are whole multiples of ", number(1e3 * period, 6),
                     " ms apart; the logged time deviates from that by ",
                     number(1e3 * result.deviation, 2), " ms"),
             message("the even clock is used; ", counted(result.dropped, "sample"),
                     " dropped because the robot had not moved on"));
  return result;
}

}  // namespace ulna::identify
