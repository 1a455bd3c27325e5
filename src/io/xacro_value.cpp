#include "io/xacro_value.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "model/names.hpp"

namespace ulna::detail::xacro {
namespace {

using Integer = std::int64_t;
using ListPtr = std::shared_ptr<const List>;
using DictPtr = std::shared_ptr<const Dict>;

constexpr std::size_t longest = 1 << 20;  // of a text or a list, in bytes or entries
constexpr int deepest = 100;              // of parentheses, lists and maps
constexpr int longest_chain = 500;        // of operators

[[noreturn]] void fail(const std::string& why) { throw ExpressionError(why); }

std::string_view kind_of(const Value& v) {
  constexpr std::string_view kinds[] = {"None",   "a truth value", "a whole number", "a number",
                                        "a text", "a list",        "a map"};
  return kinds[v.index()];
}

bool is_number(const Value& v) { return v.index() >= 1 && v.index() <= 3; }
bool is_whole(const Value& v) { return v.index() == 1 || v.index() == 2; }

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
  if (const std::string* s = std::get_if<std::string>(&v)) return *s;
  fail(std::string(kind_of(v)) + " stands where a text is needed");
}

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
  const std::string* s = std::get_if<std::string>(&v);
  return s ? "'" + *s + "'" : to_text(v);
}

bool equal(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b))
    return is_whole(a) && is_whole(b) ? whole(a) == whole(b) : real(a) == real(b);
  if (a.index() != b.index()) return false;
  // lists may share their entries and be as large as all that they could be written as: that is limited
  if (a.index() > 4) return to_text(a) == to_text(b);
  if (const std::string* s = std::get_if<std::string>(&a)) return *s == std::get<std::string>(b);
  return true;
}

bool less(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b))
    return is_whole(a) && is_whole(b) ? whole(a) < whole(b) : real(a) < real(b);
  if (a.index() == 4 && b.index() == 4) return text_of(a) < text_of(b);
  fail(std::string(kind_of(a)) + " and " + std::string(kind_of(b)) + " cannot be compared");
}

bool contains(const Value& in, const Value& item) {
  if (const ListPtr* list = std::get_if<ListPtr>(&in))
    return std::ranges::any_of(**list, [&](const Value& v) { return equal(v, item); });
  if (const DictPtr* dict = std::get_if<DictPtr>(&in))
    return std::ranges::any_of(**dict, [&](const auto& e) { return equal(e.first, item); });
  return text_of(in).find(text_of(item)) != std::string::npos;
}

std::size_t size_of(const Value& v) {
  if (const ListPtr* list = std::get_if<ListPtr>(&v)) return (*list)->size();
  if (const DictPtr* dict = std::get_if<DictPtr>(&v)) return (*dict)->size();
  return text_of(v).size();
}

/// The entries of a list, the keys of a map, or the letters of a text.
List entries_of(const Value& v) {
  if (const ListPtr* list = std::get_if<ListPtr>(&v)) return **list;
  List entries;
  if (const DictPtr* dict = std::get_if<DictPtr>(&v))
    for (const auto& [key, value] : **dict) entries.push_back(key);
  else
    for (const char c : text_of(v)) entries.push_back(std::string(1, c));
  return entries;
}

// --- arithmetic ---

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

Value repeated(const Value& what, const Value& times) {
  const Integer n = std::max<Integer>(0, whole(times));
  const std::size_t size = size_of(what);
  if (size && static_cast<std::size_t>(n) > longest / size)
    fail("the result has more than " + std::to_string(longest) + " entries");
  if (const std::string* s = std::get_if<std::string>(&what)) {
    std::string text;
    for (Integer i = 0; i < n && size; ++i) text += *s;
    return text;
  }
  List list;
  for (Integer i = 0; i < n && size; ++i)
    for (const Value& v : *std::get<ListPtr>(what)) list.push_back(v);
  return list;
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

/// The place of an index in a list or text of n entries; negative ones count from the end.
std::size_t place(const Value& index, std::size_t n) {
  const Integer i = whole(index), at = i < 0 ? i + static_cast<Integer>(n) : i;
  if (at < 0 || at >= static_cast<Integer>(n))
    fail("index " + std::to_string(i) + " is outside, there are " + std::to_string(n) + " entries");
  return static_cast<std::size_t>(at);
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

// --- functions ---

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
  if (const std::string* s = std::get_if<std::string>(&v)) {
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
  if (const std::string* s = std::get_if<std::string>(&object)) {
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

/// An expression that was read.
struct Node {
  enum class Kind {
    value,
    name,
    list,
    map,
    call,
    method,
    attribute,
    index,
    slice,
    negative,
    positive,
    negation,
    arithmetic,
    comparison,
    conjunction,
    disjunction,
    choice
  };
  Kind kind = Kind::value;
  Value value{};       ///< of a literal
  std::string name{};  ///< of a name, function, method, attribute or operator
  std::vector<Node> of{};
  std::vector<std::string> words{};  ///< operators of a chain of comparisons, or names of values
};

class Reader {
 public:
  Reader(std::string_view text, std::size_t& steps) : text_(text), steps_(steps) {}

  Node whole_text() {
    next();
    Node node = expression();
    if (is(",")) {
      node = made(Is::list, {}, std::move(node));
      while (take(","))
        if (kind_ != Kind::end) node.of.push_back(expression());
    }
    if (kind_ != Kind::end) unexpected();
    return node;
  }

 private:
  enum class Kind { end, name, number, text, sign };
  using Is = Node::Kind;

  static Node made(Is kind, std::string name, auto... of) {
    Node node{kind, {}, std::move(name)};
    (node.of.push_back(std::move(of)), ...);
    return node;
  }

  [[noreturn]] void unexpected() const {
    if (kind_ == Kind::end) fail("it ends too early");
    fail("'" + shown(token_) + "' is not expected there");
  }

  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  void next() {
    if (steps_ == 0) fail("the file takes too long to compute");
    --steps_;
    const auto here = [&](std::size_t ahead = 0) {
      return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    };
    while (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r') ++at_;
    const std::size_t from = at_;
    const auto finish = [&](Kind kind) { kind_ = kind, token_ = text_.substr(from, at_ - from); };
    if (at_ >= text_.size()) return finish(Kind::end);
    const char c = here();
    if (digit(c) || (c == '.' && digit(here(1)))) {
      const auto exponent = [&] {
        return (here() == '+' || here() == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      };
      while (letter(here()) || here() == '.' || exponent()) ++at_;
      return finish(Kind::number);
    }
    if (letter(c)) {
      while (letter(here())) ++at_;
      return finish(Kind::name);
    }
    if (c == '\'' || c == '"') {
      literal_.clear();
      for (++at_; at_ < text_.size() && here() != c; ++at_) {
        if (here() == '\\' && at_ + 1 < text_.size()) ++at_;
        literal_ += here();
      }
      if (at_ == text_.size()) fail("a text in it does not end");
      ++at_;
      return finish(Kind::text);
    }
    ++at_;
    for (const std::string_view sign : {"**", "//", "==", "!=", "<=", ">="})
      if (text_.substr(from).starts_with(sign)) at_ = from + 2;
    finish(Kind::sign);
  }

  bool is(std::string_view token) const {
    return (kind_ == Kind::sign || kind_ == Kind::name) && token_ == token;
  }
  bool take(std::string_view token) {
    const bool found = is(token);
    if (found) next();
    return found;
  }
  void expect(std::string_view token) {
    if (kind_ == Kind::end) fail("'" + std::string(token) + "' is missing at its end");
    if (!take(token)) unexpected();
  }

  struct Deeper {
    explicit Deeper(int& depth) : depth_(depth) {
      if (++depth_ > deepest) fail("it is nested more than " + std::to_string(deepest) + " deep");
    }
    ~Deeper() { --depth_; }
    int& depth_;
  };

  /// A chain of operators is as deep as it is long.
  static void lengthen(int& length) {
    if (++length > longest_chain)
      fail("it has more than " + std::to_string(longest_chain) + " operators in a row");
  }

  Node expression() {
    const Deeper deeper(depth_);
    Node chosen = disjunction();
    if (!take("if")) return chosen;
    Node condition = disjunction();
    expect("else");
    Node otherwise = expression();
    return made(Is::choice, {}, std::move(condition), std::move(chosen), std::move(otherwise));
  }

  Node disjunction() {
    Node left = conjunction();
    for (int length = 0; take("or"); lengthen(length))
      left = made(Is::disjunction, {}, std::move(left), conjunction());
    return left;
  }
  Node conjunction() {
    Node left = negation();
    for (int length = 0; take("and"); lengthen(length))
      left = made(Is::conjunction, {}, std::move(left), negation());
    return left;
  }
  Node negation() {
    const Deeper deeper(depth_);
    if (take("not")) return made(Is::negation, {}, negation());
    return comparison();
  }

  Node comparison() {
    Node left = sum();
    Node chain{Is::comparison};
    for (std::string op; !(op = comparing()).empty();) {
      if (chain.of.empty()) chain.of.push_back(std::move(left));
      chain.words.push_back(op);
      chain.of.push_back(sum());
    }
    return chain.of.empty() ? left : chain;
  }
  std::string comparing() {
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">", "in"})
      if (take(op)) return op;
    if (take("is")) return take("not") ? "is not" : "is";
    if (!is("not")) return {};
    next();
    expect("in");
    return "not in";
  }

  Node sum() {
    Node left = product();
    for (int length = 0; is("+") || is("-"); lengthen(length))
      left = arithmetic(std::move(left), &Reader::product);
    return left;
  }
  Node product() {
    Node left = factor();
    for (int length = 0; is("*") || is("/") || is("//") || is("%"); lengthen(length))
      left = arithmetic(std::move(left), &Reader::factor);
    return left;
  }
  Node arithmetic(Node left, Node (Reader::*right)()) {
    const std::string op(token_);
    next();
    Node other = (this->*right)();
    return made(Is::arithmetic, op, std::move(left), std::move(other));
  }
  Node factor() {
    const Deeper deeper(depth_);
    if (take("-")) return made(Is::negative, {}, factor());
    if (take("+")) return made(Is::positive, {}, factor());
    Node base = primary();
    if (!is("**")) return base;
    return arithmetic(std::move(base), &Reader::factor);
  }

  Node primary() {
    Node node = atom();
    for (int length = 0;; lengthen(length)) {
      if (take(".")) {
        if (kind_ != Kind::name) unexpected();
        const std::string name(token_);
        next();
        node = made(Is::attribute, name, std::move(node));
      } else if (take("(")) {
        node = called(std::move(node));
      } else if (take("[")) {
        node = bracket(std::move(node));
      } else {
        return node;
      }
    }
  }

  Node called(Node callee) {
    Node call{Is::call};
    if (callee.kind == Is::attribute)
      call = made(Is::method, callee.name, std::move(callee.of[0]));
    else if (callee.kind == Is::name)
      call.name = callee.name;
    else
      fail("only functions can be called");
    while (!take(")")) {
      Node value = expression();
      std::string word;
      if (value.kind == Is::name && take("=")) {
        word = value.name;
        value = expression();
      }
      if (is("for")) fail("'for' is not supported");
      call.of.push_back(std::move(value));
      call.words.push_back(word);
      if (!is(")")) expect(",");
    }
    return call;
  }

  Node bracket(Node of) {
    Node first, last;
    const bool from_start = is(":");
    if (!from_start) first = expression();
    if (!take(":")) {
      expect("]");
      return made(Is::index, {}, std::move(of), std::move(first));
    }
    if (!is("]")) last = expression();
    expect("]");
    return made(Is::slice, {}, std::move(of), std::move(first), std::move(last));
  }

  Node atom() {
    const Deeper deeper(depth_);
    if (kind_ == Kind::number) {
      const std::string text(token_);
      Value value = from_text(text);
      if (value.index() != 2 && value.index() != 3) fail("'" + shown(text) + "' is not a number");
      next();
      return {Is::value, std::move(value)};
    }
    if (kind_ == Kind::text) {
      std::string text;
      for (; kind_ == Kind::text; next()) text += literal_;
      return {Is::value, std::move(text)};
    }
    if (kind_ == Kind::name) {
      for (const std::string_view word : {"if", "else", "and", "or", "in", "is", "for", "lambda"})
        if (token_ == word) unexpected();
      const std::string name(token_);
      next();
      return {Is::name, {}, name};
    }
    if (take("(")) {
      if (take(")")) return {Is::list};
      Node node = expression();
      if (is(",")) node = made(Is::list, {}, std::move(node));
      return entries(std::move(node), ")");
    }
    if (take("[")) {
      Node list{Is::list};
      if (take("]")) return list;
      list.of.push_back(expression());
      return entries(std::move(list), "]");
    }
    if (take("{")) {
      Node map{Is::map};
      while (!take("}")) {
        map.of.push_back(expression());
        expect(":");
        map.of.push_back(expression());
        if (!is("}")) expect(",");
      }
      return map;
    }
    unexpected();
  }
  Node entries(Node node, std::string_view end) {
    if (is("for")) fail("'for' is not supported");
    while (take(","))
      if (!is(end)) node.of.push_back(expression());
    expect(end);
    return node;
  }

  std::string_view text_, token_;
  std::size_t at_ = 0;
  std::size_t& steps_;
  Kind kind_ = Kind::end;
  std::string literal_;  ///< the text that a token stands for
  int depth_ = 0;
};

class Computer {
 public:
  explicit Computer(const Surroundings& around) : around_(around) {}

  Value operator()(const Node& n) const {
    using Is = Node::Kind;
    switch (n.kind) {
      case Is::value:
        return n.value;
      case Is::name:
        return named(n.name);
      case Is::list: {
        List list;
        for (const Node& entry : n.of) list.push_back((*this)(entry));
        return list;
      }
      case Is::map: {
        Dict dict;
        for (std::size_t i = 0; i < n.of.size(); i += 2)
          dict.emplace_back(to_text((*this)(n.of[i])), (*this)(n.of[i + 1]));
        return dict;
      }
      case Is::call:
        return called(n);
      case Is::method:
        return called_on(n);
      case Is::attribute:
        return member(n);
      case Is::index:
        return indexed((*this)(n.of[0]), (*this)(n.of[1]));
      case Is::slice:
        return sliced((*this)(n.of[0]), (*this)(n.of[1]), (*this)(n.of[2]));
      case Is::negative:
        return binary("-", std::int64_t{0}, (*this)(n.of[0]));
      case Is::positive:
        return binary("+", std::int64_t{0}, (*this)(n.of[0]));
      case Is::negation:
        return !is_true((*this)(n.of[0]));
      case Is::arithmetic:
        return binary(n.name, (*this)(n.of[0]), (*this)(n.of[1]));
      case Is::comparison: {
        Value left = (*this)(n.of[0]);
        for (std::size_t i = 0; i < n.words.size(); ++i) {
          Value right = (*this)(n.of[i + 1]);
          if (!compared(n.words[i], left, right)) return false;
          left = std::move(right);
        }
        return true;
      }
      case Is::conjunction:
      case Is::disjunction: {
        Value left = (*this)(n.of[0]);
        return is_true(left) == (n.kind == Is::disjunction) ? left : (*this)(n.of[1]);
      }
      case Is::choice:
        return (*this)(n.of[is_true((*this)(n.of[0])) ? 1 : 2]);
    }
    return None();
  }

 private:
  Value named(const std::string& name) const {
    if (const Value* v = around_.find(name)) return *v;
    if (const auto v = constant(name)) return *v;
    fail(quoted("property", name) + " is not defined");
  }

  /// "a.b.c" if the node is made of names alone.
  static std::string dotted(const Node& n) {
    if (n.kind == Node::Kind::name) return n.name;
    if (n.kind != Node::Kind::attribute) return {};
    const std::string before = dotted(n.of[0]);
    return before.empty() ? before : before + "." + n.name;
  }
  static bool is_library(const Node& n) {
    return n.kind == Node::Kind::name &&
           (n.name == "math" || n.name == "python" || n.name == "xacro");
  }

  Value member(const Node& n) const {
    if (const std::string name = dotted(n); !name.empty())
      if (const Value* v = around_.find(name)) return *v;
    if (is_library(n.of[0]) && !around_.find(n.of[0].name)) {
      if (const auto v = constant(n.name)) return *v;
      fail(quoted(n.of[0].name + " has no value", n.name));
    }
    const Value object = (*this)(n.of[0]);
    if (const DictPtr* dict = std::get_if<DictPtr>(&object)) return entry(**dict, n.name);
    fail(std::string(kind_of(object)) + " has no part '" + shown(n.name) + "'");
  }

  Value called(const Node& n, std::size_t first = 0) const {
    List of;
    Dict by_name;
    for (std::size_t i = first; i < n.of.size(); ++i)
      if (const std::string& word = n.words[i - first]; word.empty())
        of.push_back((*this)(n.of[i]));
      else
        by_name.emplace_back(word, (*this)(n.of[i]));
    if (n.name == "load_yaml" && of.size() == 1) return around_.load_yaml(text_of(of[0]));
    if (!is_function(n.name)) {
      std::vector<std::string_view> known(std::begin(other_functions), std::end(other_functions));
      for (const Function1& f : functions1) known.push_back(f.name);
      for (const Function2& f : functions2) known.push_back(f.name);
      fail(quoted("function", n.name) + " is not known" + ulna::did_you_mean(n.name, known));
    }
    return call(n.name, of, by_name);
  }

  Value called_on(const Node& n) const {
    if (!is_library(n.of[0])) {
      List of;
      for (std::size_t i = 1; i < n.of.size(); ++i) of.push_back((*this)(n.of[i]));
      return method((*this)(n.of[0]), n.name, of);
    }
    if (n.of[0].name == "xacro" && n.name == "arg" && n.of.size() == 2)
      return around_.argument(text_of((*this)(n.of[1])));
    return called(n, 1);
  }

  static Value sliced(const Value& of, const Value& from, const Value& to) {
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

  const Surroundings& around_;
};

}  // namespace

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
      return std::get<std::string>(v);
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

Value evaluate(std::string_view expression, const Surroundings& around) {
  if (expression.size() > 100'000) fail("it is longer than 100000 characters");
  return Computer(around)(Reader(expression, around.steps).whole_text());
}

}  // namespace ulna::detail::xacro
