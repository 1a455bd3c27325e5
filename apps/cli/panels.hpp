#pragma once

#include <string>
#include <vector>

namespace ulna::cli {

/// A small diagram: lines over a common time, in the order of the legend.
struct Panel {
  std::string title;
  std::vector<std::vector<double>> lines;
};

/// Panels side by side and below each other under one legend: an SVG document that needs nothing
/// else. Each panel has its own vertical scale.
std::string panel_plot(const std::string& title, const std::string& subtitle,
                       const std::vector<double>& time, const std::vector<std::string>& legend,
                       const std::vector<Panel>& panels);

}  // namespace ulna::cli
