#include "ulna/io/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ulna {
namespace {

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view space = " \t\r\n";
  const auto first = s.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(space) - first + 1);
}

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

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::string_view s = unsigned_plus(trimmed(text));
  double x = 0.0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
  // an underflow to zero is told as out of range too, but is harmless
  if (error == std::errc::result_out_of_range && end == s.data() + s.size() && !overflows(s))
    return 0.0;
  if (error != std::errc() || end != s.data() + s.size() || !std::isfinite(x)) return {};
  return x;
}

std::string_view number_defect(std::string_view text) {
  const std::string_view s = unsigned_plus(trimmed(text));
  if (s.empty()) return "is empty";
  if (s.find("${") != std::string_view::npos || s.find("$(") != std::string_view::npos)
    return "is a xacro expression";
  double x = 0.0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
  const std::string_view rest(end, static_cast<std::size_t>(s.data() + s.size() - end));
  if (error == std::errc::result_out_of_range) return "overflows";
  if (error != std::errc()) return "is not a number";
  if (!rest.empty() && (rest[0] == 'x' || rest[0] == 'X')) return "is hexadecimal";
  if (!rest.empty() && rest[0] == ',') return "has a decimal comma";
  if (!rest.empty()) return "has something behind the number";
  if (std::isnan(x)) return "is not a number";
  return "is infinite";
}

std::string format_number(double x) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, x);
  return error == std::errc() ? std::string(text, end) : std::string("nan");
}

}  // namespace ulna
