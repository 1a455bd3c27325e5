#pragma once

#include <ginac/ginac.h>

#include <chrono>
#include <compare>
#include <map>
#include <string_view>
#include <vector>

#include "ulna/num/eigen.hpp"
#include "ulna/num/scalar.hpp"

/// A number that is an expression, always in normal form:
///
///     x = Σ a_k cos(n_k'θ) + Σ b_k sin(n_k'θ)
///
/// a Fourier polynomial in the angles θ with whole multiples n_k, whose coefficients are expanded
/// polynomials in all other symbols. Products of sines and cosines become sines and cosines of sums
/// the moment they arise, so sin² + cos² = 1 and cos θ1 cos θ2 - sin θ1 sin θ2 = cos(θ1 + θ2) need no
/// rule: equal expressions have the same terms. A Scalar, so that the text of an algorithm can be run
/// on symbols.
namespace ulna::equations {

/// More work than allowed was needed.
struct TooMuchWork : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What symbolic work may cost while it is alive, in this thread. Every product of two terms counts,
/// so the end comes at the same place on every machine unless time runs out before.
class Budget {
 public:
  Budget(std::size_t products, std::size_t terms, double seconds);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// Throws TooMuchWork if this much is not left.
  static void spend(std::size_t products);
  static void require_terms(std::size_t terms);

 private:
  std::size_t products_, terms_;
  std::chrono::steady_clock::time_point end_;
  Budget* outer_;
};

/// cos(n'θ) or sin(n'θ). Angles are named by the rank of their symbol, ascending; the first multiple
/// is positive, and cos of nothing is 1.
struct Harmonic {
  std::vector<std::pair<int, int>> multiples;
  bool sine = false;
  std::strong_ordering operator<=>(const Harmonic&) const = default;
};

/// The angle n'θ ± m'θ with its first multiple positive; `turned` is set if that changed its sign.
Harmonic combined(const Harmonic& a, const Harmonic& b, int sign, bool& turned);

class Symbolic {
 public:
  using Real = double;
  using Terms = std::map<Harmonic, GiNaC::ex>;

  Symbolic() = default;
  /// Exactly the decimal number that a person would write for x: 0.1 is 1/10.
  Symbolic(double x);  // NOLINT: a constant is a number
  /// The symbol of this name, the same one for each call.
  static Symbolic symbol(std::string_view name);
  /// Made of numbers, symbols, sums, products, whole powers, sines and cosines of whole multiples of
  /// symbols; throws std::domain_error for anything else.
  static Symbolic from(const GiNaC::ex& expression);
  /// Throws std::invalid_argument for what cannot be read as an expression of known symbols.
  static Symbolic parse(const std::string& text);

  const Terms& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  /// How many monomials it has.
  std::size_t size() const;
  /// As one expression of GiNaC's.
  GiNaC::ex expression() const;
  /// The symbols of these names replaced.
  Symbolic replaced(const std::map<std::string, Symbolic>& by) const;
  double value(const std::map<std::string, double>& symbols) const;
  /// The names of the symbols in it.
  std::vector<std::string> symbols() const;

  Symbolic& operator+=(const Symbolic& y);
  Symbolic& operator-=(const Symbolic& y) { return *this += -y; }
  Symbolic& operator*=(const Symbolic& y) { return *this = *this * y; }
  Symbolic& operator/=(const Symbolic& y) { return *this = *this / y; }
  friend Symbolic operator-(const Symbolic& x);
  friend Symbolic operator+(Symbolic x, const Symbolic& y) { return x += y; }
  friend Symbolic operator-(Symbolic x, const Symbolic& y) { return x -= y; }
  friend Symbolic operator*(const Symbolic& x, const Symbolic& y);
  /// By a number or a product of symbols; throws std::domain_error for a sum.
  friend Symbolic operator/(const Symbolic& x, const Symbolic& y);

  // decided between numbers; of symbols, std::domain_error names the operation
  friend bool operator<(const Symbolic& x, const Symbolic& y) { return sign(x - y, "<") < 0; }
  friend bool operator>(const Symbolic& x, const Symbolic& y) { return sign(x - y, ">") > 0; }
  friend bool operator<=(const Symbolic& x, const Symbolic& y) { return sign(x - y, "<=") <= 0; }
  friend bool operator>=(const Symbolic& x, const Symbolic& y) { return sign(x - y, ">=") >= 0; }
  friend bool operator==(const Symbolic& x, const Symbolic& y) { return (x - y).is_zero(); }

  friend Symbolic sin(const Symbolic& x) { return harmonic(x, true); }
  friend Symbolic cos(const Symbolic& x) { return harmonic(x, false); }
  friend Symbolic sqrt(const Symbolic& x);
  friend Symbolic abs(const Symbolic& x) { return sign(x, "abs") < 0 ? -x : x; }
  friend Symbolic tan(const Symbolic& x) { return std::tan(number(x, "tan")); }
  friend Symbolic asin(const Symbolic& x) { return std::asin(number(x, "asin")); }
  friend Symbolic acos(const Symbolic& x) { return std::acos(number(x, "acos")); }
  friend Symbolic atan(const Symbolic& x) { return std::atan(number(x, "atan")); }
  friend Symbolic exp(const Symbolic& x) { return std::exp(number(x, "exp")); }
  friend Symbolic log(const Symbolic& x) { return std::log(number(x, "log")); }
  friend Symbolic tanh(const Symbolic& x) { return std::tanh(number(x, "tanh")); }
  friend Symbolic atan2(const Symbolic& y, const Symbolic& x) {
    return std::atan2(number(y, "atan2"), number(x, "atan2"));
  }
  friend bool is_finite(const Symbolic&) { return true; }
  friend Symbolic select(bool mask, const Symbolic& a, const Symbolic& b) { return mask ? a : b; }

 private:
  /// Itself if it has neither sines nor cosines, else null; null for zero too.
  const GiNaC::ex* polynomial() const;
  static int sign(const Symbolic& x, const char* operation);
  static double number(const Symbolic& x, const char* operation);
  static Symbolic harmonic(const Symbolic& angle, bool sine);
  void add(const Harmonic& h, const GiNaC::ex& coefficient);

  Terms terms_;  // no coefficient is zero
};

/// The symbol of a name, its rank, and the way back: ranks count from 0 in the order of first use.
const GiNaC::symbol& symbol_named(std::string_view name);
int rank_of(const GiNaC::symbol& symbol);
const GiNaC::symbol& symbol_of_rank(int rank);

/// Calls f with each operand of a sum or product, or with the expression itself if it is none.
template <class Kind, class F>
void for_each_operand(const GiNaC::ex& e, F f) {
  if (!GiNaC::is_a<Kind>(e)) return f(e);
  for (const GiNaC::ex& operand : e) f(operand);
}

/// The number that a person would write for x, as a fraction.
GiNaC::numeric decimal(double x);
/// Rounded to fourteen digits: rid of what rounding left behind.
double tidy(double x);

}  // namespace ulna::equations

template <>
struct Eigen::NumTraits<ulna::equations::Symbolic>
    : ulna::detail::NumTraits<ulna::equations::Symbolic> {};
