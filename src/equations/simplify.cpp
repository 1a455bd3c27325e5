#include "simplify.hpp"

#include <algorithm>
#include <optional>

namespace ulna::equations {
namespace {

using GiNaC::ex;
using GiNaC::ex_to;
using GiNaC::numeric;

/// What is quadratic in the number of terms, or worse, is done for so many only.
constexpr std::size_t most_to_factor = 150, most_to_join = 400;

using Powers = std::map<Factor, int>;

struct Monomial {
  numeric number;
  Powers powers;
};
using Monomials = std::vector<Monomial>;

void multiply(Powers& powers, const Factor& f, int n) {
  if ((powers[f] += n) == 0) powers.erase(f);
}

Factor factor_of(const Harmonic& h, const Places& places) { return {places.of_harmonics, -1, h}; }

void take(const ex& part, const Places& places, Monomial& m) {
  const bool power = GiNaC::is_a<GiNaC::power>(part);
  const ex base = power ? part.op(0) : part, exponent = power ? part.op(1) : ex(1);
  if (GiNaC::is_a<numeric>(part)) {
    m.number *= ex_to<numeric>(part);
  } else if (GiNaC::is_a<GiNaC::symbol>(base) && exponent.info(GiNaC::info_flags::integer)) {
    const int rank = rank_of(ex_to<GiNaC::symbol>(base));
    multiply(m.powers, {places.of_rank[rank], rank, {}}, ex_to<numeric>(exponent).to_int());
  } else {
    throw std::domain_error("a coefficient that is no polynomial");
  }
}

Monomials monomials(const Symbolic& x, const Places& places, double negligible) {
  Monomials all;
  const auto one = [&](const ex& term, const Harmonic& h) {
    Monomial m{1, {}};
    for_each_operand<GiNaC::mul>(term, [&](const ex& part) { take(part, places, m); });
    if (!h.multiples.empty()) multiply(m.powers, factor_of(h, places), 1);
    // of numbers that are not exact, what rounding left behind is dropped
    if (negligible > 0.0) m.number = decimal(tidy(m.number.to_double()));
    if (abs(m.number).to_double() > negligible) all.push_back(std::move(m));
  };
  for (const auto& [h, coefficient] : x.terms())
    for_each_operand<GiNaC::add>(coefficient, [&, h = h](const ex& term) { one(term, h); });
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

Powers quotient(Powers p, const Powers& divisor) {
  for (const auto& [f, n] : divisor) multiply(p, f, -n);
  return p;
}

/// How much it is worth to have it outside: lengths, of which the books leave the squares in place,
/// are worth less than masses, sines, cosines and velocities.
int weight(const Powers& p, const Places& places) {
  int n = 0;
  for (const auto& [f, power] : p)
    n +=
        (f.place >= places.lengths_begin && f.place < places.lengths_end ? 1 : 2) * std::abs(power);
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
std::optional<Monomial> product_of(const Powers& x, const numeric& number, const Harmonic& a,
                                   const Harmonic& b, bool minus, const Places& places) {
  auto sum = half(a, b, 1), difference = half(a, b, -1);
  if (!sum || !difference) return std::nullopt;
  auto& [u, u_sign] = *sum;
  auto& [v, v_sign] = *difference;
  Monomial made{2 * number, x};
  // cos a + cos b = 2 cos u cos v, cos a - cos b = -2 sin u sin v,
  // sin a + sin b = 2 sin u cos v, sin a - sin b = 2 cos u sin v
  u.sine = a.sine != minus, v.sine = minus;
  if (!a.sine && minus) made.number = -made.number;
  if (u.sine) made.number *= u_sign;
  if (v.sine) made.number *= v_sign;
  for (const Harmonic& h : {u, v}) {
    if (h.multiples.empty() && h.sine) return std::nullopt;
    if (!h.multiples.empty()) multiply(made.powers, factor_of(h, places), 1);
  }
  return made;
}

/// Pairs of terms that differ in one harmonic only become one, as long as there are any.
Monomials with_products(const Monomials& all, const Places& places) {
  if (all.size() > most_to_join) return all;
  std::map<Powers, numeric> terms;
  const auto add = [&](const Monomial& m) {
    const auto [at, fresh] = terms.try_emplace(m.powers, m.number);
    if (!fresh && (at->second += m.number).is_zero()) terms.erase(at);
  };
  for (const Monomial& m : all) add(m);

  // each term without one of its harmonics, or as it is: where two of them meet, they may be joined
  const auto join = [&]() -> bool {
    std::map<Powers, std::vector<std::pair<Harmonic, Powers>>> without;
    const auto meet = [&](const Powers& rest, const Harmonic& h, const Powers& whole) -> bool {
      auto& others = without[rest];
      const numeric x = terms.at(whole);
      for (const auto& [b, other] : others) {
        const numeric y = terms.at(other);
        if (other == whole || h.sine != b.sine || abs(x) != abs(y)) continue;
        if (const auto joined = product_of(rest, x, h, b, x != y, places)) {
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
        if (meet(quotient(powers, {{f, 1}}), f.harmonic, powers)) return true;
      }
      if (meet(powers, {}, powers)) return true;
    }
    return false;
  };
  while (join()) {
  }
  Monomials made;
  for (const auto& [powers, number] : terms) made.push_back({number, powers});
  return made;
}

/// The number to take out of a sum: its sign if all terms are negative, and the largest fraction that
/// leaves whole numbers if then fewer numbers are to be read.
numeric content(const Monomials& all, bool fractions) {
  numeric top = 0, bottom = 1;
  bool negative = true;
  for (const Monomial& m : all) {
    top = gcd(top, abs(m.number.numer()));
    bottom = lcm(bottom, m.number.denom());
    negative &= m.number.is_negative();
  }
  const numeric fraction = top / bottom;
  const auto numbers_over = [&](const numeric& x) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Monomial& m) { return abs(m.number) != x; });
  };
  const bool shorter = fractions && fraction != 1 && numbers_over(fraction) + 1 < numbers_over(1);
  return (negative ? -1 : 1) * (shorter ? fraction : numeric(1));
}

std::optional<numeric> exact_root(const numeric& x) {
  if (x.is_negative()) return std::nullopt;
  const numeric top = isqrt(x.numer()), bottom = isqrt(x.denom());
  if (top * top != x.numer() || bottom * bottom != x.denom()) return std::nullopt;
  return top / bottom;
}

class Factoring {
 public:
  Factoring(const Places& places, const SimplifyOptions& options)
      : places_(places), options_(options) {}

  Product product(Monomials all) const {
    if (all.empty()) return {0, {}, {}};
    std::sort(all.begin(), all.end(),
              [](const Monomial& a, const Monomial& b) { return before(a.powers, b.powers); });
    Powers shared = all[0].powers;
    for (const Monomial& m : all) shared = common(shared, m.powers);
    const numeric number = all.size() == 1 ? all[0].number : content(all, options_.fractions);
    Product made{number, {shared.begin(), shared.end()}, {}};
    if (all.size() == 1) return made;
    for (Monomial& m : all) {
      m.powers = quotient(std::move(m.powers), shared);
      m.number /= number;
    }
    if (const auto root = square_root(all))
      made.sums.emplace_back(*root, 2);
    else
      append(made, sum(std::move(all)));
    return made;
  }

 private:
  /// made · sum, without brackets around a sum of one part.
  static void append(Product& made, Product::Sum sum) {
    if (sum.parts.size() > 1) {
      made.sums.emplace_back(std::move(sum), 1);
      return;
    }
    const Product& only = sum.parts.front();
    Powers powers{made.factors.begin(), made.factors.end()};
    for (const auto& [f, n] : only.factors) multiply(powers, f, n);
    made.number *= only.number;
    made.factors.assign(powers.begin(), powers.end());
    made.sums.insert(made.sums.end(), only.sums.begin(), only.sums.end());
  }

  /// a X + b X = (a + b) X for parts that have the same brackets X, up to their sign.
  void join_equal_sums(std::vector<std::pair<Powers, Product>>& parts) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto brackets = parts[i].second.sums;
      Monomials rests;
      for (const auto& [place, part] : parts)
        if (part.sums == brackets)
          rests.push_back({part.number, {part.factors.begin(), part.factors.end()}});
      if (brackets.empty() || rests.size() < 2) continue;
      Product joined = product(std::move(rests));
      joined.sums.insert(joined.sums.end(), brackets.begin(), brackets.end());
      parts[i].second = std::move(joined);
      const auto same = [&](const auto& other) { return other.second.sums == brackets; };
      parts.erase(
          std::remove_if(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.end(), same),
          parts.end());
    }
  }

  /// The terms, without a factor that all have, as a sum of products of sums: as long as some have
  /// a factor in common, those for which it saves most are put together.
  Product::Sum sum(Monomials all) const {
    std::vector<std::pair<Powers, Product>> parts;  // with the term that gives it its place
    while (all.size() > 1) {
      const Powers factor = all.size() <= most_to_factor ? best_factor(all) : first_factor(all);
      if (factor.empty()) break;
      const auto middle = std::stable_partition(
          all.begin(), all.end(), [&](const Monomial& m) { return !divides(factor, m.powers); });
      parts.emplace_back(middle->powers, product(Monomials(middle, all.end())));
      all.erase(middle, all.end());
    }
    for (const Monomial& m : all) parts.emplace_back(m.powers, product({m}));
    join_equal_sums(parts);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return before(a.first, b.first); });
    Product::Sum made;
    for (auto& [place, part] : parts) made.parts.push_back(std::move(part));
    return made;
  }

  static Powers first_factor(const Monomials& all) {
    for (const Monomial& m : all)
      if (!m.powers.empty()) return {{m.powers.begin()->first, 1}};
    return {};
  }

  Powers best_factor(const Monomials& all) const {
    std::map<Powers, int> tried;
    Powers best;
    int saved = 1;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        Powers shared = common(all[i].powers, all[j].powers);
        if (shared.empty() || tried.contains(shared)) continue;
        const auto count = std::count_if(
            all.begin(), all.end(), [&](const Monomial& m) { return divides(shared, m.powers); });
        const int saves = (static_cast<int>(count) - 1) * weight(shared, places_);
        tried.emplace(shared, saves);
        if (saves > saved) saved = saves, best = std::move(shared);
      }
    return best;
  }

  /// a + b if the terms are a² + 2ab + b².
  static std::optional<Product::Sum> square_root(const Monomials& all) {
    if (all.size() != 3) return std::nullopt;
    const auto root = [](const Monomial& m) -> std::optional<Monomial> {
      const auto number = exact_root(m.number);
      if (!number) return std::nullopt;
      Monomial made{*number, m.powers};
      for (auto& [f, n] : made.powers) {
        if (n % 2 != 0) return std::nullopt;
        n /= 2;
      }
      return made;
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = root(all[(k + 1) % 3]), b = root(all[(k + 2) % 3]);
      if (!a || !b) continue;
      Powers ab = a->powers;
      for (const auto& [f, n] : b->powers) multiply(ab, f, n);
      const numeric two = 2 * a->number * b->number;
      if (ab != all[k].powers || (two != all[k].number && two != -all[k].number)) continue;
      Monomial first = *a, second = *b;
      if (before(second.powers, first.powers)) std::swap(first, second);
      if (two != all[k].number) second.number = -second.number;
      Product::Sum made;
      for (const Monomial& m : {first, second})
        made.parts.push_back({m.number, {m.powers.begin(), m.powers.end()}, {}});
      return made;
    }
    return std::nullopt;
  }

  const Places& places_;
  SimplifyOptions options_;
};

}  // namespace

bool Product::operator==(const Product& other) const {
  return number == other.number && factors == other.factors && sums == other.sums;
}

std::size_t Product::size() const {
  std::size_t n = number == 1 || number == -1 ? 0 : 1;
  for (const auto& [f, power] : factors) n += f.is_harmonic() ? 2 : 1;
  for (const auto& [sum, power] : sums)
    for (const Product& part : sum.parts) n += part.size();
  return n;
}

Product simplified(const Symbolic& x, const Places& places, const SimplifyOptions& options) {
  const Monomials plain = monomials(x, places, options.negligible);
  const Factoring factoring(places, options);
  Product first = factoring.product(plain);
  const Monomials products = with_products(plain, places);
  if (products.size() == plain.size()) return first;
  Product second = factoring.product(products);
  return second.size() < first.size() ? second : first;
}

}  // namespace ulna::equations
