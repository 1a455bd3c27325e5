#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "ulna/num/scalar.hpp"

namespace ulna {

/// Sines and cosines of n angles. For any scalar: one after the other.
template <Scalar T>
void sin_cos(const T* angle, T* sine, T* cosine, int n) {
  for (int i = 0; i < n; ++i) {
    sine[i] = sin(angle[i]);
    cosine[i] = cos(angle[i]);
  }
}

/// For double: several at once, without branches, so that the compiler can use SIMD lanes. To within
/// 1.2 units in the last place up to 1e5 radians; beyond, the library's functions take over. Reduction
/// to ±pi/4 in three parts [Cody, Waite 1980], then the polynomials of fdlibm.
inline void sin_cos(const double* angle, double* sine, double* cosine, int n) {
  constexpr auto bound = std::bit_cast<std::uint64_t>(1e5), no_sign = ~std::uint64_t{0} >> 1;
  std::uint64_t far = 0;  // its highest bit: some angle is beyond the bound, or not a number
  for (int i = 0; i < n; ++i) {
    const double x = angle[i];
    far |= bound - (std::bit_cast<std::uint64_t>(x) & no_sign);
    // the quadrant, rounded by adding a number whose last bit counts ones
    constexpr double shift = 0x1.8p52;
    const double shifted = x * 0x1.45f306dc9c883p-1 + shift;
    const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
    const double k = shifted - shift;
    // x - k pi/2 = r + tail
    const double t = x - k * 0x1.921fb544p0, u = k * 0x1.0b4611a6p-34;
    const double r = t - u;
    const double tail = ((t - r) - u) - k * 0x1.3198a2e037073p-69;
    const double z = r * r;
    const double s_poly =
        -1.66666666666666324348e-01 +
        z * (8.33333333332248946124e-03 +
             z * (-1.98412698298579493134e-04 +
                  z * (2.75573137070700676789e-06 +
                       z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
    const double c_poly =
        4.16666666666666019037e-02 +
        z * (-1.38888888888741095749e-03 +
             z * (2.48015872894767294178e-05 +
                  z * (-2.75573143513906633035e-07 +
                       z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
    const double s = r + (r * z * s_poly + tail);
    const double half = 0.5 * z, w = 1.0 - half;
    const double c = w + (((1.0 - w) - half) + (z * z * c_poly - r * tail));
    // odd quadrants exchange the two; the signs go round
    const auto s_bits = std::bit_cast<std::uint64_t>(s), c_bits = std::bit_cast<std::uint64_t>(c);
    const std::uint64_t exchanged = (s_bits ^ c_bits) & (0 - (quadrant & 1));
    sine[i] = std::bit_cast<double>(s_bits ^ exchanged ^ ((quadrant & 2) << 62));
    cosine[i] = std::bit_cast<double>(c_bits ^ exchanged ^ (((quadrant + 1) & 2) << 62));
  }
  if (far > no_sign)
    for (int i = 0; i < n; ++i) sine[i] = std::sin(angle[i]), cosine[i] = std::cos(angle[i]);
}

/// For float: as doubles, eight at a time, which is faster than the library's functions.
inline void sin_cos(const float* angle, float* sine, float* cosine, int n) {
  double x[8], s[8], c[8];
  for (int first = 0; first < n; first += 8) {
    const int here = std::min(8, n - first);
    for (int i = 0; i < 8; ++i) x[i] = i < here ? static_cast<double>(angle[first + i]) : 0.0;
    sin_cos(x, s, c, 8);
    for (int i = 0; i < here; ++i) {
      sine[first + i] = static_cast<float>(s[i]);
      cosine[first + i] = static_cast<float>(c[i]);
    }
  }
}

}  // namespace ulna
