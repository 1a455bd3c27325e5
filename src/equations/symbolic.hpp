#pragma once

#include <ginac/ginac.h>

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
/// polynomials in all symbols. Products of sines and cosines become sines and cosines of sums the
/// moment they arise, so sin² + cos² = 1 and cos θ1 cos θ2 - sin θ1 sin θ2 = cos(θ1 + θ2) need no
/// rule: equal expressions have the same terms. A Scalar: algorithms run on symbols.
namespace ulna::equations {

/// More work than allowed was needed.
struct TooMuchWork : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Computing time of this thread so far, s: other programs on the machine do not count.
double cpu_seconds();

/// What symbolic work may cost while it is alive, in this thread. Every product of two terms counts,
/// so the end comes at the same place on every machine unless time runs out before.
class Budget {
 public:
  Budget(std::size_t products, std::size_t terms, double seconds)
      : products_(products), terms_(terms), seconds_(seconds) {
    current_ = this;
  }
  ~Budget() { current_ = outer_; }
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// Throws TooMuchWork if this much is not left.
  static void spend(std::size_t products);
  static void require_terms(std::size_t terms);

 private:
  inline static thread_local Budget* current_ = nullptr;
  std::size_t products_, terms_;
  double seconds_, begin_ = cpu_seconds();
  Budget* outer_ = current_;
};

/// The number that a person would write for x, as a fraction.
GiNaC::numeric decimal(double x);
/// Rounded to fourteen digits: rid of what rounding left behind.
double tidy(double x);

/// Whole multiples of symbols by rank, ascending, none zero: the sum n'θ or, as powers, Π s^n.
using Multiples = std::vector<std::pair<int, int>>;

/// cos(n'θ) or sin(n'θ). The first multiple is positive, and cos of nothing is 1.
struct Harmonic {
  Multiples multiples;
  bool sine = false;
  std::strong_ordering operator<=>(const Harmonic&) const = default;
};

/// The angle n'θ ± m'θ with its first multiple positive; `turned` is set if that changed its sign.
Harmonic combined(const Harmonic& a, const Harmonic& b, int sign, bool& turned);

/// What a number multiplies in a term.
struct PowerProduct {
  Harmonic harmonic;
  Multiples powers;
  std::strong_ordering operator<=>(const PowerProduct&) const = default;
};

class Symbolic {
 public:
  using Real = double;
  using Terms = std::map<PowerProduct, GiNaC::numeric>;

  Symbolic() = default;
  explicit Symbolic(const GiNaC::numeric& x) { add({}, x); }
  /// Exactly the decimal number that a person would write for x: 0.1 is 1/10.
  Symbolic(double x) : Symbolic(x == 0.0 ? 0 : decimal(x)) {}  // NOLINT: a constant is a number
  static Symbolic symbol(std::string_view name);
  /// Throws std::invalid_argument for what cannot be read as an expression of known symbols.
  static Symbolic parse(const std::string& text);

  const Terms& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  std::size_t size() const { return terms_.size(); }
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
  static int sign(const Symbolic& x, const char* operation);
  static double number(const Symbolic& x, const char* operation);
  static Symbolic harmonic(const Symbolic& angle, bool sine);
  void add(const PowerProduct& product, const GiNaC::numeric& number);
  /// With value_of(rank) in place of each symbol, as numbers of type T.
  template <class T, class F>
  T evaluated(F value_of) const;

  Terms terms_;  // no number is zero
};

/// The rank of a symbol, and the way back: ranks count from 0 in the order of first use.
int rank_of(std::string_view name);
std::string name_of(int rank);

}  // namespace ulna::equations

template <>
struct Eigen::NumTraits<ulna::equations::Symbolic>
    : ulna::detail::NumTraits<ulna::equations::Symbolic> {};
