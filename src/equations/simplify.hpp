#pragma once

#include "symbolic.hpp"

/// From the normal form to something short: common factors outside, cos a cos b and cos² instead of
/// sums of cosines where that saves terms, all in an order that depends on names alone.
namespace ulna::equations {

/// A symbol, or the sine or cosine of angles.
struct Factor {
  int place = 0;  ///< where it stands in a product
  int rank = -1;  ///< of the symbol; -1 for a harmonic
  Harmonic harmonic;

  bool is_harmonic() const { return rank < 0; }
  std::strong_ordering operator<=>(const Factor&) const = default;
};

using Powers = std::map<Factor, int>;

/// number · Π factors · Π sums, each to a power; a monomial has no sums.
struct Product {
  using Sum = std::vector<Product>;
  GiNaC::numeric number = 1;
  Powers factors = {};
  std::vector<std::pair<Sum, int>> sums = {};
  std::size_t size() const;  ///< how many factors are to be read
  bool operator==(const Product& other) const = default;
};
using Sum = Product::Sum;

/// How expressions are written.
struct Style {
  /// Where symbols stand in a product, by rank: masses, lengths, ..., velocities. No two in one place.
  std::vector<int> places;
  int harmonics_place = 0;
  int lengths_begin = 0, lengths_end = 0;
  bool fractions = true;    ///< numbers are fractions, of which common ones are taken out
  double negligible = 0.0;  ///< terms with smaller numbers are left out
};

/// Zero is a product with the number 0. Of hundreds of terms, simpler factors are looked for.
Product simplified(const Symbolic& x, const Style& style);

}  // namespace ulna::equations
