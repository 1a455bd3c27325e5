#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulna::plot {
namespace {

/// The step of 1, 2 or 5 times a power of ten that makes four or more of the range.
double step_of(double range) {
  const double rough = range / 4.0, decade = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (2.0 * digit * decade > 1.001 * rough) return digit * decade;
  return 10.0 * decade;
}

/// Tenths of a pixel as a number, " " before it where it needs one.
void append(std::string& d, long tenths, bool separate) {
  if (separate && tenths >= 0) d += ' ';
  d += px(0.1 * double(tenths));
}

double distance(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  if (length == 0.0) return std::hypot(p.x - a.x, p.y - a.y);
  return std::abs(dx * (p.y - a.y) - dy * (p.x - a.x)) / length;
}

/// Without points nearer to the line through those that stay than an eye can see.
std::vector<Point> thinned(const std::vector<Point>& points) {
  constexpr double tolerance = 0.2;
  constexpr std::size_t longest = 64;  // of what one line replaces
  std::vector<Point> kept;
  std::size_t last = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool needed = i == 0 || i + 1 == points.size() || i - last >= longest;
    for (std::size_t k = last + 1; !needed && k <= i; ++k) {
      // a line that turns back passes near points beyond its end
      const bool ahead = (points[k].x - points[last].x) * (points[i + 1].x - points[k].x) >= 0.0 &&
                         (points[k].y - points[last].y) * (points[i + 1].y - points[k].y) >= 0.0;
      needed = !ahead || distance(points[k], points[last], points[i + 1]) > tolerance;
    }
    if (needed) kept.push_back(points[i]), last = i;
  }
  return kept;
}

Scale scale_of(double low, double high, double from, double to) {
  if (!(high > low)) {
    const double half = std::max(std::abs(high), 1.0) * 0.5;
    low -= half, high += half;
  }
  return {low, high, from, to};
}

std::string class_of(std::string_view kind) {
  return kind.empty() ? "" : fmt::format(" class='{}'", kind);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '\'' || c == '"')
      made += fmt::format("&#{};", int(c));
    else if (static_cast<unsigned char>(c) >= ' ')
      made += c;
  }
  return made;
}

std::string grouped(double x) {
  std::string digits = fmt::format("{:.0f}", x);
  for (int at = int(digits.size()) - 3; at > 0; at -= 3) digits.insert(std::size_t(at), ",");
  return digits;
}

std::string px(double x) {
  std::string text = fmt::format("{:.1f}", x);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  if (const std::size_t zero = text.find("0."); zero == 0 || (zero == 1 && text[0] == '-'))
    text.erase(zero, 1);
  return text == "-0" ? "0" : text;
}

std::vector<double> Scale::ticks(std::size_t at_most) const {
  const double step = step_of(high - low);
  std::vector<double> list;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0)
    list.push_back(k == 0.0 ? 0.0 : k * step);
  while (list.size() > at_most) {  // every other one, zero kept
    const auto zero = std::ranges::find(list, 0.0);
    std::size_t at = zero == list.end() ? 0 : std::size_t(zero - list.begin()) % 2;
    std::erase_if(list, [&](double) { return at++ % 2 == 1; });
  }
  return list;
}

Scale Area::across(double low, double high) const { return scale_of(low, high, x, right()); }
Scale Area::upward(double low, double high) const { return scale_of(low, high, bottom(), y); }

std::vector<Tick> labelled(const std::vector<double>& ticks, std::string_view unit) {
  std::vector<Tick> list;
  for (const double x : ticks) list.push_back({x, fmt::format("{:g}{}", x, unit)});
  return list;
}

std::string text(double x, double y, std::string_view text, std::string_view kind) {
  return fmt::format("<text x='{}' y='{}'{}>{}</text>\n", px(x), px(y), class_of(kind),
                     escaped(text));
}

std::string path(std::string_view kind, std::string_view d, std::string_view style) {
  return d.empty() ? "" : fmt::format("<path{}{} d='{}'/>\n", class_of(kind), style, d);
}

std::string rect(std::string_view kind, const Area& area, std::string_view style) {
  return fmt::format("<rect{}{} x='{}' y='{}' width='{}' height='{}'/>\n", class_of(kind), style,
                     px(area.x), px(area.y), px(area.width), px(area.height));
}

std::string horizontal(std::string_view kind, const Area& area, double y) {
  return path(kind, fmt::format("M{} {}h{}", px(area.x), px(y), px(area.width)));
}

std::string vertical(std::string_view kind, const Area& area, double x) {
  return path(kind, fmt::format("M{} {}v{}", px(x), px(area.y), px(area.height)));
}

std::string frame(const Area& area) { return rect("frame", area); }

std::string grid_y(const Area& area, const Scale& y, const std::vector<Tick>& ticks) {
  std::string lines, labels;
  for (const Tick& tick : ticks) {
    lines += fmt::format("M{} {}h{}", px(area.x), px(y(tick.at)), px(area.width));
    if (!tick.label.empty()) labels += text(area.x - 5, y(tick.at) + 3.5, tick.label, "e");
  }
  return path("grid", lines) + labels;
}

std::string grid_y(const Area& area, const Scale& y, std::size_t at_most) {
  return grid_y(area, y, labelled(y.ticks(at_most)));
}

std::string grid_x(const Area& area, const Scale& x, const std::vector<Tick>& ticks, double below) {
  std::string lines;
  for (const Tick& tick : ticks)
    lines += fmt::format("M{} {}v{}", px(x(tick.at)), px(area.y), px(area.height));
  return path("grid", lines) + labels_x(area, x, ticks, below);
}

std::string grid_x(const Area& area, const Scale& x) {
  return grid_x(area, x, labelled(x.ticks()));
}

std::string labels_x(const Area& area, const Scale& x, const std::vector<Tick>& ticks,
                     double below) {
  std::string labels;
  for (const Tick& tick : ticks) labels += text(x(tick.at), area.bottom() + below, tick.label, "m");
  return labels;
}

std::string polyline(const std::vector<Point>& points) {
  std::string d;
  long x = 0, y = 0;
  int count = 0;
  for (const Point& p : thinned(points)) {
    const long to_x = std::lround(10.0 * p.x), to_y = std::lround(10.0 * p.y);
    if (count > 0 && to_x == x && to_y == y) continue;
    if (count < 2) d += count == 0 ? 'M' : 'l';  // where it begins, then steps
    append(d, to_x - x, count >= 2);
    append(d, to_y - y, true);
    x = to_x, y = to_y, ++count;
  }
  return d;
}

std::vector<Point> envelope(const Eigen::VectorXd& time, double begin,
                            const Eigen::VectorXd& signal, const Scale& x, const Scale& y,
                            Eigen::Index buckets) {
  std::vector<Point> points;
  const Eigen::Index n = signal.size(), parts = std::min(n, std::max<Eigen::Index>(1, buckets));
  const auto add = [&](Eigen::Index at) {
    points.push_back({x(begin + time(at) - time(0)), y(signal(at))});
  };
  for (Eigen::Index p = 0; p < parts; ++p) {
    const Eigen::Index from = p * n / parts, to = (p + 1) * n / parts;
    Eigen::Index low = 0, high = 0;
    signal.segment(from, to - from).minCoeff(&low);
    signal.segment(from, to - from).maxCoeff(&high);
    add(from + std::min(low, high));
    if (low != high) add(from + std::max(low, high));
  }
  return points;
}

}  // namespace ulna::plot
