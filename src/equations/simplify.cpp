#include "simplify.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace ulna::equations {
namespace {

using GiNaC::numeric;

/// What is quadratic in the number of terms, or worse, is done for so many only.
constexpr std::size_t most_to_factor = 150, most_to_join = 400;

/// p · by, or p / by
Powers times(Powers p, const Powers& by, int sign = 1) {
  for (const auto& [f, n] : by)
    if ((p[f] += sign * n) == 0) p.erase(f);
  return p;
}

Factor factor_of(const Harmonic& h, const Style& style) { return {style.harmonics_place, -1, h}; }

Sum monomials(const Symbolic& x, const Style& style) {
  Sum all;
  for (const auto& [product, number] : x.terms()) {
    Product m{number, {}};
    for (const auto& [rank, n] : product.powers) m.factors[{style.places[rank], rank, {}}] = n;
    if (!product.harmonic.multiples.empty()) m.factors[factor_of(product.harmonic, style)] = 1;
    // of numbers that are not exact, what rounding left behind is dropped
    if (style.negligible > 0.0) m.number = decimal(tidy(number.to_double()));
    if (abs(m.number).to_double() > style.negligible) all.push_back(std::move(m));
  }
  return all;
}

int harmonic_degree(const Powers& p) {
  int n = 0;
  for (const auto& [f, power] : p)
    if (f.is_harmonic()) n += power;
  return n;
}

/// The order of terms in a sum: without sines and cosines first, then as in a lexicon.
bool before(const Powers& a, const Powers& b) {
  if (const int x = harmonic_degree(a), y = harmonic_degree(b); x != y) return x < y;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end(); ++i, ++j) {
    if (i->first != j->first) return i->first < j->first;
    if (i->second != j->second) return i->second > j->second;
  }
  return a.size() < b.size();
}

Powers common(const Powers& a, const Powers& b) {
  Powers made;
  for (const auto& [f, n] : a) {
    const auto other = b.find(f);
    if (other != b.end()) made.emplace(f, std::min(n, other->second));
  }
  return made;
}

bool divides(const Powers& divisor, const Powers& p) {
  return std::all_of(divisor.begin(), divisor.end(), [&](const auto& d) {
    const auto at = p.find(d.first);
    return at != p.end() && at->second >= d.second;
  });
}

/// How much it is worth to have it outside: lengths, of which the books leave the squares in place,
/// are worth less than masses, sines, cosines and velocities.
int weight(const Powers& p, const Style& style) {
  int n = 0;
  for (const auto& [f, power] : p)
    n += (f.place >= style.lengths_begin && f.place < style.lengths_end ? 1 : 2) * std::abs(power);
  return n;
}

/// (a ± b) / 2, with its sign; none if a multiple is odd.
std::optional<std::pair<Harmonic, int>> half(const Harmonic& a, const Harmonic& b, int sign) {
  bool turned = false;
  Harmonic made = combined(a, b, sign, turned);
  for (auto& [rank, m] : made.multiples) {
    if (m % 2 != 0) return std::nullopt;
    m /= 2;
  }
  return std::pair{made, turned ? -1 : 1};
}

/// x (cos a ± cos b) or x (sin a ± sin b) as one product.
std::optional<Product> product_of(const Powers& x, const numeric& number, const Harmonic& a,
                                  const Harmonic& b, bool minus, const Style& style) {
  auto sum = half(a, b, 1), difference = half(a, b, -1);
  if (!sum || !difference) return std::nullopt;
  auto& [u, u_sign] = *sum;
  auto& [v, v_sign] = *difference;
  Product made{2 * number, x};
  // cos a + cos b = 2 cos u cos v, cos a - cos b = -2 sin u sin v,
  // sin a + sin b = 2 sin u cos v, sin a - sin b = 2 cos u sin v
  u.sine = a.sine != minus, v.sine = minus;
  if (!a.sine && minus) made.number = -made.number;
  if (u.sine) made.number *= u_sign;
  if (v.sine) made.number *= v_sign;
  for (const Harmonic& h : {u, v}) {
    if (h.multiples.empty() && h.sine) return std::nullopt;
    if (!h.multiples.empty())
      made.factors = times(std::move(made.factors), {{factor_of(h, style), 1}});
  }
  return made;
}

/// Pairs of terms that differ in one harmonic only become one, as long as there are any.
Sum with_products(const Sum& all, const Style& style) {
  if (all.size() > most_to_join) return all;
  std::map<Powers, numeric> terms;
  const auto add = [&](const Product& m) {
    const auto [at, fresh] = terms.try_emplace(m.factors, m.number);
    if (!fresh && (at->second += m.number).is_zero()) terms.erase(at);
  };
  for (const Product& m : all) add(m);

  // each term without one of its harmonics, or as it is: where two of them meet, they may be joined
  const auto join = [&]() -> bool {
    std::map<Powers, std::vector<std::pair<Harmonic, Powers>>> without;
    const auto meet = [&](const Powers& rest, const Harmonic& h, const Powers& whole) -> bool {
      auto& others = without[rest];
      const numeric x = terms.at(whole);
      for (const auto& [b, other] : others) {
        const numeric y = terms.at(other);
        if (other == whole || h.sine != b.sine || abs(x) != abs(y)) continue;
        if (const auto joined = product_of(rest, x, h, b, x != y, style)) {
          const Powers one = whole, two = other;
          terms.erase(one), terms.erase(two);
          add(*joined);
          return true;
        }
      }
      others.emplace_back(h, whole);
      return false;
    };
    for (const auto& [powers, number] : terms) {
      for (const auto& [f, n] : powers) {
        if (!f.is_harmonic()) continue;
        if (meet(times(powers, {{f, 1}}, -1), f.harmonic, powers)) return true;
      }
      if (meet(powers, {}, powers)) return true;
    }
    return false;
  };
  while (join()) {
  }
  Sum made;
  for (const auto& [powers, number] : terms) made.push_back({number, powers});
  return made;
}

/// The number to take out of a sum: its sign if all terms are negative, and the largest fraction that
/// leaves whole numbers if then fewer numbers are to be read.
numeric content(const Sum& all, bool fractions) {
  numeric top = 0, bottom = 1;
  bool negative = true;
  for (const Product& m : all) {
    top = gcd(top, abs(m.number.numer()));
    bottom = lcm(bottom, m.number.denom());
    negative &= m.number.is_negative();
  }
  const numeric fraction = top / bottom;
  const auto numbers_over = [&](const numeric& x) {
    return std::ranges::count_if(all, [&](const Product& m) { return abs(m.number) != x; });
  };
  const bool shorter = fractions && fraction != 1 && numbers_over(fraction) + 1 < numbers_over(1);
  return (negative ? -1 : 1) * (shorter ? fraction : numeric(1));
}

class Factoring {
 public:
  explicit Factoring(const Style& style) : style_(style) {}

  Product product(Sum all) const {
    if (all.empty()) return {0};
    if (all.size() == 1) return all[0];
    std::ranges::sort(all, before, &Product::factors);
    Product made{content(all, style_.fractions), all[0].factors};
    for (const Product& m : all) made.factors = common(made.factors, m.factors);
    for (Product& m : all) {
      m.factors = times(std::move(m.factors), made.factors, -1);
      m.number /= made.number;
    }
    if (const auto root = square_root(all)) {
      made.sums.emplace_back(*root, 2);
      return made;
    }
    Sum parts = sum(std::move(all));
    if (parts.size() > 1) {
      made.sums.emplace_back(std::move(parts), 1);
      return made;
    }
    // one part needs no brackets
    const Product& only = parts.front();
    return {made.number * only.number, times(made.factors, only.factors), only.sums};
  }

 private:
  /// a X + b X = (a + b) X for parts that have the same brackets X, up to their sign.
  void join_equal_sums(std::vector<std::pair<Powers, Product>>& parts) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto brackets = parts[i].second.sums;
      Sum rests;
      for (const auto& [place, part] : parts)
        if (part.sums == brackets) rests.push_back({part.number, part.factors});
      if (brackets.empty() || rests.size() < 2) continue;
      Product joined = product(std::move(rests));
      joined.sums.insert(joined.sums.end(), brackets.begin(), brackets.end());
      parts[i].second = std::move(joined);
      const auto same = [&](const auto& other) { return other.second.sums == brackets; };
      parts.erase(std::remove_if(parts.begin() + std::ptrdiff_t(i) + 1, parts.end(), same),
                  parts.end());
    }
  }

  /// The terms, without a factor that all have, as a sum of products of sums: as long as some have
  /// a factor in common, those for which it saves most are put together.
  Sum sum(Sum all) const {
    std::vector<std::pair<Powers, Product>> parts;  // with the term that gives it its place
    while (all.size() > 1) {
      const Powers factor = all.size() <= most_to_factor ? best_factor(all) : first_factor(all);
      if (factor.empty()) break;
      const auto middle = std::stable_partition(
          all.begin(), all.end(), [&](const Product& m) { return !divides(factor, m.factors); });
      parts.emplace_back(middle->factors, product(Sum(middle, all.end())));
      all.erase(middle, all.end());
    }
    for (const Product& m : all) parts.emplace_back(m.factors, m);
    join_equal_sums(parts);
    std::ranges::stable_sort(parts, before, &std::pair<Powers, Product>::first);
    Sum made;
    for (auto& [place, part] : parts) made.push_back(std::move(part));
    return made;
  }

  static Powers first_factor(const Sum& all) {
    for (const Product& m : all)
      if (!m.factors.empty()) return {{m.factors.begin()->first, 1}};
    return {};
  }

  Powers best_factor(const Sum& all) const {
    std::set<Powers> tried;
    Powers best;
    int saved = 1;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        Powers shared = common(all[i].factors, all[j].factors);
        if (shared.empty() || !tried.insert(shared).second) continue;
        const auto count = std::ranges::count_if(
            all, [&](const Product& m) { return divides(shared, m.factors); });
        const int saves = (int(count) - 1) * weight(shared, style_);
        if (saves > saved) saved = saves, best = std::move(shared);
      }
    return best;
  }

  /// a + b if the terms are a² + 2ab + b².
  static std::optional<Sum> square_root(const Sum& all) {
    if (all.size() != 3) return std::nullopt;
    const auto root = [](const Product& m) -> std::optional<Product> {
      Product made{GiNaC::sqrt(m.number), m.factors};
      if (!made.number.is_rational()) return std::nullopt;
      for (auto& [f, n] : made.factors) {
        if (n % 2 != 0) return std::nullopt;
        n /= 2;
      }
      return made;
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = root(all[(k + 1) % 3]), b = root(all[(k + 2) % 3]);
      if (!a || !b) continue;
      const numeric two = 2 * a->number * b->number;
      if (times(a->factors, b->factors) != all[k].factors ||
          (two != all[k].number && two != -all[k].number))
        continue;
      Product first = *a, second = *b;
      if (before(second.factors, first.factors)) std::swap(first, second);
      if (two != all[k].number) second.number = -second.number;
      return Sum{first, second};
    }
    return std::nullopt;
  }

  const Style& style_;
};

}  // namespace

std::size_t Product::size() const {
  std::size_t n = number == 1 || number == -1 ? 0 : 1;
  for (const auto& [f, power] : factors) n += f.is_harmonic() ? 2 : 1;
  for (const auto& [sum, power] : sums)
    for (const Product& part : sum) n += part.size();
  return n;
}

Product simplified(const Symbolic& x, const Style& style) {
  const Sum plain = monomials(x, style);
  const Factoring factoring(style);
  Product first = factoring.product(plain);
  const Sum products = with_products(plain, style);
  if (products.size() == plain.size()) return first;
  Product second = factoring.product(products);
  return second.size() < first.size() ? second : first;
}

}  // namespace ulna::equations
