#include "mpc_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "../plot/svg.hpp"

namespace ulna::cli {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using namespace plot;

/// A line over time.
struct Curve {
  VectorXd time, y;
  std::string_view colour;
  std::string_view kind = "line";
};

using Record = Eigen::MatrixXd TrialRecord::*;

Curve curve(const MpcRun& run, Record of, Index row) {
  const TrialRecord& record = run.result.record;
  return {record.time, (record.*of).row(row), run.colour};
}

std::string time_svg(double width, double height, const Area& box, double end,
                     std::string_view label, const std::string& inside) {
  return figure(
      width, height, visible(label),
      inside + path("now", fmt::format("M0 {}v{}", px(box.y), px(box.height)),
                    fmt::format(" transform='translate({} 0)'", px(box.x))),
      fmt::format(" class='timeplot' data-time='{:g} {:g} 0 {:g}'", box.x, box.right(), end));
}

std::string event_marks(const MpcResults& results, const Area& box, const Scale& x) {
  std::string s;
  for (const auto& [time, what] : results.events)
    if (time >= x.low && time <= x.high) s += vertical("event-mark", box, x(time));
  return s;
}

std::string path_of(const Curve& c, const Scale& x, const Scale& y, Index buckets) {
  if (c.y.size() == 0) return "";
  return path(c.kind, polyline(envelope(c.time, c.time(0), c.y, x, y, buckets)),
              fmt::format(" style='stroke:var(--{})'", c.colour));
}

/// One of several small plots that stand side by side.
std::string small_plot(const MpcResults& results, std::string_view label,
                       const std::vector<Curve>& curves, const std::vector<double>& limits = {},
                       bool from_zero = false) {
  const Area box{44, 8, 302, 130};
  double low = infinity, high = -infinity;
  for (const Curve& c : curves)
    if (c.y.size()) low = std::min(low, c.y.minCoeff()), high = std::max(high, c.y.maxCoeff());
  for (const double limit : limits) low = std::min(low, limit), high = std::max(high, limit);
  if (from_zero) low = std::min(low, 0.0);
  if (!(low <= high)) low = 0.0, high = 1.0;
  // what does not move is not blown up to fill the plot
  const double margin =
      std::max(0.06 * (high - low), 1e-3 * std::max(std::abs(low), std::abs(high)));
  const double end = results.end();
  const Scale x = box.across(0.0, end), y = box.upward(low - margin, high + margin);
  std::string s = grid_y(box, y) + grid_x(box, x) + event_marks(results, box, x);
  for (const double limit : limits) s += horizontal("cut", box, y(limit));
  for (const Curve& c : curves) s += path_of(c, x, y, 150);
  return time_svg(356, 158, box, end, label, s + frame(box));
}

/// A row of each run, the first on top.
std::vector<Curve> all_runs(const MpcResults& results, Index row, Record of) {
  std::vector<Curve> curves;
  for (auto run = results.runs.rbegin(); run != results.runs.rend(); ++run)
    curves.push_back(curve(*run, of, row));
  return curves;
}

/// What was true or to be done, as the run that lasted longest has it.
Curve true_curve(const MpcResults& results, Index row, Record of) {
  const TrialRecord& record = results.longest();
  return {record.time, (record.*of).row(row), "ink", "line thin-dashed"};
}

/// What is true, and what each controller takes for true unless it is just that.
std::vector<Curve> beliefs(const MpcResults& results, Index row, Record believed, Record truth) {
  std::vector<Curve> curves;
  for (auto run = results.runs.rbegin(); run != results.runs.rend(); ++run)
    if (const TrialRecord& record = run->result.record;
        (record.*believed).row(row) != (record.*truth).row(row))
      curves.push_back(curve(*run, believed, row));
  curves.push_back(true_curve(results, row, truth));
  return curves;
}

}  // namespace

ErrorUnit error_unit(const Model& model) {
  int sliding = 0, turning = 0;
  for (int b = 1; b < model.body_count(); ++b)
    if (!model.joint(b).mimics) ++(model.joint(b).type == JointType::prismatic ? sliding : turning);
  return {1e3, sliding == 0 ? "mrad" : turning == 0 ? "mm" : "mrad, mm"};
}

std::string error_plot(const MpcResults& results) {
  const Area box{54, 44, 1050, 250};
  const auto [factor, unit] = error_unit(results.model);
  std::vector<Curve> curves;
  double low = infinity, high = 0.0;
  for (auto run = results.runs.rbegin(); run != results.runs.rend(); ++run) {
    const TrialRecord& record = run->result.record;
    const Eigen::MatrixXd off = record.q - record.q_reference;
    Curve c{
        record.time,
        factor *
            (off.colwise().squaredNorm().transpose() / std::max<Index>(1, off.rows())).cwiseSqrt(),
        run->colour};
    // a robot begins where it should be: zero has no logarithm, and is no lower limit
    for (const double e : c.y)
      if (e > 0.0) low = std::min(low, e), high = std::max(high, e);
    curves.push_back(std::move(c));
  }
  if (!(low <= high)) low = 0.1, high = 1.0;
  low = std::clamp(low, 1e-4 * high, 0.5 * high);
  const double end = results.end();
  const Scale x = box.across(0.0, end),
              y = box.upward(std::log10(low) - 0.05, std::log10(high) + 0.1);
  std::vector<Tick> ticks;
  const bool sparse = y.high - y.low > 2.2;
  for (double decade = std::floor(y.low); decade <= y.high; decade += 1.0)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(digit);
      if (at >= y.low && at <= y.high && (!sparse || digit == 1.0))
        ticks.push_back({at, fmt::format("{:g}", digit * std::pow(10.0, decade))});
    }
  std::string s = grid_x(box, x) + event_marks(results, box, x) + grid_y(box, y, ticks);
  for (Curve& c : curves) {
    c.y = c.y.cwiseMax(low).array().log10().matrix();
    s += path_of(c, x, y, 700);
  }
  // names of events above, in two lines by turns so that neighbours do not meet
  std::size_t line = 0;
  for (const auto& [time, what] : results.events)
    if (time >= 0.0 && time <= end) {
      const bool late = x(time) > box.x + 0.75 * box.width;
      s += text(x(time) + (late ? -4 : 4), line++ % 2 ? 16 : 32,
                fmt::format("{:g} s: {}", time, visible(what)),
                late ? "e event-name" : "event-name");
    }
  return time_svg(
      1120, 326, box, end, "tracking error over time",
      s + frame(box) + text(box.x, 14, unit) + text(box.right(), box.bottom() + 27, "s", "e"));
}

std::string position_plot(const MpcResults& results, int joint) {
  std::vector<Curve> curves = all_runs(results, joint, &TrialRecord::q);
  curves.push_back(true_curve(results, joint, &TrialRecord::q_reference));
  return small_plot(results, fmt::format("position {}", joint + 1), curves);
}

std::string effort_plot(const MpcResults& results, int joint) {
  std::vector<double> limits;
  if (const double most = results.model.effort_limit()(joint); std::isfinite(most))
    limits = {-most, most};
  return small_plot(results, fmt::format("torque {}", joint + 1),
                    all_runs(results, joint, &TrialRecord::tau), limits);
}

std::string mass_plot(const MpcResults& results, int body) {
  return small_plot(results, "mass",
                    beliefs(results, body - 1, &TrialRecord::mass, &TrialRecord::true_mass), {},
                    true);
}

std::string friction_plot(const MpcResults& results, int joint) {
  return small_plot(results, "friction",
                    beliefs(results, joint, &TrialRecord::dry, &TrialRecord::true_dry), {}, true);
}

std::string action_plot(const MpcResults& results) {
  constexpr double high = 20.0, gap = 6.0;
  const Area box{110, 6, 994, (high + gap) * double(results.runs.size()) - gap};
  const double end = results.end();
  const Scale x = box.across(0.0, end);
  std::string s;
  double y = box.y;
  for (const MpcRun& run : results.runs) {
    const TrialRecord& record = run.result.record;
    const Index n = record.time.size();
    s += text(box.x - 8, y + 0.68 * high, run.name, "e");
    for (Index from = 0, to = 0; from < n; from = to) {
      while (to < n && record.kind(to) == record.kind(from)) ++to;
      const double begin = x(record.time(from)), until = x(to < n ? record.time(to) : end);
      s += rect(fmt::format("action-{}", to_string(static_cast<ActionKind>(record.kind(from)))),
                {begin, y, std::max(1.0, until - begin), high});
    }
    y += high + gap;
  }
  s += labels_x(box, x, labelled(x.ticks()));
  return time_svg(1120, box.bottom() + 20, box, end, "where actions came from",
                  s + event_marks(results, box, x));
}

}  // namespace ulna::cli
