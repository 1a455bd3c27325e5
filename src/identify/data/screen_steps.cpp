#include <algorithm>
#include <cmath>

#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/log_rules.hpp"

namespace ulna::identify {

using Eigen::Index;

namespace {

/// Median steps of the parts of a log that are sampled evenly enough to have one.
void screen_mixed_rates(const Log& log, const Eigen::VectorXd& steps, Diagnostics& found) {
  constexpr Index parts = 20;
  const Index length = steps.size() / parts;
  if (length < 10) return;
  Index slowest = 0, fastest = 0;
  std::vector<double> medians;
  for (Index p = 0; p < parts; ++p) {
    medians.push_back(quantile(steps.data() + p * length, 1, length, 0.5));
    const auto median = [&](Index i) { return medians[i]; };
    if (median(p) > median(slowest)) slowest = p;
    if (median(p) < median(fastest)) fastest = p;
  }
  const double slow = medians[slowest], fast = medians[fastest];
  if (slow < 1.5 * fast) return;
  const auto where = [&](Index p) { return std::to_string(log.line[p * length]); };
  found.add(log_rules::mixed_rates, {log.file, log.line[slowest * length], 0}, "clock",
            "about line " + where(slowest) + " it ticks at " + number(1.0 / slow) +
                " Hz, about line " + where(fastest) + " at " + number(1.0 / fast) + " Hz",
            "all is resampled to one rate");
}

}  // namespace

void screen_steps(Log& log, LogFigures& figures, const ScreenOptions& options, Diagnostics& found) {
  const Index count = log.size() - 1;
  const Eigen::VectorXd steps = log.t.tail(count) - log.t.head(count);
  const double step = quantile(steps.data(), 1, count, 0.5);
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

  found.add(log_rules::clock, {log.file, 0, 0}, "clock",
            "median step " + number(1e3 * step) + " ms (" + number(figures.rate_hz) +
                " Hz), jitter " + number(100.0 * figures.jitter, 2) + " %, steps from " +
                number(1e3 * figures.shortest_step) + " to " + number(1e3 * figures.longest_step) +
                " ms, " + counted(log.size(), "sample") + " in " + number(figures.duration) + " s");
  const std::string lost = ", " + number(lost_time, 3) + " s in all, the longest " +
                           number(1e3 * figures.longest_step) + " ms";
  if (bridged)
    found.note(log_rules::gap, {log.file, bridged.first(), 0}, "clock",
               "samples are missing before " + bridged.rows() + lost,
               "bridged: shorter than a quarter of the filter's period");
  if (broken)
    found.add(log_rules::gap, {log.file, broken.first(), 0}, "clock",
              "samples are missing before " + broken.rows() + lost,
              "the log is cut there into separate pieces");
  screen_mixed_rates(log, steps, found);

  // the slow parts must carry the filter too
  const double rate = 1.0 / quantile(steps.data(), 1, count, 0.9);
  const std::string seen = "90 % of the steps are as fast as " + number(rate) +
                           " Hz, and the filter's cut-off is " + number(options.filter_hz) + " Hz";
  if (rate < 2.5 * options.filter_hz)
    found.add(log_rules::rate_low, {log.file, 0, 0}, "clock", seen);
  else if (rate < 5.0 * options.filter_hz)
    found.add(log_rules::rate_scant, {log.file, 0, 0}, "clock", seen, "used as it is");
}

}  // namespace ulna::identify
