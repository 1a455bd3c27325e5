#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What plots have in common.
namespace ulna::cli {

/// Text as it may stand in HTML and SVG.
std::string escaped(std::string_view text);

/// From numbers to places.
struct Scale {
  double low, high, from, to;
  double operator()(double x) const { return from + (to - from) * (x - low) / (high - low); }
  /// Round numbers within.
  std::vector<double> ticks() const;
};

/// Never empty: a range of nothing is widened.
Scale scale_of(double low, double high, double from, double to);

}  // namespace ulna::cli
