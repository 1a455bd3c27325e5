#include "io/xacro_functions.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/names.hpp"

namespace ulna::detail::xacro {
namespace {

struct Function1 {
  std::string_view name;
  double (*compute)(double);
};
constexpr Function1 functions1[] = {
    {"sin", std::sin},
    {"cos", std::cos},
    {"tan", std::tan},
    {"asin", std::asin},
    {"acos", std::acos},
    {"atan", std::atan},
    {"sinh", std::sinh},
    {"cosh", std::cosh},
    {"tanh", std::tanh},
    {"asinh", std::asinh},
    {"acosh", std::acosh},
    {"atanh", std::atanh},
    {"sqrt", std::sqrt},
    {"exp", std::exp},
    {"log10", std::log10},
    {"log2", std::log2},
    {"log1p", std::log1p},
    {"expm1", std::expm1},
    {"fabs", std::fabs},
    {"radians", [](double x) { return x * (std::numbers::pi / 180.0); }},
    {"degrees", [](double x) { return x * (180.0 / std::numbers::pi); }}};
struct Function2 {
  std::string_view name;
  double (*compute)(double, double);
};
constexpr Function2 functions2[] = {{"atan2", std::atan2},
                                    {"hypot", std::hypot},
                                    {"fmod", std::fmod},
                                    {"copysign", std::copysign},
                                    {"pow", std::pow}};
constexpr std::string_view other_functions[] = {
    "abs", "all", "any", "bool",  "ceil",  "dict",   "float", "floor", "int",   "len",  "list",
    "log", "max", "min", "range", "round", "sorted", "str",   "sum",   "trunc", "tuple"};

Value to_whole(double x) {
  if (!(std::abs(x) < 9e18)) fail("a number is too large to be whole");
  return static_cast<Integer>(x);
}

/// Half to even, as Python rounds.
Value rounded(const List& of) {
  const double x = real(of[0]);
  if (of.size() == 1) return to_whole(std::nearbyint(x));
  const Integer digits = std::clamp<Integer>(whole(of[1]), -300, 300);
  if (!std::isfinite(x)) return x;
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    return std::nearbyint(x / unit) * unit;
  }
  char text[800];
  const auto end =
      std::to_chars(text, std::end(text), x, std::chars_format::fixed, static_cast<int>(digits))
          .ptr;
  double result = x;
  std::from_chars(text, end, result);
  return result;
}

Value number_from(const Value& v, bool make_whole) {
  if (const std::string* s = v.text()) {
    const Value read = from_text(*s);
    if (!is_number(read) || read.index() == 1 || (make_whole && read.index() == 3))
      fail(quoted("text", *s) + " is not a " + (make_whole ? "whole number" : "number"));
    return make_whole ? read : Value(real(read));
  }
  if (!make_whole) return real(v);
  return is_whole(v) ? Value(whole(v)) : to_whole(real(v));
}

Value range(const List& of) {
  const Integer first = of.size() > 1 ? whole(of[0]) : 0, last = whole(of[of.size() > 1]),
                step = of.size() > 2 ? whole(of[2]) : 1;
  if (step == 0) fail("the step of range is zero");
  List list;
  for (Integer i = first; step > 0 ? i < last : i > last;) {
    if (list.size() == 100'000) fail("the range has more than 100000 numbers");
    list.push_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return list;
}

List split(const std::string& text, const List& of) {
  List parts;
  std::string part;
  if (of.empty()) {
    for (const char c : text + " ")
      if (!std::isspace(static_cast<unsigned char>(c)))
        part += c;
      else if (!part.empty())
        parts.push_back(std::exchange(part, {}));
    return parts;
  }
  const std::string& by = text_of(of[0]);
  if (by.empty()) fail("split('') has no meaning");
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(by, from)) != text.npos; from = at + by.size())
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}

}  // namespace

Value call(std::string_view name, const List& of, const Dict& named) {
  const auto count = [&](std::size_t least, std::size_t most) {
    if (of.size() < least || of.size() > most)
      fail(std::string(name) + "() takes " + std::to_string(least) +
           (most > least ? " to " + std::to_string(most) : "") + " values, not " +
           std::to_string(of.size()));
  };
  if (name == "dict" && of.empty()) return named;
  if (!named.empty()) fail(std::string(name) + "() takes no values by name");
  const auto finite = [&](double y) -> Value {
    if (std::isnan(y) &&
        std::ranges::none_of(of, [](const Value& v) { return std::isnan(real(v)); }))
      fail(std::string(name) + "() has no real value there");
    return y;
  };
  for (const Function1& f : functions1)
    if (f.name == name) return count(1, 1), finite(f.compute(real(of[0])));
  for (const Function2& f : functions2)
    if (f.name == name) {
      count(2, 2);
      return name == "pow" ? power(of[0], of[1]) : finite(f.compute(real(of[0]), real(of[1])));
    }
  if (name == "log") {
    count(1, 2);
    const double x = std::log(real(of[0]));
    if (!std::isfinite(x)) fail("log() has no real value there");
    return of.size() > 1 ? finite(x / std::log(real(of[1]))) : Value(x);
  }
  if (name == "min" || name == "max") {
    const List from = of.size() == 1 ? entries_of(of[0]) : of;
    if (from.empty()) fail(std::string(name) + "() of nothing");
    return name == "min" ? *std::ranges::min_element(from, less)
                         : *std::ranges::max_element(from, less);
  }
  if (name == "range") return count(1, 3), range(of);
  if (name == "round") return count(1, 2), rounded(of);
  if (name == "list" || name == "tuple" || name == "str" || name == "bool" || name == "dict")
    count(0, 1);
  else
    count(1, 1);
  if (name == "list" || name == "tuple") return of.empty() ? List() : entries_of(of[0]);
  if (name == "str") return of.empty() ? std::string() : to_text(of[0]);
  if (name == "bool") return !of.empty() && is_true(of[0]);
  if (name == "dict") {
    if (of[0].index() != 6) fail("dict() takes a map, or values by name");
    return of[0];
  }
  if (name == "abs")
    return is_whole(of[0]) && whole(of[0]) != std::numeric_limits<Integer>::min()
               ? Value(std::abs(whole(of[0])))
               : Value(std::abs(real(of[0])));
  if (name == "int") return number_from(of[0], true);
  if (name == "float") return number_from(of[0], false);
  if (name == "floor") return to_whole(std::floor(real(of[0])));
  if (name == "ceil") return to_whole(std::ceil(real(of[0])));
  if (name == "trunc") return to_whole(real(of[0]));
  if (name == "len") return static_cast<Integer>(size_of(of[0]));
  List entries = entries_of(of[0]);
  if (name == "any") return std::ranges::any_of(entries, is_true);
  if (name == "all") return std::ranges::all_of(entries, is_true);
  if (name == "sorted") return std::ranges::stable_sort(entries, less), entries;
  Value total = Integer(0);
  for (const Value& v : entries) total = sum_of(total, v);
  return total;
}

bool is_function(std::string_view name) {
  return std::ranges::count(functions1, name, &Function1::name) ||
         std::ranges::count(functions2, name, &Function2::name) ||
         std::ranges::count(other_functions, name);
}

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names(std::begin(other_functions), std::end(other_functions));
  for (const Function1& f : functions1) names.push_back(f.name);
  for (const Function2& f : functions2) names.push_back(f.name);
  return names;
}

Value method(const Value& object, std::string_view name, const List& of) {
  const auto text = [&](std::size_t i) -> const std::string& {
    if (of.size() <= i) fail(std::string(name) + "() has too few values");
    return text_of(of[i]);
  };
  if (const DictPtr* dict = std::get_if<DictPtr>(&object)) {
    List list;
    if (name == "get") {
      const auto found = std::ranges::find(**dict, text(0), &Dict::value_type::first);
      return found != (*dict)->end() ? found->second : of.size() > 1 ? of[1] : Value(None());
    }
    for (const auto& [key, value] : **dict)
      list.push_back(name == "keys"     ? Value(key)
                     : name == "values" ? value
                                        : Value(List{Value(key), value}));
    if (name == "keys" || name == "values" || name == "items") return list;
  }
  if (const std::string* s = object.text()) {
    std::string t = *s;
    const auto mapped = [&](int (*change)(int)) {
      for (char& c : t) c = static_cast<char>(change(static_cast<unsigned char>(c)));
      return t;
    };
    if (name == "lower") return mapped(std::tolower);
    if (name == "upper") return mapped(std::toupper);
    if (name == "strip") {
      constexpr const char* space = " \t\r\n";
      const auto first = t.find_first_not_of(space);
      return first == t.npos ? std::string()
                             : t.substr(first, t.find_last_not_of(space) - first + 1);
    }
    if (name == "startswith") return t.starts_with(text(0));
    if (name == "endswith") return t.ends_with(text(0));
    if (name == "split") return split(t, of);
    if (name == "replace") {
      const std::string &from = text(0), &to = text(1);
      if (from.empty()) fail("replace('') has no meaning");
      for (std::size_t at = 0; (at = t.find(from, at)) != t.npos; at += to.size()) {
        t.replace(at, from.size(), to);
        if (t.size() > longest) fail("the text is longer than 1 MiB");
      }
      return t;
    }
    if (name == "join" && of.size() == 1) {
      std::string joined;
      for (const Value& part : entries_of(of[0])) {
        joined += (joined.empty() ? "" : *s) + text_of(part);
        if (joined.size() > longest) fail("the text is longer than 1 MiB");
      }
      return joined;
    }
  }
  fail(std::string(kind_of(object)) + " has no function '" + shown(name) + "'");
}

std::optional<Value> constant(std::string_view name) {
  if (name == "True" || name == "true") return true;
  if (name == "False" || name == "false") return false;
  if (name == "None") return None();
  if (name == "pi" || name == "M_PI") return std::numbers::pi;
  if (name == "tau") return 2.0 * std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return {};
}

}  // namespace ulna::detail::xacro
