#include "print.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <tuple>

namespace ulna::equations {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int number_behind(char letter, const std::string& symbol) {
  if (symbol.size() < 2 || symbol[0] != letter || symbol[1] == '0' ||
      !std::all_of(symbol.begin() + 1, symbol.end(), is_digit) || symbol.size() > 4)
    return 0;
  return std::stoi(symbol.substr(1));
}

constexpr std::string_view greek[] = {"alpha", "beta",  "gamma",  "delta", "epsilon", "eta",
                                      "theta", "kappa", "lambda", "mu",    "nu",      "rho",
                                      "sigma", "tau",   "phi",    "chi",   "psi",     "omega"};

/// th2 -> 2; 0 for others.
int angle_number(const std::string& symbol) {
  return symbol.starts_with("th") ? number_behind('h', symbol.substr(1)) : 0;
}

/// th2 or thm2.
bool is_angle(const std::string& symbol) {
  return angle_number(symbol) ||
         (symbol.starts_with("thm") && number_behind('m', symbol.substr(2)));
}

/// "lc1" is l with c1 below, "phi1" is φ with 1 below, "th1" is θ with 1 below.
std::pair<std::string, std::string> letter_and_index(const std::string& symbol) {
  if (is_angle(symbol)) return {"\\theta", symbol.substr(2)};
  std::size_t letters = 1;
  for (const std::string_view word : greek)
    if (symbol.starts_with(word)) letters = word.size();
  std::string index = symbol.substr(letters);
  if (index.starts_with("_")) index.erase(0, 1);
  std::replace(index.begin(), index.end(), '_', ' ');
  return {(letters > 1 ? "\\" : "") + symbol.substr(0, letters), index};
}

std::string latex_index(const std::string& index) {
  if (index.empty()) return "";
  return index.size() == 1 ? "_" + index : "_{" + index + "}";
}

std::string raised(int n) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) text += digits[c - '0'];
  return text;
}

/// The parts of a sum as `written` has them, with signs between them.
template <class F>
std::string sum_of(const Sum& sum, F written) {
  std::string text;
  for (const Product& part : sum) {
    const std::string one = written(part);
    const bool negative = one.starts_with("-");
    text += text.empty() ? one : (negative ? " - " : " + ") + one.substr(negative ? 1 : 0);
  }
  return text;
}

/// The angle of a harmonic.
struct Angle {
  std::string sum;
  std::string numbers;  ///< "12" for th1 + th2
  bool plain = true;    ///< a sum of joint angles, each once, of one digit
};

/// With symbols as `written` has them, and multiples by the sign `times`.
template <class F>
Angle angle_of(const Harmonic& h, const char* times, F written) {
  Angle angle;
  for (const auto& [rank, multiple] : h.multiples) {
    const std::string symbol = name_of(rank);
    const int number = angle_number(symbol);
    angle.plain &= multiple == 1 && number > 0 && number < 10;
    angle.numbers += std::to_string(number);
    if (!angle.sum.empty()) angle.sum += multiple < 0 ? " - " : " + ";
    if (std::abs(multiple) != 1) angle.sum += std::to_string(std::abs(multiple)) + times;
    angle.sum += written(symbol);
  }
  return angle;
}

/// The first and the last place of the factors in a sum.
std::pair<int, int> places_in(const Sum& sum) {
  int first = 1 << 30, last = 0;
  const auto include = [&](int from, int to) {
    first = std::min(first, from), last = std::max(last, to);
  };
  for (const Product& part : sum) {
    for (const auto& [f, n] : part.factors) include(f.place, f.place);
    for (const auto& [inner, n] : part.sums) std::apply(include, places_in(inner));
  }
  return {first, last};
}

/// A sum of parameters or of velocities stands behind those of its kind, whose places share a
/// thousand; any other behind parameters.
int place_of(const Sum& sum) {
  constexpr int coordinates_begin = 5000;
  const auto [first, last] = places_in(sum);
  const bool mixed = first < coordinates_begin && last >= coordinates_begin;
  return mixed ? coordinates_begin - 1 : first / 1000 * 1000 + 999;
}

std::string c_number(const GiNaC::numeric& x) {
  const auto real = [](double value) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    std::string made(text, end);
    if (made.find_first_of(".en") == made.npos) made += ".0";
    return made;
  };
  if (x.is_integer() || x.denom() > 1000) return real(x.to_double());
  return real(x.numer().to_double()) + "/" + real(x.denom().to_double());
}

std::string times(const std::string& base, int n) {
  std::string text = base;
  for (int i = 1; i < std::abs(n); ++i) text += "*" + base;
  return text;
}

}  // namespace

int velocity_number(const std::string& symbol) { return number_behind('v', symbol); }
int motor_velocity_number(const std::string& symbol) { return number_behind('w', symbol); }
int acceleration_number(const std::string& symbol) { return number_behind('a', symbol); }

std::string motor_coordinate(std::string coordinate) {
  return coordinate.insert(coordinate.find_first_of("123456789"), "m");
}

std::string Printer::name(const std::string& symbol, bool rate) const {
  if (notation == Notation::ascii) return symbol + (rate ? "'" : "");
  const auto [letter, index] = letter_and_index(symbol);
  if (notation == Notation::latex)
    return (rate ? "\\dot{" + letter + "}" : letter) + latex_index(index);
  const std::string written = is_angle(symbol) ? "θ" : letter == "\\phi" ? "φ" : "";
  if (rate) return (written.empty() ? letter : written) + "\u0307" + index;
  return written.empty() ? symbol : written + index;
}

std::string Printer::power(const std::string& base, int n) const {
  if (n == 1) return base;
  if (notation == Notation::unicode) return base + raised(n);
  const std::string digits = std::to_string(n);
  if (notation == Notation::ascii) return base + "^" + (n < 0 ? "(" + digits + ")" : digits);
  return base + "^" + (n >= 0 && n < 10 ? digits : "{" + digits + "}");
}

std::string Printer::harmonic(const Harmonic& h, int n) const {
  const auto [sum, numbers, plain] =
      angle_of(h, times(), [this](const std::string& symbol) { return name(symbol); });
  if (short_names && plain)
    return power(
        (h.sine ? "S" : "C") + (notation == Notation::latex ? latex_index(numbers) : numbers), n);
  const std::string function = h.sine ? "sin" : "cos", brackets = "(" + sum + ")";
  if (notation == Notation::ascii) return power(function + brackets, n);
  if (notation == Notation::unicode) return power(function, n) + brackets;
  const bool single = h.multiples.size() == 1 && h.multiples[0].second == 1;
  return "\\" + power(function, n) + (single ? sum : brackets);
}

std::string Printer::factor(const Factor& f, int n) const {
  if (f.is_harmonic()) return harmonic(f.harmonic, n);
  const std::string symbol = name_of(f.rank);
  if (const int v = velocity_number(symbol)) return power(name(coordinates[v - 1], true), n);
  if (const int w = motor_velocity_number(symbol))
    return power(name(motor_coordinate(coordinates[w - 1]), true), n);
  return power(name(symbol), n);
}

std::string Printer::number(const GiNaC::numeric& x) const {
  const auto whole = [](const auto& n) {
    std::ostringstream text;
    text << n;
    return text.str();
  };
  if (!fractions || x.denom() > 10'000) return whole(x.to_double());  // six digits
  if (x.is_integer()) return whole(x);
  if (notation == Notation::latex)
    return "\\frac{" + whole(x.numer()) + "}{" + whole(x.denom()) + "}";
  return whole(x.numer()) + "/" + whole(x.denom());
}

std::string Printer::operator()(const Product& p) const {
  if (p.number.is_zero()) return "0";
  std::vector<std::pair<int, std::string>> written;
  const bool alone = p.factors.empty() && p.sums.size() == 1 && p.sums[0].second == 1;
  const bool bare = alone && p.number == 1;
  for (const auto& [f, n] : p.factors) written.emplace_back(f.place, factor(f, n));
  for (const auto& [s, n] : p.sums) {
    std::string text = sum_of(s, *this);
    if (!bare)
      text = notation == Notation::latex ? "\\left(" + text + "\\right)" : "(" + text + ")";
    written.emplace_back(place_of(s), power(text, n));
  }
  std::ranges::stable_sort(written, {}, &std::pair<int, std::string>::first);

  std::string text = p.number.is_negative() ? "-" : "";
  const GiNaC::numeric magnitude = abs(p.number);
  if (written.empty() || magnitude != 1) text += number(magnitude);
  for (const auto& [place, part] : written) {
    if (!text.empty() && text != "-") text += times();
    text += part;
  }
  return text;
}

std::string CPrinter::harmonic(const Harmonic& h) {
  std::string& name = harmonics[h];
  if (!name.empty()) return name;
  const auto [sum, numbers, plain] = angle_of(h, ".0*", variable);
  name = (h.sine ? "s" : "c") + (plain ? numbers : "_" + std::to_string(harmonics.size()));
  declarations += "  const double " + name + " = " + (h.sine ? "sin(" : "cos(") + sum + ");\n";
  return name;
}

std::string CPrinter::operator()(const Product& p) {
  if (p.number.is_zero()) return "0.0";
  std::vector<std::string> parts;
  std::string below;
  const GiNaC::numeric magnitude = abs(p.number);
  if (magnitude != 1) parts.push_back(c_number(magnitude));
  for (const auto& [f, n] : p.factors) {
    const std::string base = f.is_harmonic() ? harmonic(f.harmonic) : variable(name_of(f.rank));
    if (n > 0)
      parts.push_back(times(base, n));
    else
      below += "/(" + times(base, n) + ")";
  }
  const bool bare = parts.empty() && below.empty() && p.sums.size() == 1 && p.sums[0].second == 1 &&
                    !p.number.is_negative();
  for (const auto& [s, n] : p.sums) {
    const std::string text = sum_of(s, std::ref(*this));
    if (bare) return text;
    parts.push_back(times("(" + text + ")", n));
  }
  std::string text = p.number.is_negative() ? "-" : "";
  if (parts.empty()) parts.emplace_back("1.0");
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i ? "*" : "") + parts[i];
  return text + below;
}

}  // namespace ulna::equations
