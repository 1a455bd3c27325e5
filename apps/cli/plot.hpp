#pragma once

#include <string>
#include <vector>

namespace ulna::cli {

struct PlotLine {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
  int colour = 0;  ///< lines of one colour belong together
};

/// Lines over two logarithmic axes, each named at its end: an SVG document that needs nothing else.
std::string log_plot(const std::string& title, const std::string& subtitle,
                     const std::string& x_name, const std::vector<PlotLine>& lines);

}  // namespace ulna::cli
