#pragma once

#include <array>
#include <cmath>
#include <cstddef>

/// Functions of time with their derivatives up to the fourth, which motions of robots with springs need.
namespace ulna {

/// A function and its derivatives of order 1 to 4 at a time.
using Rates = std::array<double, 5>;

/// From 0 to 1 as s goes from 0 to 1, with four derivatives of 0 at both ends: 126 s⁵ - 420 s⁶ + 540 s⁷ - 315 s⁸ + 70 s⁹.
inline Rates smooth_step(double s) {
  if (s <= 0.0) return {};
  if (s >= 1.0) return {1.0};
  constexpr std::array coefficients{126.0, -420.0, 540.0, -315.0, 70.0};
  Rates rates{};
  for (std::size_t k = 0; k < rates.size(); ++k)
    for (std::size_t i = coefficients.size(); i-- > 0;) {
      double factor = coefficients[i];
      const int power = int(i) + 5;
      for (int j = 0; j < int(k); ++j) factor *= power - j;
      rates[k] += factor * std::pow(s, power - int(k));
    }
  return rates;
}

/// Of f(c t), from those of f at c t.
inline Rates scaled_rates(Rates f, double c) {
  double power = 1.0;
  for (double& rate : f) rate *= power, power *= c;
  return f;
}

/// Of sin(angle), where the angle grows by w rad/s.
inline Rates sine_rates(double angle, double w) {
  const double s = std::sin(angle), c = std::cos(angle);
  return scaled_rates({s, c, -s, -c, s}, w);
}

/// Of a product, by Leibniz' rule.
inline Rates product_rates(const Rates& f, const Rates& g) {
  constexpr int choose[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
  Rates rates{};
  for (std::size_t k = 0; k < rates.size(); ++k)
    for (std::size_t j = 0; j <= k; ++j) rates[k] += choose[k][j] * f[k - j] * g[j];
  return rates;
}

}  // namespace ulna
