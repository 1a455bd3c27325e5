#include "symbolic.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
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
using GiNaC::ex_to;
using GiNaC::numeric;

struct SymbolTable {
  std::map<std::string, int, std::less<>> ranks;
  std::deque<GiNaC::symbol> symbols;  // which stay where they are
  std::map<ex, int, GiNaC::ex_is_less> rank_of;
};

void add(SymbolTable& t, std::string_view name) {
  const int rank = static_cast<int>(t.symbols.size());
  t.symbols.emplace_back(std::string(name));
  t.rank_of.emplace(t.symbols.back(), rank);
  t.ranks.emplace(name, rank);
}

/// Coordinates come first and in their order, so that sums of angles look the same whatever was
/// worked on before.
SymbolTable& table() {
  thread_local SymbolTable made = [] {
    SymbolTable t;
    for (int i = 1; i <= 30; ++i) add(t, "th" + std::to_string(i)), add(t, "d" + std::to_string(i));
    return t;
  }();
  return made;
}

thread_local Budget* budget = nullptr;

std::string shown(const ex& e) {
  std::ostringstream text;
  text << e;
  const std::string all = text.str();
  return all.size() <= 60 ? all : all.substr(0, 57) + "...";
}
std::string shown(const Symbolic& x) { return shown(x.expression()); }

std::size_t monomials(const ex& coefficient) {
  return GiNaC::is_a<GiNaC::add>(coefficient) ? coefficient.nops() : 1;
}

ex argument(const Harmonic& h) {
  ex sum = 0;
  for (const auto& [rank, n] : h.multiples) sum += n * symbol_of_rank(rank);
  return sum;
}

/// GiNaC's parser calls itself for each bracket, has functions such as factorial, and computes powers
/// of numbers at once: what could take for ever is refused beforehand.
void require_harmless(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("'" + text.substr(0, 60) +
                                "' cannot be read as an expression: " + why);
  };
  if (text.size() > 2000) refuse("it has more than 2000 letters");
  const auto is = [](char c, const char* set) { return c != 0 && std::strchr(set, c) != nullptr; };
  const auto letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::vector<bool> has_power{false};  // for each open bracket
  bool closed_with_power = false;      // of the bracket just closed
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (letter(c)) {
      std::size_t end = i;
      while (end < text.size() && (letter(text[end]) || digit(text[end]) || text[end] == '_'))
        ++end;
      const std::string name = text.substr(i, end - i);
      if (name != "sin" && name != "cos" && !table().ranks.contains(name))
        refuse("'" + name + "' is unknown");
      const std::size_t next = text.find_first_not_of(' ', end);
      if (name != "sin" && name != "cos" && next != text.npos && text[next] == '(')
        refuse("'" + name + "' is no function");
      i = end - 1;
    } else if (c == '(') {
      has_power.push_back(false);
      if (has_power.size() > 50) refuse("more than 50 brackets within each other");
    } else if (c == ')') {
      if (has_power.size() == 1) refuse("a bracket is closed that was not opened");
      closed_with_power = has_power.back();
      has_power.pop_back();
      if (closed_with_power) has_power.back() = true;
    } else if (c == '^') {
      const std::size_t before = i ? text.find_last_not_of(' ', i - 1) : text.npos;
      const std::size_t after = text.find_first_not_of(' ', i + 1);
      const std::size_t behind =
          after == text.npos ? after : text.find_first_not_of(' ', after + 1);
      if (after == text.npos || !digit(text[after]) ||
          (behind != text.npos && (digit(text[behind]) || is(text[behind], ".^"))))
        refuse("powers are from 0 to 9");
      if (before != text.npos && text[before] == ')' && closed_with_power)
        refuse("a power of a power");
      has_power.back() = true;
    } else if (!digit(c) && !is(c, " .+-*/")) {
      refuse(std::string("'") + c + "' has no meaning here");
    }
  }
}

}  // namespace

Budget::Budget(std::size_t products, std::size_t terms, double seconds)
    : products_(products),
      terms_(terms),
      end_(std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(seconds))),
      outer_(budget) {
  budget = this;
}

Budget::~Budget() { budget = outer_; }

void Budget::spend(std::size_t products) {
  if (!budget) return;
  if (products > budget->products_) throw TooMuchWork("more products of terms than allowed");
  budget->products_ -= products;
  if (products && std::chrono::steady_clock::now() > budget->end_)
    throw TooMuchWork("more time than allowed");
}

void Budget::require_terms(std::size_t terms) {
  if (budget && terms > budget->terms_)
    throw TooMuchWork("an expression of " + std::to_string(terms) + " terms, more than allowed");
}

Harmonic combined(const Harmonic& a, const Harmonic& b, int sign, bool& turned) {
  Harmonic made;
  auto j = b.multiples.begin();
  const auto end = b.multiples.end();
  for (const auto& [rank, n] : a.multiples) {
    for (; j != end && j->first < rank; ++j) made.multiples.emplace_back(j->first, sign * j->second);
    const int sum = j != end && j->first == rank ? n + sign * j++->second : n;
    if (sum) made.multiples.emplace_back(rank, sum);
  }
  for (; j != end; ++j) made.multiples.emplace_back(j->first, sign * j->second);
  turned = !made.multiples.empty() && made.multiples.front().second < 0;
  if (turned)
    for (auto& [rank, n] : made.multiples) n = -n;
  return made;
}

const GiNaC::symbol& symbol_named(std::string_view name) {
  SymbolTable& t = table();
  if (!t.ranks.contains(name)) add(t, name);
  return symbol_of_rank(t.ranks.find(name)->second);
}

int rank_of(const GiNaC::symbol& symbol) {
  const auto found = table().rank_of.find(symbol);
  if (found == table().rank_of.end())
    throw std::domain_error("symbol '" + symbol.get_name() + "' is not one of symbol_named()");
  return found->second;
}

const GiNaC::symbol& symbol_of_rank(int rank) { return table().symbols[rank]; }

GiNaC::numeric decimal(double x) {
  if (!std::isfinite(x)) throw std::domain_error("a number that is not finite has no expression");
  char buffer[40];
  char* end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(x), std::chars_format::scientific).ptr;
  const std::string text(buffer, end);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  std::erase(digits, '.');
  const long exponent = std::stol(text.substr(e + 1)) - (static_cast<long>(digits.size()) - 1);
  const numeric magnitude = numeric(digits.c_str()) * numeric(10).power(numeric(exponent));
  return x < 0.0 ? -magnitude : magnitude;
}

double tidy(double x) {
  if (x == 0.0) return 0.0;
  const double scale = std::pow(10.0, 13.0 - std::floor(std::log10(std::abs(x))));
  return std::isfinite(scale) ? std::round(x * scale) / scale : x;
}

Symbolic::Symbolic(double x) {
  if (x != 0.0) terms_.emplace(Harmonic{}, decimal(x));
}

Symbolic Symbolic::symbol(std::string_view name) {
  Symbolic made;
  made.terms_.emplace(Harmonic{}, symbol_named(name));
  return made;
}

Symbolic Symbolic::from(const ex& e) {
  if (GiNaC::is_a<numeric>(e) || GiNaC::is_a<GiNaC::symbol>(e)) {
    if (GiNaC::is_a<numeric>(e) && !ex_to<numeric>(e).is_rational())
      return tidy(ex_to<numeric>(e).to_double());  // written with a point
    if (GiNaC::is_a<GiNaC::symbol>(e)) (void)rank_of(ex_to<GiNaC::symbol>(e));
    Symbolic made;
    made.add({}, e);
    return made;
  }
  if (GiNaC::is_a<GiNaC::add>(e) || GiNaC::is_a<GiNaC::mul>(e)) {
    const bool sum = GiNaC::is_a<GiNaC::add>(e);
    Symbolic made(sum ? 0.0 : 1.0);
    for (const ex& part : e) sum ? made += from(part) : made *= from(part);
    return made;
  }
  if (GiNaC::is_a<GiNaC::power>(e) && e.op(1).info(GiNaC::info_flags::integer)) {
    const int n = ex_to<numeric>(e.op(1)).to_int();
    if (std::abs(n) > 100) throw std::domain_error("a power beyond 100");
    const Symbolic base = from(e.op(0));
    Symbolic made(1.0);
    for (int i = 0; i < std::abs(n); ++i) made *= base;
    return n < 0 ? Symbolic(1.0) / made : made;
  }
  if (GiNaC::is_the_function<GiNaC::cos_SERIAL>(e)) return cos(from(e.op(0)));
  if (GiNaC::is_the_function<GiNaC::sin_SERIAL>(e)) return sin(from(e.op(0)));
  throw std::domain_error("'" + shown(e) +
                          "' is no sum of products of numbers, symbols, sines and cosines");
}

Symbolic Symbolic::parse(const std::string& text) {
  require_harmless(text);
  GiNaC::symtab known;
  for (const GiNaC::symbol& s : table().symbols) known[s.get_name()] = s;
  GiNaC::parser reader(known, true);
  try {
    return from(reader(text));
  } catch (const TooMuchWork&) {
    throw;
  } catch (const std::exception& e) {
    throw std::invalid_argument("'" + text + "' cannot be read as an expression: " + e.what());
  }
}

std::size_t Symbolic::size() const {
  std::size_t n = 0;
  for (const auto& [h, coefficient] : terms_) n += monomials(coefficient);
  return n;
}

GiNaC::ex Symbolic::expression() const {
  ex sum = 0;
  for (const auto& [h, coefficient] : terms_) {
    const ex angle = argument(h);
    sum += h.sine ? coefficient * GiNaC::sin(angle) : coefficient * GiNaC::cos(angle);
  }
  return sum;
}

std::vector<std::string> Symbolic::symbols() const {
  std::set<int> ranks;
  for (const auto& [h, coefficient] : terms_) {
    for (const auto& [rank, n] : h.multiples) ranks.insert(rank);
    for (auto i = coefficient.preorder_begin(); i != coefficient.preorder_end(); ++i)
      if (GiNaC::is_a<GiNaC::symbol>(*i)) ranks.insert(rank_of(ex_to<GiNaC::symbol>(*i)));
  }
  std::vector<std::string> names;
  for (const int rank : ranks) names.push_back(symbol_of_rank(rank).get_name());
  return names;
}

Symbolic Symbolic::replaced(const std::map<std::string, Symbolic>& by) const {
  GiNaC::exmap replace;
  for (const auto& [name, value] : by) replace[symbol_named(name)] = value.expression();
  Symbolic made;
  for (const auto& [h, coefficient] : terms_) {
    const Symbolic angle = from(argument(h).subs(replace, GiNaC::subs_options::no_pattern));
    made += from(coefficient.subs(replace, GiNaC::subs_options::no_pattern).expand()) *
            (h.sine ? sin(angle) : cos(angle));
  }
  return made;
}

double Symbolic::value(const std::map<std::string, double>& symbols) const {
  GiNaC::exmap replace;
  for (const auto& [name, value] : symbols) replace[symbol_named(name)] = numeric(value);
  const auto number_of = [&](const ex& e) {
    const ex got = e.subs(replace, GiNaC::subs_options::no_pattern).evalf();
    if (!GiNaC::is_a<numeric>(got)) throw std::invalid_argument("a symbol has no value");
    return ex_to<numeric>(got).to_double();
  };
  double sum = 0.0;
  for (const auto& [h, coefficient] : terms_) {
    const double angle = number_of(argument(h));
    sum += number_of(coefficient) * (h.sine ? std::sin(angle) : std::cos(angle));
  }
  return sum;
}

void Symbolic::add(const Harmonic& h, const ex& coefficient) {
  if (coefficient.is_zero()) return;
  const auto [at, fresh] = terms_.try_emplace(h, coefficient);
  if (fresh) return;
  at->second += coefficient;
  if (at->second.is_zero()) terms_.erase(at);
}

Symbolic& Symbolic::operator+=(const Symbolic& y) {
  if (&y == this) return *this = *this * Symbolic(2.0);
  for (const auto& [h, coefficient] : y.terms_) add(h, coefficient);
  return *this;
}

Symbolic operator-(const Symbolic& x) {
  Symbolic made;
  for (const auto& [h, coefficient] : x.terms_) made.terms_.emplace(h, (-coefficient).expand());
  return made;
}

Symbolic operator*(const Symbolic& x, const Symbolic& y) {
  if (x.is_zero() || y.is_zero()) return {};
  Budget::spend(x.size() * y.size());
  Symbolic made;
  for (const auto& [a, left] : x.terms_)
    for (const auto& [b, right] : y.terms_) {
      const ex product = (left * right).expand();
      if (a.multiples.empty() || b.multiples.empty()) {
        made.add(a.multiples.empty() ? b : a, product);
        continue;
      }
      // 2 cos a cos b = cos(a-b) + cos(a+b), 2 sin a sin b = cos(a-b) - cos(a+b),
      // 2 sin a cos b = sin(a+b) + sin(a-b)
      bool turned_sum = false, turned_difference = false;
      Harmonic sum = combined(a, b, 1, turned_sum);
      Harmonic difference = combined(a, b, -1, turned_difference);
      const ex half = (product / 2).expand();
      sum.sine = difference.sine = a.sine != b.sine;
      bool minus_sum = a.sine && b.sine, minus_difference = false;
      if (sum.sine) {
        minus_sum = turned_sum;
        minus_difference = turned_difference != b.sine;
      }
      made.add(sum, minus_sum ? -half : half);
      if (!(difference.sine && difference.multiples.empty()))
        made.add(difference, minus_difference ? -half : half);
    }
  Budget::require_terms(made.size());
  return made;
}

Symbolic operator/(const Symbolic& x, const Symbolic& y) {
  if (y.is_zero()) throw std::domain_error("a division by zero");
  const ex* const divisor = y.polynomial();
  if (!divisor || GiNaC::is_a<GiNaC::add>(*divisor))
    throw std::domain_error("a division by the sum '" + shown(y) + "'");
  Symbolic made;
  for (const auto& [h, coefficient] : x.terms_) made.add(h, (coefficient / *divisor).expand());
  return made;
}

Symbolic sqrt(const Symbolic& x) {
  if (const ex* const square = x.polynomial()) {
    const ex root = GiNaC::sqrt(*square);
    if (root.info(GiNaC::info_flags::rational)) return Symbolic::from(root);
  }
  return std::sqrt(Symbolic::number(x, "sqrt"));
}

const ex* Symbolic::polynomial() const {
  const bool plain = terms_.size() == 1 && terms_.begin()->first.multiples.empty();
  return plain ? &terms_.begin()->second : nullptr;
}

int Symbolic::sign(const Symbolic& x, const char* operation) {
  const double value = number(x, operation);
  return value < 0.0 ? -1 : value > 0.0 ? 1 : 0;
}

double Symbolic::number(const Symbolic& x, const char* operation) {
  if (x.is_zero()) return 0.0;
  if (const ex* const polynomial = x.polynomial()) {
    const ex value = polynomial->evalf();
    if (GiNaC::is_a<numeric>(value)) return ex_to<numeric>(value).to_double();
  }
  throw std::domain_error(std::string(operation) + " of '" + shown(x) +
                          "' cannot be decided: it is not a number");
}

Symbolic Symbolic::harmonic(const Symbolic& angle, bool sine) {
  if (angle.is_zero()) return sine ? 0.0 : 1.0;
  const auto refuse = [&] {
    return std::domain_error((sine ? "the sine of '" : "the cosine of '") + shown(angle) +
                             "', which is no sum of whole multiples of symbols");
  };
  const ex* const sum = angle.polynomial();
  if (!sum) throw refuse();

  std::map<int, int> multiples;
  double phase = 0.0;
  const auto take = [&](const ex& term) {
    ex n = 1, s = term;
    if (GiNaC::is_a<GiNaC::mul>(term) && term.nops() == 2) n = term.op(1), s = term.op(0);
    if (GiNaC::is_a<numeric>(s)) std::swap(n, s);
    if (GiNaC::is_a<numeric>(term)) {
      phase = ex_to<numeric>(term).to_double();
    } else if (GiNaC::is_a<GiNaC::symbol>(s) && n.info(GiNaC::info_flags::integer) &&
               abs(ex_to<numeric>(n)) < 1000) {
      multiples[rank_of(ex_to<GiNaC::symbol>(s))] += ex_to<numeric>(n).to_int();
    } else {
      throw refuse();
    }
  };
  for_each_operand<GiNaC::add>(*sum, take);

  bool turned = false;
  Harmonic h = combined({}, {{multiples.begin(), multiples.end()}, false}, 1, turned);
  Symbolic c(1.0), s(0.0);
  if (!h.multiples.empty()) {
    c = {}, c.add(h, 1);
    h.sine = true;
    s = {}, s.add(h, turned ? -1 : 1);
  }
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
