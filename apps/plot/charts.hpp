#pragma once

#include <functional>

#include "svg.hpp"

/// Whole diagrams: SVG documents that need nothing else.
namespace ulna::plot {

/// A colour for each of many lines.
std::string_view colour(std::size_t index);

/// How a number of an axis is written.
using Label = std::function<std::string(double)>;

struct Line {
  std::string name, colour;
  std::vector<Point> points;
  bool strong = false, dashed = false;
};

/// Both axes logarithmic, each line named at its end. `marked`: points have circles and numbers.
std::string log_plot(const std::string& title, const std::string& subtitle,
                     const std::string& across, const Label& label, const std::vector<Line>& lines,
                     bool marked);

struct Bar {
  std::string name, colour, label;
  double length;
  bool strong = false;
};
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};
/// Lengths on a logarithmic scale.
std::string bar_plot(const std::string& title, const std::string& subtitle, const Label& label,
                     const std::vector<BarGroup>& groups);

/// A small diagram: lines over a common time, in the order of the legend.
struct Panel {
  std::string title;
  std::vector<std::vector<double>> lines;
};
/// Panels side by side and below each other under one legend, each with its own vertical scale.
std::string panel_plot(const std::string& title, const std::string& subtitle,
                       const std::vector<double>& time, const std::vector<std::string>& legend,
                       const std::vector<Panel>& panels);

}  // namespace ulna::plot
