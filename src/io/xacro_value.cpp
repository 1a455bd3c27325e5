#include "io/xacro_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/names.hpp"

namespace ulna::detail::xacro {

void fail(const std::string& why) { throw ExpressionError(why); }

std::string_view kind_of(const Value& v) {
  constexpr std::string_view kinds[] = {"None",   "a truth value", "a whole number", "a number",
                                        "a text", "a list",        "a map"};
  return kinds[v.index()];
}

Integer whole(const Value& v) {
  if (const bool* b = std::get_if<bool>(&v)) return *b;
  if (const Integer* i = std::get_if<Integer>(&v)) return *i;
  fail(std::string(kind_of(v)) + " stands where a whole number is needed");
}

double real(const Value& v) {
  if (const double* x = std::get_if<double>(&v)) return *x;
  if (is_whole(v)) return static_cast<double>(whole(v));
  fail(std::string(kind_of(v)) + " stands where a number is needed");
}

const std::string& text_of(const Value& v) {
  if (const std::string* s = v.text()) return *s;
  fail(std::string(kind_of(v)) + " stands where a text is needed");
}

namespace {

/// As Python: 2.0, 1e-05, 1e+16.
std::string python_number(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0.0 ? "-inf" : "inf";
  char text[400];
  const double size = std::abs(x);
  const bool plain = x == 0.0 || (size >= 1e-4 && size < 1e16);
  std::string s(text,
                std::to_chars(text, std::end(text), x,
                              plain ? std::chars_format::fixed : std::chars_format::scientific)
                    .ptr);
  if (plain && s.find('.') == s.npos) s += ".0";
  return s;
}

std::string quoted_text(const Value& v) {
  const std::string* s = v.text();
  return s ? "'" + *s + "'" : to_text(v);
}

}  // namespace

bool equal(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b))
    return is_whole(a) && is_whole(b) ? whole(a) == whole(b) : real(a) == real(b);
  if (a.index() != b.index()) return false;
  // lists may share their entries and be as large as all that they could be written as: that is limited
  if (a.index() > 4) return to_text(a) == to_text(b);
  if (const std::string* s = a.text()) return *s == *b.text();
  return true;
}

bool less(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b))
    return is_whole(a) && is_whole(b) ? whole(a) < whole(b) : real(a) < real(b);
  if (a.index() == 4 && b.index() == 4) return text_of(a) < text_of(b);
  fail(std::string(kind_of(a)) + " and " + std::string(kind_of(b)) + " cannot be compared");
}

std::size_t size_of(const Value& v) {
  if (const ListPtr* list = std::get_if<ListPtr>(&v)) return (*list)->size();
  if (const DictPtr* dict = std::get_if<DictPtr>(&v)) return (*dict)->size();
  return text_of(v).size();
}

List entries_of(const Value& v) {
  if (const ListPtr* list = std::get_if<ListPtr>(&v)) return **list;
  List entries;
  if (const DictPtr* dict = std::get_if<DictPtr>(&v))
    for (const auto& [key, value] : **dict) entries.push_back(key);
  else
    for (const char c : text_of(v)) entries.push_back(std::string(1, c));
  return entries;
}

namespace {

Value quotient(const Value& a, const Value& b) {
  if (real(b) == 0.0) fail("division by zero");
  return real(a) / real(b);
}

/// Rounded down, and its remainder, which has the sign of the divisor.
Value floored(const Value& a, const Value& b, bool remainder) {
  if (real(b) == 0.0) fail("division by zero");
  if (is_whole(a) && is_whole(b) && whole(b) != -1) {
    const Integer x = whole(a), y = whole(b), rest = x % y;
    const bool down = rest != 0 && (rest < 0) != (y < 0);
    return remainder ? rest + (down ? y : 0) : x / y - (down ? 1 : 0);
  }
  const double x = real(a), y = real(b), whole_times = std::floor(x / y);
  if (!remainder) return whole_times;
  const double rest = std::fmod(x, y);
  return rest != 0.0 && (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}

Value repeated(const Value& what, const Value& times) {
  const Integer n = std::max<Integer>(0, whole(times));
  const std::size_t size = size_of(what);
  if (size && static_cast<std::size_t>(n) > longest / size)
    fail("the result has more than " + std::to_string(longest) + " entries");
  if (const std::string* s = what.text()) {
    std::string text;
    for (Integer i = 0; i < n && size; ++i) text += *s;
    return text;
  }
  List list;
  for (Integer i = 0; i < n && size; ++i)
    for (const Value& v : *std::get<ListPtr>(what)) list.push_back(v);
  return list;
}

bool contains(const Value& in, const Value& item) {
  if (const ListPtr* list = std::get_if<ListPtr>(&in))
    return std::ranges::any_of(**list, [&](const Value& v) { return equal(v, item); });
  if (const DictPtr* dict = std::get_if<DictPtr>(&in))
    return std::ranges::any_of(**dict, [&](const auto& e) { return equal(e.first, item); });
  return text_of(in).find(text_of(item)) != std::string::npos;
}

}  // namespace

Value power(const Value& a, const Value& b) {
  if (is_whole(a) && is_whole(b) && whole(b) >= 0) {
    Integer result = 1;
    bool fits = true;
    for (Integer i = 0; i < whole(b) && fits && i < 64; ++i)
      fits = !__builtin_mul_overflow(result, whole(a), &result);
    if (fits && whole(b) < 64) return result;
  }
  const double x = std::pow(real(a), real(b));
  if (std::isnan(x)) fail("this power has no real value");
  return x;
}

Value sum_of(const Value& a, const Value& b) {
  if (a.index() == 4 && b.index() == 4) {
    if (size_of(a) + size_of(b) > longest) fail("the text is longer than 1 MiB");
    return text_of(a) + text_of(b);
  }
  if (a.index() == 5 && b.index() == 5) {
    if (size_of(a) + size_of(b) > longest) fail("the list is too long");
    List list = *std::get<ListPtr>(a);
    for (const Value& v : *std::get<ListPtr>(b)) list.push_back(v);
    return list;
  }
  Integer whole_sum = 0;
  if (is_whole(a) && is_whole(b) && !__builtin_add_overflow(whole(a), whole(b), &whole_sum))
    return whole_sum;
  if (!is_number(a) || !is_number(b))
    fail(std::string(kind_of(a)) + " and " + std::string(kind_of(b)) + " cannot be added");
  return real(a) + real(b);
}

/// The place of an index in a list or text of n entries; negative ones count from the end.
std::size_t place(const Value& index, std::size_t n) {
  const Integer i = whole(index), at = i < 0 ? i + static_cast<Integer>(n) : i;
  if (at < 0 || at >= static_cast<Integer>(n))
    fail("index " + std::to_string(i) + " is outside, there are " + std::to_string(n) + " entries");
  return static_cast<std::size_t>(at);
}

Value binary(std::string_view op, const Value& a, const Value& b) {
  Integer exact = 0;
  if (op == "+") return sum_of(a, b);
  if (op == "-") {
    if (is_whole(a) && is_whole(b) && !__builtin_sub_overflow(whole(a), whole(b), &exact))
      return exact;
    return real(a) - real(b);
  }
  if (op == "*") {
    if ((a.index() == 4 || a.index() == 5) && is_whole(b)) return repeated(a, b);
    if ((b.index() == 4 || b.index() == 5) && is_whole(a)) return repeated(b, a);
    if (is_whole(a) && is_whole(b) && !__builtin_mul_overflow(whole(a), whole(b), &exact))
      return exact;
    return real(a) * real(b);
  }
  if (op == "/") return quotient(a, b);
  if (op == "//" || op == "%") return floored(a, b, op == "%");
  return power(a, b);
}

bool compared(std::string_view op, const Value& a, const Value& b) {
  if (op == "==" || op == "is") return equal(a, b);
  if (op == "!=" || op == "is not") return !equal(a, b);
  if (op == "in") return contains(b, a);
  if (op == "not in") return !contains(b, a);
  if (op == "<") return less(a, b);
  if (op == ">") return less(b, a);
  return op == "<=" ? !less(b, a) : !less(a, b);
}

const Value& entry(const Dict& dict, std::string_view key) {
  std::vector<std::string_view> keys;
  for (const auto& e : dict) {
    if (e.first == key) return e.second;
    keys.push_back(e.first);
  }
  fail(quoted("key", key) + " is unknown" + ulna::did_you_mean(key, keys));
}

Value indexed(const Value& of, const Value& index) {
  if (const DictPtr* dict = std::get_if<DictPtr>(&of)) return entry(**dict, to_text(index));
  const std::size_t at = place(index, size_of(of));
  if (const ListPtr* list = std::get_if<ListPtr>(&of)) return (**list)[at];
  return std::string(1, text_of(of)[at]);
}

Value sliced(const Value& of, const Value& from, const Value& to) {
  const auto n = static_cast<Integer>(size_of(of));
  const auto bound = [n](const Value& v, Integer otherwise) {
    if (v.index() == 0) return otherwise;
    const Integer i = whole(v);
    return std::clamp<Integer>(i < 0 ? i + n : i, 0, n);
  };
  const Integer first = bound(from, 0), last = std::max(first, bound(to, n));
  if (const ListPtr* list = std::get_if<ListPtr>(&of))
    return List((*list)->begin() + first, (*list)->begin() + last);
  return text_of(of).substr(static_cast<std::size_t>(first),
                            static_cast<std::size_t>(last - first));
}

std::string to_text(const Value& v) {
  switch (v.index()) {
    case 0:
      return "None";
    case 1:
      return std::get<bool>(v) ? "True" : "False";
    case 2:
      return std::to_string(std::get<Integer>(v));
    case 3:
      return python_number(std::get<double>(v));
    case 4:
      return *v.text();
    default:
      break;
  }
  std::string text;
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
    if (text.size() > longest) fail("the text is longer than 1 MiB");
  };
  if (const ListPtr* list = std::get_if<ListPtr>(&v)) {
    for (const Value& entry : **list) add(quoted_text(entry));
    return "[" + text + "]";
  }
  for (const auto& [key, value] : *std::get<DictPtr>(v))
    add("'" + key + "': " + quoted_text(value));
  return "{" + text + "}";
}

bool is_true(const Value& v) {
  if (v.index() == 0) return false;
  return is_number(v) ? real(v) != 0.0 : size_of(v) > 0;
}

Value from_text(std::string_view text) {
  std::string_view s = text;
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\n'))
    s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\n'))
    s.remove_suffix(1);
  if (s.size() > 1 && s.front() == '\'' && s.back() == '\'')
    return std::string(s.substr(1, s.size() - 2));
  if (s == "true" || s == "True") return true;
  if (s == "false" || s == "False") return false;
  if (s.size() > 1 && s[0] == '+' && s[1] != '-' && s[1] != '+') s.remove_prefix(1);
  Integer i = 0;
  const char* const end = s.data() + s.size();
  if (const auto [stop, error] = std::from_chars(s.data(), end, i);
      !s.empty() && error == std::errc() && stop == end)
    return i;
  double x = 0.0;
  if (const auto [stop, error] = std::from_chars(s.data(), end, x);
      !s.empty() && error == std::errc() && stop == end && std::isfinite(x))
    return x;
  return std::string(text);
}

}  // namespace ulna::detail::xacro
