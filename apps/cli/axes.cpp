#include "axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulna::cli {
namespace {

/// The step of 1, 2 or 5 times a power of ten that makes four or more of the range.
double step_of(double range) {
  const double rough = range / 4.0, decade = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (2.0 * digit * decade > 1.001 * rough) return digit * decade;
  return 10.0 * decade;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '\'' || c == '"')
      made += fmt::format("&#{};", static_cast<int>(c));
    else if (static_cast<unsigned char>(c) >= ' ')
      made += c;
  }
  return made;
}

std::vector<double> Scale::ticks() const {
  const double step = step_of(high - low);
  std::vector<double> list;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0)
    list.push_back(k == 0.0 ? 0.0 : k * step);
  return list;
}

Scale scale_of(double low, double high, double from, double to) {
  if (!(high > low)) {
    const double half = std::max(std::abs(high), 1.0) * 0.5;
    low -= half, high += half;
  }
  return {low, high, from, to};
}

}  // namespace ulna::cli
