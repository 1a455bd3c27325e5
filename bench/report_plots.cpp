#include <algorithm>
#include <array>
#include <cstdio>

#include "report.hpp"

namespace report {
namespace {

/// Writes SVG as printf writes text.
class Svg {
 public:
  Svg(double width, double height) {
    put("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %g %g' width='%g' height='%g' "
        "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#333'>\n",
        width, height, width, height);
    put("<rect width='%g' height='%g' fill='#fff'/>\n", width, height);
  }
  template <class... Values>
  void put(const char* format, Values... values) {
    char text[512];
    std::snprintf(text, sizeof text, format, values...);
    svg_ += text;
  }
  void title(double x, const std::string& title, const std::string& subtitle) {
    put("<text x='%g' y='28' font-size='16' font-weight='bold' fill='#111'>%s</text>\n", x,
        title.c_str());
    put("<text x='%g' y='46' fill='#666'>%s</text>\n", x, subtitle.c_str());
  }
  std::string done() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

const char* decade_name(double decade) {
  static const std::array<const char*, 12> names{"1 ns",  "10 ns",  "100 ns", "1 µs",
                                                 "10 µs", "100 µs", "1 ms",   "10 ms",
                                                 "0.1 s", "1 s",    "10 s",   "100 s"};
  return names.at(static_cast<std::size_t>(decade));
}

std::string decade_name(double decade, const std::string& unit) {
  if (unit.empty()) return decade_name(decade);
  char text[32];
  std::snprintf(text, sizeof text, "%g %s", std::pow(10.0, decade), unit.c_str());
  return text;
}

}  // namespace

std::string colour_of(const std::string& library) {
  static const std::map<std::string, std::string> colours{
      {"ulna", "#c2410c"}, {"KDL", "#2563a8"},    {"MuJoCo", "#2e7d32"},
      {"DART", "#7b3fa0"}, {"Bullet", "#8a6d00"}, {"Simbody", "#5f6b76"}};
  const auto colour = colours.find(library);
  return colour == colours.end() ? "#000" : colour->second;
}

std::string plot(const std::string& title, const std::vector<Line>& lines, const Axes& axes) {
  if (lines.empty()) return "";
  std::size_t longest_name = 0;
  for (const Line& line : lines) longest_name = std::max(longest_name, line.name.size());
  const double left = 76,
               right = 34 + 7.0 * static_cast<double>(std::max<std::size_t>(12, longest_name)),
               width = 526 + left + right, height = 440, top = 56, bottom = 58;
  double n_min = INFINITY, n_max = 0, ns_min = INFINITY, ns_max = 0;
  std::vector<double> joints;
  for (const Line& line : lines)
    for (const Point& p : line.points) {
      n_min = std::min(n_min, p.n), n_max = std::max(n_max, p.n);
      ns_min = std::min(ns_min, p.ns), ns_max = std::max(ns_max, p.ns);
      if (std::find(joints.begin(), joints.end(), p.n) == joints.end()) joints.push_back(p.n);
    }
  const double low = std::floor(std::log10(ns_min)), high = std::ceil(std::log10(ns_max));
  const auto x_at = [&](double n) {
    return left + (width - left - right) * std::log(n / n_min) / std::log(n_max / n_min);
  };
  const auto y_at = [&](double ns) {
    return height - bottom - (height - top - bottom) * (std::log10(ns) - low) / (high - low);
  };

  Svg svg(width, height);
  svg.title(left, title, axes.subtitle);
  const auto across = [&](double y, const char* colour) {
    svg.put("<line x1='%g' x2='%g' y1='%.1f' y2='%.1f' stroke='%s'/>\n", left, width - right, y, y,
            colour);
  };
  for (double decade = low; decade <= high; ++decade) {
    const double y = y_at(std::pow(10.0, decade));
    across(y, "#ccc");
    svg.put("<text x='%g' y='%.1f' text-anchor='end'>%s</text>\n", left - 8, y + 4.5,
            decade_name(decade, axes.unit).c_str());
    for (int k = 2; k < 10 && decade < high; ++k) across(y_at(k * std::pow(10.0, decade)), "#eee");
  }
  for (const double n : joints) {
    svg.put("<line x1='%.1f' x2='%.1f' y1='%g' y2='%g' stroke='#eee'/>\n", x_at(n), x_at(n), top,
            height - bottom);
    svg.put("<text x='%.1f' y='%g' text-anchor='middle'>%g</text>\n", x_at(n), height - bottom + 20,
            n);
  }
  svg.put("<text x='%g' y='%g' text-anchor='middle' fill='#666'>%s</text>\n",
          (left + width - right) / 2, height - 16, axes.across.c_str());

  for (const Line& line : lines) {
    svg.put("<path d='");
    for (const Point& p : line.points)
      svg.put("%s%.1f %.1f", &p == &line.points.front() ? "M" : " L", x_at(p.n), y_at(p.ns));
    svg.put("' fill='none' stroke='%s' stroke-width='%s'%s/>\n", line.colour.c_str(),
            line.strong ? "3" : "1.8", line.dashed ? " stroke-dasharray='6 4'" : "");
    for (const Point& p : line.points)
      svg.put("<circle cx='%.1f' cy='%.1f' r='%g' fill='%s'/>\n", x_at(p.n), y_at(p.ns),
              line.strong ? 4.0 : 3.0, line.colour.c_str());
  }

  // names beside the plot, pushed apart where they would overlap; to lines that end before, a leader
  std::vector<std::pair<double, const Line*>> labels;
  for (const Line& line : lines) labels.emplace_back(y_at(line.points.back().ns), &line);
  std::sort(labels.begin(), labels.end());
  for (std::size_t i = 1; i < labels.size(); ++i)
    labels[i].first = std::max(labels[i].first, labels[i - 1].first + 17.0);
  for (const auto& [y, line] : labels) {
    const Point& end = line->points.back();
    if (end.n < n_max)
      svg.put(
          "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='.8' "
          "stroke-dasharray='1 3'/>\n",
          x_at(end.n) + 5, y_at(end.ns), x_at(n_max) + 8, y, line->colour.c_str());
    svg.put("<text x='%.1f' y='%.1f' fill='%s'%s>%s</text>\n", x_at(n_max) + 12, y + 4.5,
            line->colour.c_str(), line->strong ? " font-weight='bold'" : "", line->name.c_str());
  }
  return svg.done();
}

std::string bar_plot(const std::string& title, const std::string& subtitle,
                     const std::vector<BarGroup>& groups) {
  constexpr double left = 218, right = 150, width = 780, top = 62, step = 24, thickness = 16,
                   gap = 34;
  double ns_min = INFINITY, ns_max = 0, height = top + 34;
  for (const BarGroup& group : groups) {
    height += gap + step * static_cast<double>(group.bars.size());
    for (const Bar& bar : group.bars)
      ns_min = std::min(ns_min, bar.ns), ns_max = std::max(ns_max, bar.ns);
  }
  // a bar needs a length: the shortest does not begin where the scale does
  const double low = std::floor(std::log10(ns_min / 2)), high = std::ceil(std::log10(ns_max));
  const auto x_at = [&](double ns) {
    return left + (width - left - right) * (std::log10(ns) - low) / (high - low);
  };

  Svg svg(width, height);
  svg.title(28, title, subtitle);
  for (double decade = low; decade <= high; ++decade) {
    const double x = x_at(std::pow(10.0, decade));
    svg.put("<line x1='%.1f' x2='%.1f' y1='%g' y2='%g' stroke='#ddd'/>\n", x, x, top, height - 34);
    svg.put("<text x='%.1f' y='%g' text-anchor='middle' fill='#666'>%s</text>\n", x, height - 16,
            decade_name(decade));
  }
  double y = top;
  for (const BarGroup& group : groups) {
    svg.put("<text x='28' y='%.1f' font-weight='bold'>%s</text>\n", y + 20, group.name.c_str());
    y += gap;
    for (const Bar& bar : group.bars) {
      svg.put("<text x='%g' y='%.1f' text-anchor='end'%s>%s</text>\n", left - 10, y + 13,
              bar.strong ? " font-weight='bold'" : "", bar.name.c_str());
      svg.put("<rect x='%g' y='%.1f' width='%.1f' height='%g' fill='%s'%s/>\n", left, y,
              x_at(bar.ns) - left, thickness, bar.colour.c_str(),
              bar.strong ? "" : " fill-opacity='.75'");
      const double times = bar.ns / group.bars.front().ns;
      const std::string told =
          duration(bar.ns) + (&bar == &group.bars.front() ? "" : "  ·  " + ratio(times) + " ×");
      svg.put("<text x='%.1f' y='%.1f' fill='#111'>%s</text>\n", x_at(bar.ns) + 8, y + 13,
              told.c_str());
      y += step;
    }
  }
  return svg.done();
}

}  // namespace report
