#include "ulna/io/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/reading.hpp"

namespace ulna {
namespace {

/// Without the one leading plus that people write and from_chars refuses.
std::string_view unsigned_plus(std::string_view s) {
  if (s.size() > 1 && s[0] == '+' && s[1] != '-' && s[1] != '+') s.remove_prefix(1);
  return s;
}

/// Whether a number out of range is too large rather than too small.
bool overflows(std::string_view s) {
  const std::size_t e = std::min(s.find_first_of("eE"), s.size());
  const std::string_view whole = s.substr(0, std::min(s.find('.'), e));
  const std::size_t first = whole.find_first_of("123456789");
  const auto digits = first == std::string_view::npos ? 0 : static_cast<long>(whole.size() - first);
  if (e == s.size()) return digits > 0;
  const std::string_view exponent = unsigned_plus(s.substr(e + 1));
  long power = 0;
  if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec ==
      std::errc::result_out_of_range)
    return exponent[0] != '-';
  return power + digits > 0;
}

/// Reads x and returns why that is impossible, or "".
std::string_view read_number(std::string_view text, double& x) {
  const std::string_view s = unsigned_plus(detail::trimmed(text));
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
  const std::string_view rest(end, static_cast<std::size_t>(s.data() + s.size() - end));
  if (error == std::errc() && rest.empty())
    return std::isfinite(x) ? "" : std::isnan(x) ? "is not a number" : "is infinite";
  if (s.empty()) return "is empty";
  if (detail::is_xacro_expression(s)) return "is a xacro expression";
  if (error == std::errc::result_out_of_range) {
    // an underflow to zero is out of range too, but harmless
    x = 0.0;
    return rest.empty() && !overflows(s) ? "" : "overflows";
  }
  if (error != std::errc()) return "is not a number";
  if (rest[0] == 'x' || rest[0] == 'X') return "is hexadecimal";
  if (rest[0] == ',') return "has a decimal comma";
  return "has something behind the number";
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double x = 0.0;
  return read_number(text, x).empty() ? std::optional(x) : std::nullopt;
}

std::string_view number_defect(std::string_view text) {
  double x = 0.0;
  return read_number(text, x);
}

std::string format_number(double x) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), x).ptr};
}

}  // namespace ulna
