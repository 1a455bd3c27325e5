#include "ulna/identify/data/screen.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/log_rules.hpp"

namespace ulna::identify {

double quantile(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& x, double p) {
  constexpr Index most = 50'000;
  const Index step = std::max<Index>(1, x.size() / most);
  std::vector<double> some;
  for (Index k = 0; k < x.size(); k += step) some.push_back(x[k]);
  if (some.empty()) return 0.0;
  const auto at = std::ptrdiff_t(std::lround(p * double(some.size() - 1)));
  std::nth_element(some.begin(), some.begin() + at, some.end());
  return some[at];
}

namespace {

/// The samples of a longest strictly increasing subsequence: the fewest others are left out.
/// [Fredman 1975, in O(N log N)]
std::vector<char> longest_increasing(const Vector& t) {
  const auto n = std::size_t(t.size());
  std::vector<std::size_t> ends, before(n);  // ends[l]: smallest end of a sequence of length l + 1
  for (std::size_t k = 0; k < n; ++k) {
    const double now = t[Index(k)];
    const auto at = std::lower_bound(ends.begin(), ends.end(), now,
                                     [&](std::size_t e, double x) { return t[Index(e)] < x; });
    before[k] = at == ends.begin() ? n : *std::prev(at);
    // of equal times the first is kept
    if (at == ends.end())
      ends.push_back(k);
    else if (now < t[Index(*at)])
      *at = k;
  }
  std::vector<char> kept(n, 0);
  for (std::size_t k = ends.empty() ? n : ends.back(); k != n; k = before[k]) kept[k] = 1;
  return kept;
}

bool same_measurements(Log& log, Index a, Index b) {
  return std::ranges::all_of(log.measurements(), [&](const auto& part) {
    return part.second->col(a) == part.second->col(b);
  });
}

bool share_exceeded(Index part, Index whole, double share) {
  return double(part) > share * double(whole);
}

/// Median steps of the parts of a log that are sampled evenly enough to have one.
void screen_mixed_rates(const Log& log, const Vector& steps, Diagnostics& found) {
  constexpr Index parts = 20;
  const Index length = steps.size() / parts;
  if (length < 10) return;
  Vector medians(parts);
  for (Index p = 0; p < parts; ++p) medians[p] = quantile(steps.segment(p * length, length), 0.5);
  Index slowest = 0, fastest = 0;
  const double slow = medians.maxCoeff(&slowest), fast = medians.minCoeff(&fastest);
  if (slow < 1.5 * fast) return;
  const int slow_line = log.line[slowest * length], fast_line = log.line[fastest * length];
  found.add(log_rules::mixed_rates, {log.file, slow_line}, "clock",
            message("near line ", slow_line, " its rate is ", 1.0 / slow, " Hz, near line ",
                    fast_line, " it is ", 1.0 / fast, " Hz"),
            "all samples are resampled to one rate");
}

/// Drops samples that make time stand still or go backwards: as few as possible.
void screen_clock(Log& log, LogFigures& figures, Diagnostics& found) {
  const std::vector<char> kept = longest_increasing(log.t);
  AffectedRows duplicates, standing, backwards;
  std::string first_step;
  Index last = 0;  // the last kept before k
  for (Index k = 0; k < log.size(); ++k) {
    const int line = log.line[k];
    if (k > 0 && log.t[k] < log.t[k - 1] && first_step.empty())
      first_step = message("from ", number(log.t[k - 1], 9), " to ", number(log.t[k], 9),
                           " s at line ", line);
    if (kept[k])
      last = k;
    else if (log.t[k] != log.t[last])
      backwards.add(line);
    else
      (same_measurements(log, k, last) ? duplicates : standing).add(line);
  }
  const Index all = log.size();
  log.keep(kept);
  figures.duplicates = duplicates.count();
  figures.out_of_time = standing.count() + backwards.count();

  if (duplicates)
    found.add(log_rules::row_duplicate, {log.file, duplicates.first()}, "",
              duplicates.rows() + " repeat the row before them, time included", "dropped");
  // a clock that is often wrong is not known to be right elsewhere
  const auto report = [&](const Rule& rule, const AffectedRows& rows, const std::string& seen,
                          const std::string& advice) {
    if (share_exceeded(rows.count(), all, 0.02))
      found.add(log_rules::mostly_lost, {log.file, rows.first()}, "time",
                seen + ": too many to continue", "", advice);
    else if (rows)
      found.add(rule, {log.file, rows.first()}, "time", seen, "these rows are dropped");
  };
  report(log_rules::time_backwards, backwards,
         message("it goes backwards, ", first_step, "; to make it increase, ", backwards.rows(),
                 " of ", all, " must be dropped"),
         "if the file contains several recordings, give each as a separate file");
  report(log_rules::time_stands, standing,
         message("it stands still at ", standing.rows(), " of ", all,
                 " while the measurements change"),
         "log the time with more digits, or leave the column out and give the rate");
}

/// Drops absurd numbers.
void screen_outliers(Log& log, LogFigures& figures, Diagnostics& found) {
  // what no joint reaches in radians, metres, seconds, newtons and amperes
  constexpr double absurd = 1e6;
  constexpr Index half = 3, width = 2 * half + 1;
  const Index count = log.size();
  if (count < width) return;
  std::vector<char> kept(std::size_t(count), 1);
  std::string worst;
  double worst_ratio = 0.0;
  for (const auto& [name, m] : log.measurements()) {
    for (Index i = 0; i < m->rows(); ++i) {
      const auto x = m->row(i);
      const auto usual = [&](Index k) {
        const Index from = std::clamp<Index>(k - half, 0, count - width);
        double window[width];
        for (Index j = 0; j < width; ++j) window[j] = x[from + j];
        std::nth_element(window, window + half, window + width);
        return window[half];
      };
      // how far a number may be from the median of its neighbours: farther than the channel goes
      // altogether, and much farther than its numbers usually are
      const Index sparse = std::max<Index>(1, count / 20'000);
      std::vector<double> far;
      for (Index k = 0; k < count; k += sparse) far.push_back(std::abs(x[k] - usual(k)));
      const double most = quantile(x.transpose(), 0.99) - quantile(x.transpose(), 0.01) +
                          10.0 * quantile(Vector::Map(far.data(), Index(far.size())), 0.99) + 1e-6;
      // far from the median means a long step nearby; most samples have none
      const double step = most / double(width);
      Index near_until = -1;
      for (Index k = 0; k < count; ++k) {
        const Index ahead = std::min(k + width, count - 1);
        if (std::abs(x[ahead] - x[ahead - 1]) > step) near_until = k + 2 * width;
        const bool large = std::abs(x[k]) > absurd;
        if (!large && k > near_until && k > width) continue;
        const double median = usual(k), deviation = std::abs(x[k] - median);
        if (!large && deviation <= most) continue;
        kept[k] = 0;
        const double ratio = std::max(deviation, std::abs(x[k])) / most;
        if (ratio <= worst_ratio) continue;
        worst_ratio = ratio;
        worst = message(name, " of ", joint_subject(log, i), " is ", x[k], " at line ", log.line[k],
                        ", its neighbours ", median);
      }
    }
  }
  AffectedRows outliers;
  for (Index k = 0; k < count; ++k)
    if (!kept[k]) outliers.add(log.line[k]);
  figures.outliers = outliers.count();
  if (!outliers) return;
  log.keep(kept);
  found.add(log_rules::outlier, {log.file, outliers.first()}, "",
            "outliers in " + outliers.rows() + "; the worst: " + worst, "these rows are dropped");
}

/// Drops rows that repeat the one before them at a later time.
void screen_held(Log& log, LogFigures& figures, Diagnostics& found) {
  std::vector<char> kept(std::size_t(log.size()), 1);
  AffectedRows held;
  Index last = 0;
  for (Index k = 1; k < log.size(); ++k) {
    kept[k] = !same_measurements(log, k, last);
    if (kept[k])
      last = k;
    else
      held.add(log.line[k]);
  }
  // a log without noise, of a robot at rest, repeats itself rightly
  if (!held || share_exceeded(held.count(), log.size(), 0.5)) return;
  const Index all = log.size();
  figures.held = held.count();
  log.keep(kept);
  found.add(
      log_rules::row_held, {log.file, held.first()}, "",
      message(held.rows(), " of ", all, " repeat the measurements before them at a later time"),
      "dropped: the measurement belongs to the first of them");
}

/// Rate, jitter, gaps, mixed rates; marks breaks.
void screen_steps(Log& log, LogFigures& figures, const ScreenOptions& options, Diagnostics& found) {
  const Index count = log.size() - 1;
  const Vector steps = steps_of(log.t);
  const double step = quantile(steps, 0.5);
  figures.duration = log.t[count] - log.t[0];
  figures.rate_hz = 1.0 / step;
  figures.shortest_step = steps.minCoeff();
  figures.longest_step = steps.maxCoeff();

  // what is short against the filter's period can be bridged: nothing of what it passes is lost
  const double missing = 2.5 * step;
  const double unbridgeable = std::max(missing, 0.25 / options.filter_hz);
  AffectedRows bridged, broken;
  double square = 0.0, lost_time = 0.0;
  Index even = 0;
  for (Index k = 0; k < count; ++k) {
    if (steps[k] <= missing) {
      square += (steps[k] - step) * (steps[k] - step);
      ++even;
      continue;
    }
    lost_time += steps[k] - step;
    const int line = log.line[k + 1];
    if (steps[k] <= unbridgeable) {
      bridged.add(line);
    } else {
      broken.add(line);
      log.breaks.push_back(k + 1);
    }
  }
  figures.jitter = even ? std::sqrt(square / double(even)) / step : 0.0;
  if (figures.jitter < 1e-8) figures.jitter = 0.0;  // rounding of the times
  figures.gaps = bridged.count() + broken.count();

  found.add(log_rules::clock, {log.file}, "clock",
            message("median step ", 1e3 * step, " ms (", figures.rate_hz, " Hz), jitter ",
                    number(100.0 * figures.jitter, 2), " %, steps from ",
                    1e3 * figures.shortest_step, " to ", 1e3 * figures.longest_step, " ms, ",
                    counted(log.size(), "sample"), " in ", figures.duration, " s"));
  const std::string lost = message(", ", number(lost_time, 3), " s in all, the longest ",
                                   1e3 * figures.longest_step, " ms");
  if (bridged)
    found.note(log_rules::gap, {log.file, bridged.first()}, "clock",
               "samples are missing before " + bridged.rows() + lost,
               "interpolated: shorter than a quarter of the filter's period");
  if (broken)
    found.add(log_rules::gap, {log.file, broken.first()}, "clock",
              "samples are missing before " + broken.rows() + lost,
              "the log is split there into separate pieces");
  screen_mixed_rates(log, steps, found);

  // the slow parts must carry the filter too
  const double rate = 1.0 / quantile(steps, 0.9);
  const std::string seen =
      message("90 % of the steps are at ", rate, " Hz or faster, and the filter's cut-off is ",
              options.filter_hz, " Hz");
  if (rate < 2.5 * options.filter_hz)
    found.add(log_rules::rate_low, {log.file}, "clock", seen);
  else if (rate < 5.0 * options.filter_hz)
    found.add(log_rules::rate_scant, {log.file}, "clock", seen, "used as it is");
}

}  // namespace

LogFigures screen(Log& log, const Model& model, const ScreenOptions& options, Diagnostics& found) {
  LogFigures figures;
  figures.rows = log.rows;
  if (log.empty()) return figures;
  require(log.q.rows() == model.nv(), "screen: the log has ", counted(log.q.rows(), "joint"),
          ", robot '", model.name(), "' has ", model.nv());
  const std::size_t errors_before = found.count(Severity::error);
  const auto refused = [&] { return found.count(Severity::error) > errors_before; };
  const auto too_few = [&] {
    if (log.size() >= options.fewest) return false;
    found.add(log_rules::too_short, {log.file}, "",
              message(counted(log.size(), "usable row"), " of ", log.rows, ", at least ",
                      options.fewest, " are needed"));
    return true;
  };

  figures.corrupt = log.rows - log.size();
  if (!too_few()) {
    screen_clock(log, figures, found);
    if (!refused()) screen_outliers(log, figures, found);
    const Index lost = figures.corrupt + figures.outliers + figures.out_of_time;
    if (!refused() && share_exceeded(lost, log.rows, options.most_lost))
      found.add(log_rules::mostly_lost, {log.file}, "",
                message(counted(lost, "row"), " of ", log.rows,
                        " are corrupt, outliers or out of time order"));
    if (!refused()) screen_held(log, figures, found);
    if (!refused() && !too_few()) {
      screen_steps(log, figures, options, found);
      screen_joints(log, model, found);
      screen_velocities(log, figures, found);
      // what the velocities contradict needs no limits to be found
      if (options.limits_known && !refused()) screen_limits(log, model, found);
    }
  }
  if (refused()) log = Log{};
  std::sort(log.breaks.begin(), log.breaks.end());
  log.breaks.erase(std::unique(log.breaks.begin(), log.breaks.end()), log.breaks.end());
  figures.samples = log.size();
  figures.pieces = 1 + Index(log.breaks.size());
  return figures;
}

namespace {

/// Of a sample's positions and torques.
std::size_t key_of(const Log& log, Index k) {
  const auto bytes = [k](const Matrix& m) {
    if (m.size() == 0) return std::string_view();
    return std::string_view(reinterpret_cast<const char*>(m.col(k).data()),
                            m.rows() * sizeof(double));
  };
  std::string all(bytes(log.q));
  return std::hash<std::string>()(all.append(bytes(log.tau)));
}

}  // namespace

KnownSamples::KnownSamples(const Log& log) {
  for (Index k = 0; k < log.size(); ++k) keys_.insert(key_of(log, k));
}

double KnownSamples::share_of(const Log& log) const {
  Index shared = 0, moving = 0;
  for (Index k = 1; k < log.size(); ++k) {
    if (log.q.col(k) == log.q.col(k - 1)) continue;
    ++moving;
    if (keys_.count(key_of(log, k))) ++shared;
  }
  return moving ? double(shared) / double(moving) : 0.0;
}

void screen_torques(const Log& log, const Matrix& predicted, const Matrix& measured,
                    Diagnostics& found) {
  require(predicted.rows() == measured.rows() && predicted.cols() == measured.cols(),
          "screen_torques: predicted and measured differ in size");
  if (predicted.cols() == 0) return;
  const auto normalised = [](Matrix x) {
    x.colwise() -= x.rowwise().mean().eval();
    const Vector norm = x.rowwise().norm().cwiseMax(1e-300);
    return Matrix(norm.cwiseInverse().asDiagonal() * x);
  };
  const Matrix like = normalised(measured) * normalised(predicted).transpose();
  for (Index i = 0; i < like.rows(); ++i) {
    Index best = 0;
    like.row(i).maxCoeff(&best);
    // what follows its own prediction with the other sign is negated
    if (best == i || like(i, best) < 0.8 || like(i, i) > 0.5 || like(i, i) < -0.8) continue;
    found.add(
        log_rules::torque_swapped, {log.file}, joint_subject(log, i),
        message("the correlation of its torque with its prediction is ", number(like(i, i), 2),
                ", with that of ", joint_subject(log, best), " it is ", number(like(i, best), 2)),
        "used as it is");
  }
}

}  // namespace ulna::identify
