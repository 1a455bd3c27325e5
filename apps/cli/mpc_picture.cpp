#include <algorithm>
#include <cmath>

#include "../plot/svg.hpp"
#include "mpc_curves.hpp"
#include "mpc_report.hpp"

namespace ulna::cli {
namespace {

using Eigen::Index;
using namespace plot;

// the colours of the viewer's page, which the lines name
constexpr std::string_view picture_style =
    ":root{--card:#fff;--ink:#1c2430;--soft:#647082;--line:#e2e6eb;--grid:#edf0f3;--caution:#"
    "b58a1b;"
    "--series-1:#2f74a8;--series-2:#e0692c;--series-3:#2c8a57;--series-5:#b58a1b;color-scheme:"
    "light dark}"
    "@media(prefers-color-scheme:dark){:root{--card:#1c2229;--ink:#e4e8ec;--soft:#93a0af;--line:#"
    "2e3741;"
    "--grid:#28303a;--caution:#d5ac45;--series-1:#62a8dd;--series-2:#f0894f;--series-3:#52b987;"
    "--series-5:#d5ac45}}\n"
    "svg text{font-size:14px;fill:var(--soft)}text.e{text-anchor:end}text.m{text-anchor:middle}"
    "svg .title{font-size:17px;fill:var(--ink)}.frame{fill:none;stroke:var(--line)}"
    ".grid{stroke:var(--grid);fill:none}.line{fill:none;stroke-width:1.3;stroke-linejoin:round}"
    ".event-mark{stroke:var(--caution);stroke-dasharray:2 3;fill:none}svg "
    ".event-name{fill:var(--caution)}";

constexpr double plot_width = 1120.0, plot_height = 326.0;
constexpr Area plot_box{54, 44, 1050, 250};

std::string path_of(const TimedLine& line, const Eigen::VectorXd& values, const Scale& x,
                    const Scale& y, Index buckets) {
  if (values.size() == 0) return "";
  return path("line", polyline(envelope(line.time, line.time(0), values, x, y, buckets)),
              fmt::format(" style='stroke:var(--{})'", line.colour));
}

/// Marks of a logarithmic axis: decades, and where there are few of them, twice and five times of each.
std::vector<Tick> logarithmic(const Scale& y) {
  std::vector<Tick> ticks;
  const bool sparse = y.high - y.low > 2.2;
  for (double decade = std::floor(y.low); decade <= y.high; decade += 1.0)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(digit);
      if (at >= y.low && at <= y.high && (!sparse || digit == 1.0))
        ticks.push_back({at, fmt::format("{:g}", digit * std::pow(10.0, decade))});
    }
  return ticks;
}

/// Their names above, in two lines by turns so that neighbours do not meet.
std::string events(const MpcResults& results, const Scale& x) {
  std::string s;
  std::size_t line = 0;
  for (const auto& [time, what] : results.events)
    if (time >= x.low && time <= x.high) {
      const bool late = x(time) > plot_box.x + 0.75 * plot_box.width;
      s += vertical("event-mark", plot_box, x(time)) +
           text(x(time) + (late ? -4 : 4), line++ % 2 ? 16 : 32,
                fmt::format("{:.3g} s: {}", time, visible(what)),
                late ? "e event-name" : "event-name");
    }
  return s;
}

/// How far the robot is from where it should be, on a logarithmic scale.
std::string error_curves(const MpcResults& results) {
  const std::vector<TimedLine> lines = tracking_errors(results);
  double low = infinity, high = 0.0;
  // a robot begins where it should be: zero has no logarithm, and is no lower limit
  for (const TimedLine& line : lines)
    for (const double e : line.y)
      if (e > 0.0) low = std::min(low, e), high = std::max(high, e);
  if (!(low <= high)) low = 0.1, high = 1.0;
  low = std::clamp(low, 1e-4 * high, 0.5 * high);
  const Scale x = plot_box.across(0.0, results.end()),
              y = plot_box.upward(std::log10(low) - 0.05, std::log10(high) + 0.1);
  std::string s = grid_x(plot_box, x) + grid_y(plot_box, y, logarithmic(y));
  for (const TimedLine& line : lines)
    s += path_of(line, line.y.cwiseMax(low).array().log10().matrix(), x, y, 350);
  return s + events(results, x) + frame(plot_box) + text(plot_box.x, 14, error_unit(results.model));
}

std::string vibration_curves(const MpcResults& results) {
  const TipAtRest tip = tip_at_rest(results);
  const Scale x = plot_box.across(tip.begin, tip.end),
              y = plot_box.upward(-1.3 * tip.largest, 1.3 * tip.largest);
  std::string s = grid_y(plot_box, y) + grid_x(plot_box, x) +
                  vertical("event-mark", plot_box, x(results.rests_from)) +
                  text(x(results.rests_from) + 4, 32, "the motion ends", "event-name");
  for (const TimedLine& line : tip.lines)
    s += path_of(line, line.y.cwiseMin(y.high).cwiseMax(y.low), x, y, 700);
  return s + frame(plot_box) + text(plot_box.x, 14, fmt::format("mm, along {}", tip.axis));
}

}  // namespace

std::string mpc_picture(const MpcResults& results) {
  constexpr double head = 56.0, key = 18.0;
  const bool vibrates = results.runs.front().result.vibration.has_value();
  std::string names;
  double left = plot_box.x;
  for (const MpcRun& run : results.runs) {
    names += path("line", fmt::format("M{} 44h{}", px(left), px(key)),
                  fmt::format(" style='stroke:var(--{});stroke-width:2.5'", run.colour)) +
             text(left + key + 6, 48, run.name);
    left += 2.0 * key + 8.0 * double(run.name.size());
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='Helvetica, Arial, sans-serif'>\n<style>{2}</style>\n"
      "<rect width='100%' height='100%' style='fill:var(--card)'/>\n{3}{4}"
      "<g transform='translate(0 {5})'>{6}{7}</g>\n</svg>\n",
      plot_width, head + plot_height, picture_style,
      text(plot_box.x, 24,
           (vibrates ? "the tip after the motion: " : "tracking error: ") + visible(results.title),
           "title"),
      names, head, vibrates ? vibration_curves(results) : error_curves(results),
      text(plot_box.right(), plot_box.bottom() + 27, "s", "e"));
}

}  // namespace ulna::cli
