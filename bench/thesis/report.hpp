#pragma once

#include "../report.hpp"

namespace thesis {

using report::Bench;
using report::Point;

/// y = c x^exponent, by least squares of the logarithms.
struct Fit {
  double exponent = 0.0;
  double off = 0.0;  ///< root mean square of what is left, as a factor less 1
};
Fit power_law(const std::vector<Point>& points);
/// y = c base^x.
Fit exponential(const std::vector<Point>& points);

/// printf into a string.
std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));
std::string joined(const std::vector<std::string>& words);
/// "It holds", "It does not hold", or "It holds in part", set in bold.
std::string verdict(int holding, int asked);

void add_identification(const Bench& bench, report::Sections& sections, report::Sections& plots);

}  // namespace thesis
