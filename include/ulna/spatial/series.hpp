#pragma once

#include "ulna/num/scalar.hpp"

/// The functions of an angle that exp and log are made of. Each is smooth, but its closed form
/// divides zero by zero at one angle; there the power series takes over, early enough that nothing
/// is lost by cancellation and long enough that nothing is lost by truncation.
///
/// They take x = theta^2, so that they and their derivatives are defined at theta = 0 too.
namespace ulna::detail {

/// c[0] + c[1] x + c[2] x^2 + ...
template <Scalar T, std::size_t N>
T polynomial(const T& x, const double (&c)[N]) {
  T sum = T(c[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + T(c[i]);
  return sum;
}

/// `series` where x is small; elsewhere `closed(x, theta)`, which is never given a small angle.
template <Scalar T, std::size_t N, class F>
T smooth(const T& x, const double (&series)[N], F closed, double series_below = 0.25) {
  const Mask<T> small = x < T(series_below);
  const T safe = select(small, T(1), x);
  return select(small, polynomial(x, series), closed(safe, sqrt(safe)));
}

/// sin(theta) / theta
template <Scalar T>
T sin_over(const T& x) {
  return smooth(
      x, {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800},
      [](const T&, const T& theta) { return sin(theta) / theta; });
}

/// (1 - cos(theta)) / theta^2
template <Scalar T>
T one_minus_cos_over(const T& x) {
  return T(0.5) * square(sin_over(T(0.25) * x));
}

/// (theta - sin(theta)) / theta^3
template <Scalar T>
T angle_minus_sin_over(const T& x) {
  return smooth(x,
                {1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800,
                 1.0 / 1307674368000},
                [](const T& x2, const T& theta) { return (theta - sin(theta)) / (x2 * theta); });
}

/// (1 - theta/2 cot(theta/2)) / theta^2, the coefficient of [w]^2 in the inverse of G
/// (Cărămizaru 2023, eq. 3.51, where cot is misprinted as cos).
template <Scalar T>
T inverse_g_coefficient(const T& x) {
  return smooth(x,
                {1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160,
                 691.0 / 1307674368000, 1.0 / 74724249600, 3617.0 / 10670622842880000},
                [](const T& x2, const T& theta) {
                  const T half = T(0.5) * theta;
                  return (T(1) - half * cos(half) / sin(half)) / x2;
                });
}

/// atan(y) / y for z = y^2
template <Scalar T>
T atan_over(const T& z) {
  return smooth(
      z, {1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15},
      [](const T&, const T& y) { return atan(y) / y; }, 0.01);
}

}  // namespace ulna::detail
