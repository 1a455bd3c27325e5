#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

/// Pieces of SVG. Colours and fonts are those of the style of the document they stand in: a
/// `kind` is a class of it, or several; "e" and "m" anchor a text at its end or its middle.
namespace ulna::plot {

/// Text as it may stand in SVG.
std::string escaped(std::string_view text);
/// 12345.6 as "12,346".
std::string grouped(double x);
/// A length in tenths of a pixel, without needless zeros.
std::string px(double x);

struct Point {
  double x, y;
};

/// From numbers to places.
struct Scale {
  double low, high, from, to;
  double operator()(double x) const { return from + (to - from) * (x - low) / (high - low); }
  /// Round numbers within; at most so many, zero among them if it is within.
  std::vector<double> ticks(std::size_t at_most = 100) const;
};

/// A rectangle to draw in.
struct Area {
  double x, y, width, height;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  /// From left to right, and upwards. Never empty: a range of nothing is widened.
  Scale across(double low, double high) const;
  Scale upward(double low, double high) const;
};

/// A number of an axis and how it is written there.
struct Tick {
  double at;
  std::string label;
};
std::vector<Tick> labelled(const std::vector<double>& ticks, std::string_view unit = "");

std::string text(double x, double y, std::string_view text, std::string_view kind = "");
std::string path(std::string_view kind, std::string_view d, std::string_view style = "");
std::string rect(std::string_view kind, const Area& area, std::string_view style = "");
std::string horizontal(std::string_view kind, const Area& area, double y);
std::string vertical(std::string_view kind, const Area& area, double x);
/// The outline of an area.
std::string frame(const Area& area);

/// Lines across an area with their numbers left of it or below it; the latter also alone.
std::string grid_y(const Area& area, const Scale& y, const std::vector<Tick>& ticks);
std::string grid_y(const Area& area, const Scale& y, std::size_t at_most = 6);
std::string grid_x(const Area& area, const Scale& x, const std::vector<Tick>& ticks,
                   double below = 13);
std::string grid_x(const Area& area, const Scale& x);
std::string labels_x(const Area& area, const Scale& x, const std::vector<Tick>& ticks,
                     double below = 13);

/// The `d` of a path through points, without those that lie on the line between others.
std::string polyline(const std::vector<Point>& points);

/// The extremes in each of at most `buckets` parts of a signal whose time begins at `begin`.
std::vector<Point> envelope(const Eigen::VectorXd& time, double begin,
                            const Eigen::VectorXd& signal, const Scale& x, const Scale& y,
                            Eigen::Index buckets);

}  // namespace ulna::plot
