#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ulna::cli {
namespace {

constexpr double width = 820, height = 560, left = 92, right = 218, top = 62, bottom = 52;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  void include(double x) { low = std::min(low, x), high = std::max(high, x); }
  /// Where x lies on a logarithmic axis, 0 to 1.
  double place(double x) const { return std::log(x / low) / std::log(high / low); }
};

/// 1 2 5 10 20 ... within the range.
std::vector<double> round_numbers(const Range& range) {
  std::vector<double> list;
  for (double decade = std::pow(10.0, std::floor(std::log10(range.low))); decade <= range.high;
       decade *= 10.0)
    for (const double digit : {1.0, 2.0, 5.0})
      if (digit * decade >= 0.999 * range.low && digit * decade <= 1.001 * range.high)
        list.push_back(digit * decade);
  return list;
}

/// 1000 as 1,000.
std::string grouped(double x) {
  std::string digits = fmt::format("{:.0f}", x);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace

std::string log_plot(const std::string& title, const std::string& subtitle,
                     const std::string& x_name, const std::vector<PlotLine>& lines) {
  static constexpr std::array colours{"#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2",
                                      "#b8860b", "#00838f", "#d81b60", "#5d6d7e",
                                      "#6d4c41", "#111111", "#e07b00", "#7cb342"};
  Range xs, ys;
  for (const PlotLine& line : lines) {
    for (const double x : line.x) xs.include(x);
    for (const double y : line.y) ys.include(y);
  }
  ys.low = std::pow(10.0, std::floor(std::log10(ys.low)));
  ys.high = std::pow(10.0, std::ceil(std::log10(ys.high)));
  const auto x_at = [&](double x) { return left + (width - left - right) * xs.place(x); };
  const auto y_at = [&](double y) {
    return height - bottom - (height - top - bottom) * ys.place(y);
  };

  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#333'>\n"
      "<rect width='{0}' height='{1}' fill='#fff'/>\n"
      "<text x='{2}' y='28' font-size='16' font-weight='bold' fill='#111'>{3}</text>\n"
      "<text x='{2}' y='47' fill='#666'>{4}</text>\n",
      width, height, left, title, subtitle);
  for (const double y : round_numbers(ys)) {
    const bool decade = std::abs(std::log10(y) - std::round(std::log10(y))) < 1e-9;
    svg += fmt::format("<line x1='{}' x2='{}' y1='{:.1f}' y2='{:.1f}' stroke='{}'/>\n", left,
                       width - right, y_at(y), y_at(y), decade ? "#ccc" : "#eee");
    if (decade)
      svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n", left - 8,
                         y_at(y) + 4.5, grouped(y));
  }
  for (const double x : round_numbers(xs))
    svg += fmt::format(
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#eee'/>\n"
        "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4:g}</text>\n",
        x_at(x), top, height - bottom, height - bottom + 20, x);
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle' fill='#666'>{}</text>\n",
                     (left + width - right) / 2, height - 12, x_name);

  std::vector<std::pair<double, const PlotLine*>> labels;
  for (const PlotLine& line : lines) {
    std::string path;
    for (std::size_t i = 0; i < line.x.size(); ++i)
      path += fmt::format("{}{:.1f} {:.1f}", i ? " L" : "M", x_at(line.x[i]), y_at(line.y[i]));
    svg += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.8'{}/>\n", path,
                       colours[static_cast<std::size_t>(line.colour) % colours.size()],
                       line.dashed ? " stroke-dasharray='6 4'" : "");
    labels.emplace_back(y_at(line.y.back()) + 4.5, &line);
  }
  // names at the ends, pushed apart where they would overlap
  std::sort(labels.begin(), labels.end());
  for (std::size_t i = 1; i < labels.size(); ++i)
    labels[i].first = std::max(labels[i].first, labels[i - 1].first + 16.0);
  double limit = height - 8.0;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label, limit -= 16.0)
    label->first = std::min(label->first, limit);
  for (const auto& [y, line] : labels)
    svg +=
        fmt::format("<text x='{:.1f}' y='{:.1f}' fill='{}'>{}</text>\n", width - right + 10, y,
                    colours[static_cast<std::size_t>(line->colour) % colours.size()], line->name);
  return svg + "</svg>\n";
}

}  // namespace ulna::cli
