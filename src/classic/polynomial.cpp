#include "ulna/classic/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace ulna::classic {

Polynomial::Polynomial(std::int64_t denominator, std::initializer_list<std::int64_t> numerators)
    : denominator_(denominator), numerators_(numerators) {
  std::reverse(numerators_.begin(), numerators_.end());
  reduce();
}

void Polynomial::reduce() {
  while (!numerators_.empty() && numerators_.back() == 0) numerators_.pop_back();
  std::int64_t common = denominator_;
  for (const std::int64_t a : numerators_) common = std::gcd(common, a);
  for (std::int64_t& a : numerators_) a /= common;
  denominator_ /= common;
}

std::optional<Polynomial> Polynomial::through(int first, std::span<const std::int64_t> counts) {
  // Newton's forward differences: of a polynomial of degree d, all of order d + 1 vanish
  std::vector<std::int64_t> row(counts.begin(), counts.end()), leading;
  while (!row.empty() && std::ranges::count(row, 0) < std::ssize(row)) {
    leading.push_back(row.front());
    for (std::size_t i = 0; i + 1 < row.size(); ++i) row[i] = row[i + 1] - row[i];
    row.pop_back();
  }
  constexpr std::size_t most = 6;  // beyond, factorials and powers leave the range of integers
  if (row.empty() || leading.size() > most + 1) return std::nullopt;

  // Σ_j Δ_j (n - first)(n - first - 1)...(n - first - j + 1) / j!, over d!
  const int d = int(leading.size()) - 1;
  Polynomial sum;
  for (int j = 2; j <= d; ++j) sum.denominator_ *= j;
  sum.numerators_.assign(std::size_t(std::max(d, 0)) + 1, 0);
  std::vector<std::int64_t> basis{1};
  std::int64_t j_factorial = 1;
  for (int j = 0; j <= d; ++j) {
    if (j > 0) {
      j_factorial *= j;
      const std::int64_t root = first + j - 1;
      basis.insert(basis.begin(), 0);
      for (std::size_t i = 0; i + 1 < basis.size(); ++i) basis[i] -= root * basis[i + 1];
    }
    const std::int64_t weight = leading[j] * (sum.denominator_ / j_factorial);
    for (std::size_t i = 0; i < basis.size(); ++i) sum.numerators_[i] += weight * basis[i];
  }
  sum.reduce();
  return sum;
}

double Polynomial::at(double n) const {
  double value = 0.0;
  for (auto a = numerators_.rbegin(); a != numerators_.rend(); ++a) value = value * n + double(*a);
  return value / double(denominator_);
}

std::string Polynomial::text() const {
  std::string text;
  for (int power = degree(); power >= 0; --power) {
    const std::int64_t a = numerators_[power];
    if (a == 0) continue;
    const std::int64_t common = std::gcd(a, denominator_);
    const std::int64_t top = std::abs(a) / common, bottom = denominator_ / common;
    text += text.empty() ? (a < 0 ? "-" : "") : (a < 0 ? " - " : " + ");
    if (top != 1 || bottom != 1 || power == 0) {
      text += std::to_string(top);
      if (bottom != 1) text += "/" + std::to_string(bottom);
      if (power > 0) text += " ";
    }
    if (power > 0) text += power == 1 ? "n" : "n^" + std::to_string(power);
  }
  return text.empty() ? "0" : text;
}

std::span<const BookCount> book_counts() {
  static const BookCount counts[] = {
      {"lagrange-euler",
       "Fu 1987, Table 3.1",
       {3, {128, 512, 844, 76, 0}},
       {6, {196, 781, 1274, 107, 0}}},
      {"newton-euler-link", "Fu 1987, Table 3.4", {1, {117, -24}}, {1, {103, -21}}},
      {"lagrange-euler",
       "Fu 1987, Table 3.5",
       {3, {128, 512, 739, 160, 0}},
       {6, {196, 781, 1118, 245, 0}}},
      {"newton-euler-link", "Fu 1987, Table 3.5", {1, {132, 0}}, {1, {111, -4}}},
      {"dalembert", "Fu 1987, Table 3.5", {6, {13, 315, 536, 414}}, {3, {4, 132, 146, 135}}},
  };
  return counts;
}

}  // namespace ulna::classic
