#include "ulna/io/number.hpp"

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

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::string_view s = unsigned_plus(trimmed(text));
  double x = 0.0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
  // an underflow to zero is told as out of range too, but is harmless
  if (error == std::errc::result_out_of_range && end == s.data() + s.size()) {
    const auto e = s.find_first_of("eE");
    if (e != std::string_view::npos && e + 1 < s.size() && s[e + 1] == '-') return 0.0;
    return {};
  }
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
