#include "charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace ulna::plot {
namespace {

constexpr std::string_view style =
    "text.e{text-anchor:end}text.m{text-anchor:middle}.title{font-size:16px}.soft{fill:#666}"
    ".title,.bold{font-weight:bold;fill:#111}.small{font-size:11px}.grid{stroke:#eee}"
    ".axis{stroke:#ccc}.line{fill:none;stroke-width:1.8}.strong{stroke-width:3}"
    ".dots{stroke-width:6;stroke-linecap:round}.dots.strong{stroke-width:8}"
    ".dashed{stroke-dasharray:6 4}.leader{stroke-width:.8;stroke-dasharray:1 3}"
    ".pale{fill-opacity:.75}.backdrop{fill:#fff}";

std::string document(double width, double height, double left, const std::string& title,
                     const std::string& subtitle, std::string_view more_style,
                     const std::string& inside) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#333'>\n"
      "<style>{2}{3}</style>\n{4}{5}{6}{7}</svg>\n",
      px(width), px(height), style, more_style, rect("backdrop", {0, 0, width, height}),
      text(left, 28, title, "title"), text(left, 46, subtitle, "soft"), inside);
}

/// The range of numbers on a logarithmic scale.
struct Range {
  double low = INFINITY, high = 0.0;
  void include(double x) { low = std::min(low, x), high = std::max(high, x); }
  Scale scale(double from, double to) const {
    return {std::log10(low), std::log10(high), from, to};
  }
  Scale decades(double from, double to) const {
    return {std::floor(std::log10(low)), std::ceil(std::log10(high)), from, to};
  }
};

std::vector<Tick> decades(const Scale& scale, const Label& label) {
  std::vector<Tick> ticks;
  for (double decade = scale.low; decade <= scale.high; ++decade)
    ticks.push_back({decade, label(std::pow(10.0, decade))});
  return ticks;
}

/// Names beside the ends of lines, pushed apart; to lines that end before, a leader.
std::string names(const std::vector<Line>& lines, const Area& area, const Scale& x, const Scale& y,
                  double lowest) {
  constexpr double apart = 17.0;
  std::vector<std::pair<double, const Line*>> labels;
  for (const Line& line : lines) labels.emplace_back(y(std::log10(line.points.back().y)), &line);
  std::ranges::sort(labels);
  for (std::size_t i = 1; i < labels.size(); ++i)
    labels[i].first = std::max(labels[i].first, labels[i - 1].first + apart);
  for (auto label = labels.rbegin(); label != labels.rend(); ++label, lowest -= apart)
    label->first = std::min(label->first, lowest);
  std::string s;
  for (const auto& [at, line] : labels) {
    const double end = x(std::log10(line->points.back().x));
    if (end < area.right() - 0.5)
      s += path("leader",
                polyline({{end + 5, y(std::log10(line->points.back().y))}, {area.right() + 8, at}}),
                fmt::format(" stroke='{}'", line->colour));
    s += fmt::format("<text x='{}' y='{}' fill='{}'{}>{}</text>\n", px(area.right() + 12),
                     px(at + 4.5), line->colour, line->strong ? " font-weight='bold'" : "",
                     escaped(line->name));
  }
  return s;
}

std::string one_panel(const Panel& panel, const std::vector<double>& time, const Area& area) {
  double low = 0.0, high = 0.0;  // zero is always shown: sizes are to be compared
  for (const std::vector<double>& line : panel.lines)
    for (const double y : line) low = std::min(low, y), high = std::max(high, y);
  const double margin = 0.05 * (high - low);
  const Scale x = area.across(time.front(), time.back());
  const Scale y = area.upward(low - margin, high + margin);
  std::string s = text(area.x, area.y - 7, panel.title, "bold") + "<g class='small'>" +
                  grid_y(area, y, 100) + labels_x(area, x, labelled(x.ticks())) + "</g>" +
                  horizontal("axis", area, y(0.0));
  for (std::size_t k = 0; k < panel.lines.size(); ++k) {
    std::vector<Point> points;
    for (std::size_t t = 0; t < time.size(); ++t)
      points.push_back({x(time[t]), y(panel.lines[k][t])});
    s += path(fmt::format("line l{}", k), polyline(points));
  }
  return s;
}

}  // namespace

std::string_view colour(std::size_t index) {
  static constexpr std::array colours{"#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2",
                                      "#b8860b", "#00838f", "#d81b60", "#5d6d7e",
                                      "#6d4c41", "#111111", "#e07b00", "#7cb342"};
  return colours[index % colours.size()];
}

std::string log_plot(const std::string& title, const std::string& subtitle,
                     const std::string& across, const Label& label, const std::vector<Line>& lines,
                     bool marked) {
  if (lines.empty()) return "";
  std::size_t longest = 12;
  Range xs, ys;
  std::set<double> marks;
  for (const Line& line : lines) {
    longest = std::max(longest, line.name.size());
    for (const Point& p : line.points) xs.include(p.x), ys.include(p.y), marks.insert(p.x);
  }
  double left = 76;
  for (const Tick& tick : decades(ys.decades(0, 1), label))
    left = std::max(left, 12 + 8.0 * double(tick.label.size()));
  const Area area{left, 56, 526, std::max(326.0, 17.0 * double(lines.size()))};
  const double height = area.bottom() + 58;
  const Scale x = xs.scale(area.x, area.right()), y = ys.decades(area.bottom(), area.y);

  std::string minor, s;
  for (double decade = y.low; decade < y.high; ++decade)
    for (int k = 2; k < 10; ++k)
      minor += fmt::format("M{} {}h{}", px(area.x), px(y(decade + std::log10(k))), px(area.width));
  std::vector<Tick> below;
  for (const double mark : marks) {
    const double digit = mark / std::pow(10.0, std::floor(std::log10(mark)));
    if (marked || digit == 1.0 || digit == 2.0 || digit == 5.0)
      below.push_back({std::log10(mark), fmt::format("{:g}", mark)});
  }
  s += path("grid", minor) + grid_x(area, x, below, 20);
  for (const Tick& tick : decades(y, label))
    s += horizontal("axis", area, y(tick.at)) + text(area.x - 8, y(tick.at) + 4.5, tick.label, "e");
  s += text(area.x + 0.5 * area.width, height - 16, across, "m soft");
  for (const Line& line : lines) {
    std::vector<Point> points;
    for (const Point& p : line.points) points.push_back({x(std::log10(p.x)), y(std::log10(p.y))});
    s += fmt::format("<g stroke='{0}' fill='{0}'>", line.colour) +
         path(fmt::format("line{}{}", line.strong ? " strong" : "", line.dashed ? " dashed" : ""),
              polyline(points));
    std::string dots;  // lines of no length with round ends
    for (const Point& p : points)
      if (marked) dots += fmt::format("M{} {}h0", px(p.x), px(p.y));
    s += path(line.strong ? "dots strong" : "dots", dots) + "</g>\n";
  }
  return document(area.right() + 34 + 7.0 * double(longest), height, area.x, title, subtitle, "",
                  s + names(lines, area, x, y, height - 8));
}

std::string bar_plot(const std::string& title, const std::string& subtitle, const Label& label,
                     const std::vector<BarGroup>& groups) {
  constexpr double step = 24, thickness = 16, gap = 34;
  Area area{218, 62, 412, 0};
  Range lengths;
  for (const BarGroup& group : groups) {
    area.height += gap + step * double(group.bars.size());
    for (const Bar& bar : group.bars) lengths.include(bar.length);
  }
  lengths.low /= 2;  // a bar needs a length: the shortest does not begin where the scale does
  const Scale x = lengths.decades(area.x, area.right());
  std::string s;
  for (const Tick& tick : decades(x, label))
    s += vertical("axis", area, x(tick.at)) +
         text(x(tick.at), area.bottom() + 18, tick.label, "m soft");
  double y = area.y;
  for (const BarGroup& group : groups) {
    s += text(28, y + 20, group.name, "bold");
    y += gap;
    for (const Bar& bar : group.bars) {
      const double end = x(std::log10(bar.length));
      s += text(area.x - 10, y + 13, bar.name, bar.strong ? "e bold" : "e") +
           rect(bar.strong ? "" : "pale", {area.x, y, end - area.x, thickness},
                fmt::format(" fill='{}'", bar.colour)) +
           text(end + 8, y + 13, bar.label);
      y += step;
    }
  }
  return document(780, area.bottom() + 34, 28, title, subtitle, "", s);
}

std::string panel_plot(const std::string& title, const std::string& subtitle,
                       const std::vector<double>& time, const std::vector<std::string>& legend,
                       const std::vector<Panel>& panels) {
  constexpr double panel_width = 250, panel_height = 150, gap_x = 62, gap_y = 46, top = 90,
                   left = 62;
  constexpr std::size_t columns = 3;
  std::string s;
  double at = left;
  for (std::size_t i = 0; i < legend.size(); ++i) {
    s += path(fmt::format("line l{}", i), fmt::format("M{} 63h28", px(at))) +
         text(at + 34, 67, legend[i]);
    at += 60.0 + 7.5 * double(legend[i].size());
  }
  for (std::size_t i = 0; i < panels.size(); ++i)
    s += one_panel(
        panels[i], time,
        {left + double(i % columns) * (panel_width + gap_x),
         top + 10 + double(i / columns) * (panel_height + gap_y), panel_width, panel_height});
  const double rows = std::ceil(double(panels.size()) / columns);
  return document(left + columns * (panel_width + gap_x) - gap_x + 20,
                  top + rows * (panel_height + gap_y), left, title, subtitle,
                  ".l0{stroke:#1b6ca8}.l1{stroke:#c8553d;stroke-dasharray:6 3}.l2{stroke:#111;"
                  "stroke-dasharray:1.5 2.5}.l3{stroke:#3a7d44;stroke-dasharray:8 3 2 3}",
                  s);
}

}  // namespace ulna::plot
