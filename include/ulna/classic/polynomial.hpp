#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ulna::classic {

/// How a count of operations grows with the number of joints: a polynomial with exact coefficients.
class Polynomial {
 public:
  Polynomial() = default;
  /// Over one denominator, the highest power first: {3, {128, 512, 844, 76, 0}}.
  Polynomial(std::int64_t denominator, std::initializer_list<std::int64_t> numerators);

  /// The polynomial of lowest degree through the counts of n = first, first + 1, ..., if there is one
  /// of a degree that leaves at least one count over as proof.
  static std::optional<Polynomial> through(int first, std::span<const std::int64_t> counts);

  int degree() const { return int(numerators_.size()) - 1; }
  double at(double n) const;
  /// "128/3 n^4 + 512/3 n^3 + 844/3 n^2 + 76/3 n"
  std::string text() const;

  bool operator==(const Polynomial&) const = default;

 private:
  void reduce();

  std::int64_t denominator_ = 1;
  std::vector<std::int64_t> numerators_;  ///< lowest power first, the last is not zero
};

/// What Fu 1987 says that a formulation costs: inverse dynamics of an arm of n joints.
struct BookCount {
  std::string_view formulation;  ///< "lagrange-euler"
  std::string_view source;       ///< "Fu 1987, Table 3.1"
  Polynomial multiplications, additions;
};

/// Tables 3.1 and 3.4, whose totals are the sums of their rows, and 3.5, which contradicts them and
/// whose count of multiplications of the generalised d'Alembert equations is garbled in our copy:
/// here as 13/6 n^3 + 105/2 n^2 + 268/3 n + 69, the nearest reading that is whole for every n.
std::span<const BookCount> book_counts();

}  // namespace ulna::classic
