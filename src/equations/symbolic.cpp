#include "symbolic.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <set>
#include <sstream>

#if defined(__SANITIZE_ADDRESS__)
// GiNaC and CLN keep a few bytes of their own for ever, which is not for the leak check to find.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_options();
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
extern "C" const char* __lsan_default_suppressions() { return "leak:libginac\nleak:libcln\n"; }
#endif

namespace ulna::equations {
namespace {

using GiNaC::ex;
using GiNaC::numeric;

struct SymbolTable {
  std::map<std::string, int, std::less<>> ranks;
  std::vector<GiNaC::symbol> symbols;

  int rank(const std::string& name) {
    const auto [at, is_new] = ranks.try_emplace(name, int(symbols.size()));
    if (is_new) symbols.emplace_back(name);
    return at->second;
  }
};

/// Coordinates come first and in their order, so that sums of angles always look the same.
SymbolTable& table() {
  thread_local SymbolTable made = [] {
    SymbolTable t;
    for (int i = 1; i <= 30; ++i) t.rank("th" + std::to_string(i)), t.rank("d" + std::to_string(i));
    return t;
  }();
  return made;
}

std::string shown(const Symbolic& x) {
  std::ostringstream text;
  text << x.expression();
  const std::string all = text.str();
  return all.size() <= 60 ? all : all.substr(0, 57) + "...";
}

/// a + b or a - b
Multiples sum(const Multiples& a, const Multiples& b, int sign = 1) {
  Multiples made;
  made.reserve(a.size() + b.size());
  auto j = b.begin();
  for (const auto& [rank, n] : a) {
    for (; j != b.end() && j->first < rank; ++j) made.emplace_back(j->first, sign * j->second);
    const int total = j != b.end() && j->first == rank ? n + sign * j++->second : n;
    if (total) made.emplace_back(rank, total);
  }
  for (; j != b.end(); ++j) made.emplace_back(j->first, sign * j->second);
  return made;
}

/// Reads sums of products of powers by recursive descent, and refuses what could take for ever.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {
    if (text.size() > 2000) refuse("it has more than 2000 letters");
  }

  Symbolic all() {
    const Symbolic made = sum();
    if (next()) refuse("'" + std::string(rest_.substr(0, 20)) + "' has no meaning here");
    return made;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw std::domain_error(why); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

  /// The next letter that is not a space, 0 at the end.
  char next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Symbolic sum() {
    Symbolic made = product();
    while (next() == '+' || next() == '-') made += product();  // which takes its sign
    return made;
  }

  Symbolic product() {
    Symbolic made = power();
    for (;;) {
      if (take('*'))
        made *= power();
      else if (take('/'))
        made /= power();
      else
        return made;
    }
  }

  Symbolic power() {
    if (take('-')) return -power();
    if (take('+')) return power();
    const std::string_view before = rest_;
    const Symbolic base = operand();
    const std::string_view text = before.substr(0, before.size() - rest_.size());
    if (!take('^')) return base;
    if (text.find('^') != text.npos) refuse("a power of a power");
    const char n = next();
    if (is_digit(n)) rest_.remove_prefix(1);
    if (!is_digit(n) || is_digit(next()) || next() == '.' || next() == '^')
      refuse("powers are from 0 to 9");
    Symbolic made(1.0);
    for (int i = 0; i < n - '0'; ++i) made *= base;
    return made;
  }

  Symbolic in_brackets() {
    if (++depth_ > 50) refuse("more than 50 nested brackets");
    const Symbolic made = sum();
    if (!take(')')) refuse("a bracket is not closed");
    --depth_;
    return made;
  }

  Symbolic operand() {
    if (take('(')) return in_brackets();
    if (is_letter(next())) {
      const auto end = std::ranges::find_if_not(
          rest_, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
      const std::string name(rest_.begin(), end);
      rest_.remove_prefix(name.size());
      const bool is_function = name == "sin" || name == "cos";
      if (!is_function && !table().ranks.contains(name)) refuse("'" + name + "' is unknown");
      if (take('(') != is_function)
        refuse("'" + name + (is_function ? "' needs an argument" : "' is not a function"));
      if (!is_function) return Symbolic::symbol(name);
      return name == "sin" ? sin(in_brackets()) : cos(in_brackets());
    }
    double number = 0.0;
    const auto [end, error] = std::from_chars(rest_.begin(), rest_.end(), number);
    if (error != std::errc{})
      refuse(rest_.empty() ? "it ends too early" : "no number at '" + std::string(rest_) + "'");
    rest_.remove_prefix(std::size_t(end - rest_.begin()));
    return number;
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

void Budget::spend(std::size_t products) {
  if (!current_) return;
  if (products > current_->products_) throw TooMuchWork("more products of terms than allowed");
  current_->products_ -= products;
  if (products && cpu_seconds() - current_->begin_ > current_->seconds_)
    throw TooMuchWork("more computing time than allowed");
}

void Budget::require_terms(std::size_t terms) {
  if (current_ && terms > current_->terms_)
    throw TooMuchWork("an expression of " + std::to_string(terms) + " terms, more than allowed");
}

Harmonic combined(const Harmonic& a, const Harmonic& b, int sign, bool& turned) {
  Harmonic made{sum(a.multiples, b.multiples, sign)};
  turned = !made.multiples.empty() && made.multiples.front().second < 0;
  if (turned)
    for (auto& [rank, n] : made.multiples) n = -n;
  return made;
}

int rank_of(std::string_view name) { return table().rank(std::string(name)); }

std::string name_of(int rank) { return table().symbols[rank].get_name(); }

numeric decimal(double x) {
  if (!std::isfinite(x)) throw std::domain_error("a number that is not finite has no expression");
  char buffer[40];
  char* const end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(x), std::chars_format::scientific).ptr;
  const std::string text(buffer, end);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  std::erase(digits, '.');
  const long exponent = std::stol(text.substr(e + 1)) - (long(digits.size()) - 1);
  const numeric magnitude = numeric(digits.c_str()) * numeric(10).power(numeric(exponent));
  return x < 0.0 ? -magnitude : magnitude;
}

double tidy(double x) {
  if (x == 0.0) return 0.0;
  const double scale = std::pow(10.0, 13.0 - std::floor(std::log10(std::abs(x))));
  return std::isfinite(scale) ? std::round(x * scale) / scale : x;
}

Symbolic Symbolic::symbol(std::string_view name) {
  Symbolic made;
  made.add({{}, {{rank_of(name), 1}}}, 1);
  return made;
}

Symbolic Symbolic::parse(const std::string& text) {
  try {
    return Parser(text).all();
  } catch (const std::domain_error& e) {
    throw std::invalid_argument("'" + text.substr(0, 60) +
                                "' cannot be read as an expression: " + e.what());
  }
}

template <class T, class F>
T Symbolic::evaluated(F value_of) const {
  using std::sin, std::cos;
  T total(0);
  for (const auto& [product, number] : terms_) {
    T term = 1, angle = 0;
    if constexpr (std::is_same_v<T, double>)
      term = number.to_double();
    else
      term = T(number);
    for (const auto& [rank, n] : product.powers) {
      const T value = value_of(rank);
      for (int i = 0; i < std::abs(n); ++i) n > 0 ? term *= value : term /= value;
    }
    for (const auto& [rank, n] : product.harmonic.multiples) angle += T(n) * value_of(rank);
    total += term * (product.harmonic.sine ? sin(angle) : cos(angle));
  }
  return total;
}

ex Symbolic::expression() const {
  return evaluated<ex>([](int rank) { return table().symbols[rank]; });
}

std::vector<std::string> Symbolic::symbols() const {
  std::set<int> ranks;
  for (const auto& [product, number] : terms_)
    for (const Multiples* multiples : {&product.harmonic.multiples, &product.powers})
      for (const auto& [rank, n] : *multiples) ranks.insert(rank);
  std::vector<std::string> names;
  for (const int rank : ranks) names.push_back(name_of(rank));
  return names;
}

Symbolic Symbolic::replaced(const std::map<std::string, Symbolic>& by) const {
  return evaluated<Symbolic>([&](int rank) {
    const std::string name = name_of(rank);
    const auto found = by.find(name);
    return found == by.end() ? symbol(name) : found->second;
  });
}

double Symbolic::value(const std::map<std::string, double>& symbols) const {
  return evaluated<double>([&](int rank) {
    const auto found = symbols.find(name_of(rank));
    if (found == symbols.end()) throw std::invalid_argument("a symbol has no value");
    return found->second;
  });
}

void Symbolic::add(const PowerProduct& product, const numeric& number) {
  if (number.is_zero()) return;
  const auto [at, is_new] = terms_.try_emplace(product, number);
  if (!is_new && (at->second += number).is_zero()) terms_.erase(at);
}

Symbolic& Symbolic::operator+=(const Symbolic& y) {
  for (const auto& [product, number] : y.terms_) add(product, number);
  return *this;
}

Symbolic operator-(const Symbolic& x) {
  Symbolic made = x;
  for (auto& [product, number] : made.terms_) number = -number;
  return made;
}

Symbolic operator*(const Symbolic& x, const Symbolic& y) {
  Budget::spend(x.size() * y.size());
  Symbolic made;
  for (const auto& [left, m] : x.terms_)
    for (const auto& [right, n] : y.terms_) {
      const Harmonic &a = left.harmonic, &b = right.harmonic;
      const Multiples powers = sum(left.powers, right.powers);
      if (a.multiples.empty() || b.multiples.empty()) {
        made.add({a.multiples.empty() ? b : a, powers}, m * n);
        continue;
      }
      // 2 cos a cos b = cos(a-b) + cos(a+b), 2 sin a sin b = cos(a-b) - cos(a+b),
      // 2 sin a cos b = sin(a+b) + sin(a-b)
      bool turned_sum = false, turned_difference = false;
      Harmonic total = combined(a, b, 1, turned_sum);
      Harmonic difference = combined(a, b, -1, turned_difference);
      const numeric half = m * n / 2;
      total.sine = difference.sine = a.sine != b.sine;
      bool minus_total = a.sine && b.sine, minus_difference = false;
      if (total.sine) {
        minus_total = turned_sum;
        minus_difference = turned_difference != b.sine;
      }
      made.add({total, powers}, minus_total ? -half : half);
      if (!(difference.sine && difference.multiples.empty()))
        made.add({difference, powers}, minus_difference ? -half : half);
    }
  Budget::require_terms(made.size());
  return made;
}

Symbolic operator/(const Symbolic& x, const Symbolic& y) {
  if (y.is_zero()) throw std::domain_error("a division by zero");
  const auto& [divisor, n] = *y.terms_.begin();
  if (y.size() > 1 || !divisor.harmonic.multiples.empty())
    throw std::domain_error("a division by the sum '" + shown(y) + "'");
  Symbolic made;
  for (const auto& [product, m] : x.terms_)
    made.add({product.harmonic, sum(product.powers, divisor.powers, -1)}, m / n);
  return made;
}

Symbolic sqrt(const Symbolic& x) {
  const double root = std::sqrt(Symbolic::number(x, "sqrt"));
  if (x.is_zero()) return x;
  const numeric exact = GiNaC::sqrt(x.terms_.begin()->second);
  return exact.is_rational() ? Symbolic(exact) : Symbolic(root);
}

int Symbolic::sign(const Symbolic& x, const char* operation) {
  const double value = number(x, operation);
  return value < 0.0 ? -1 : value > 0.0 ? 1 : 0;
}

double Symbolic::number(const Symbolic& x, const char* operation) {
  if (x.is_zero()) return 0.0;
  const auto& [product, number] = *x.terms_.begin();
  if (x.size() == 1 && product == PowerProduct{}) return number.to_double();
  throw std::domain_error(std::string(operation) + " of '" + shown(x) +
                          "' cannot be evaluated: it is not a number");
}

Symbolic Symbolic::harmonic(const Symbolic& angle, bool sine) {
  Multiples multiples;
  double phase = 0.0;
  for (const auto& [product, number] : angle.terms_) {
    const Multiples& powers = product.powers;
    if (product == PowerProduct{})
      phase = number.to_double();
    else if (product.harmonic.multiples.empty() && powers.size() == 1 && powers[0].second == 1 &&
             number.is_integer() && abs(number) < 1000)
      multiples.emplace_back(powers[0].first, number.to_int());
    else
      throw std::domain_error((sine ? "the sine of '" : "the cosine of '") + shown(angle) +
                              "', which is not a sum of integer multiples of symbols");
  }

  bool turned = false;
  Harmonic h = combined({multiples}, {}, 1, turned);
  Symbolic c, s;
  c.add({h, {}}, 1);
  h.sine = true;
  if (!multiples.empty()) s.add({h, {}}, turned ? -1 : 1);
  if (phase == 0.0) return sine ? s : c;
  // the sine and cosine of right angles are whole numbers
  const auto exact = [](double x) {
    const double whole = std::round(x);
    return Symbolic(std::abs(x - whole) < 1e-14 ? whole : x);
  };
  const Symbolic pc = exact(std::cos(phase)), ps = exact(std::sin(phase));
  return sine ? s * pc + c * ps : c * pc - s * ps;
}

}  // namespace ulna::equations
