#include "panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "axes.hpp"

namespace ulna::cli {
namespace {

constexpr double panel_width = 250, panel_height = 150, gap_x = 62, gap_y = 46, top = 86, left = 62;
constexpr int columns = 3;
constexpr std::array colours{"#1b6ca8", "#c8553d", "#111111", "#3a7d44"};
constexpr std::array dashes{"", " stroke-dasharray='6 3'", " stroke-dasharray='1.5 2.5'",
                            " stroke-dasharray='8 3 2 3'"};

std::string one(const Panel& panel, const std::vector<double>& time, double x0, double y0) {
  double low = 0.0, high = 0.0;  // zero is always shown: sizes are to be compared
  for (const std::vector<double>& line : panel.lines)
    for (const double y : line) low = std::min(low, y), high = std::max(high, y);
  const double margin = 0.05 * (high - low);
  const Scale x = scale_of(time.front(), time.back(), x0, x0 + panel_width);
  const Scale y = scale_of(low - margin, high + margin, y0 + panel_height, y0);
  std::string svg =
      fmt::format("<text x='{:.0f}' y='{:.0f}' font-weight='bold' fill='#111'>{}</text>\n", x0,
                  y0 - 7, escaped(panel.title));
  for (const double tick : y.ticks())
    svg += fmt::format(
        "<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='{}'/>\n"
        "<text x='{:.1f}' y='{:.1f}' text-anchor='end' font-size='11'>{:g}</text>\n",
        x0, x0 + panel_width, y(tick), y(tick), tick == 0.0 ? "#bbb" : "#eee", x0 - 5,
        y(tick) + 4.0, tick);
  for (const double tick : x.ticks())
    svg +=
        fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle' font-size='11'>{:g}</text>\n",
                    x(tick), y0 + panel_height + 14, tick);
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    std::string path;
    for (std::size_t k = 0; k < time.size(); ++k)
      path += fmt::format("{}{:.1f} {:.1f}", k ? "L" : "M", x(time[k]), y(panel.lines[i][k]));
    svg += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.6'{}/>\n", path,
                       colours[i % colours.size()], dashes[i % dashes.size()]);
  }
  return svg;
}

}  // namespace

std::string panel_plot(const std::string& title, const std::string& subtitle,
                       const std::vector<double>& time, const std::vector<std::string>& legend,
                       const std::vector<Panel>& panels) {
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  const double width = left + columns * (panel_width + gap_x) - gap_x + 20,
               height = top + rows * (panel_height + gap_y);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#333'>\n"
      "<rect width='{0}' height='{1}' fill='#fff'/>\n"
      "<text x='{2}' y='24' font-size='16' font-weight='bold' fill='#111'>{3}</text>\n"
      "<text x='{2}' y='42' fill='#666'>{4}</text>\n",
      width, height, left, escaped(title), escaped(subtitle));
  double at = left;
  for (std::size_t i = 0; i < legend.size(); ++i) {
    svg += fmt::format(
        "<path d='M{:.0f} 57h28' stroke='{}' stroke-width='1.8'{}/>\n"
        "<text x='{:.0f}' y='61'>{}</text>\n",
        at, colours[i % colours.size()], dashes[i % dashes.size()], at + 34, escaped(legend[i]));
    at += 60.0 + 7.5 * static_cast<double>(legend[i].size());
  }
  for (std::size_t i = 0; i < panels.size(); ++i)
    svg += one(panels[i], time, left + static_cast<double>(i % columns) * (panel_width + gap_x),
               top + 8 + static_cast<double>(i / columns) * (panel_height + gap_y));
  return svg + "</svg>\n";
}

}  // namespace ulna::cli
