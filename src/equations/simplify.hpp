#pragma once

#include <functional>

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

/// number · Π factors · Π sums, each to a power. A sum is a list of these.
struct Product {
  struct Sum;
  GiNaC::numeric number = 1;
  std::vector<std::pair<Factor, int>> factors;
  std::vector<std::pair<Sum, int>> sums;
  std::size_t size() const;  ///< how many factors are to be read
  bool operator==(const Product& other) const;
};
struct Product::Sum {
  std::vector<Product> parts;
  bool operator==(const Sum& other) const { return parts == other.parts; }
};

/// Where symbols stand in a product, by rank: masses, lengths, ..., velocities. No two in one place.
struct Places {
  std::vector<int> of_rank;
  int of_harmonics = 0;
  int lengths_begin = 0, lengths_end = 0;
};

struct SimplifyOptions {
  bool fractions = true;    ///< numbers are fractions, of which common ones are taken out
  double negligible = 0.0;  ///< terms with smaller numbers are left out
};

/// Places of one kind of symbols have one thousand in common.
inline int kind_of_place(int place) { return place / 1000; }

/// Zero is a product with the number 0. Of hundreds of terms, simpler factors are looked for.
Product simplified(const Symbolic& x, const Places& places, const SimplifyOptions& options = {});

}  // namespace ulna::equations
