#pragma once

#include <cmath>
#include <concepts>
#include <limits>

/// Numbers are a concept.
///
/// Every algorithm of ulna is written once, for any type that behaves like a real number, and never
/// depends on which one it is:
///
///   double, float     the plain ones
///   Pack<T, N>        N states at once in SIMD registers            (num/pack.hpp)
///   Dual<T, N>        a value with N directional derivatives        (num/dual.hpp)
///   Counted           a double that counts the operations made      (num/counted.hpp)
///
/// A type joins by offering arithmetic, comparisons and the functions below, found by
/// argument-dependent lookup; a symbolic expression will join the same way. What makes one text
/// serve them all is that a comparison yields a *mask*, which is not always a bool, and that
/// algorithms choose with `select(x < y, a, b)` instead of `if (x < y)`: a pack has several results
/// at once, and an expression has none before it is evaluated.
namespace ulna {

// --- the vocabulary, for the plain numbers --------------------------------------------------------

using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2;
using std::sqrt, std::exp, std::log, std::tanh, std::abs;

/// a where the mask holds, b elsewhere. Both are evaluated, only one is used: a NaN in the other
/// does no harm.
template <std::floating_point T>
T select(bool mask, T a, T b) {
  return mask ? a : b;
}

template <std::floating_point T>
bool is_finite(T x) {
  return std::isfinite(x);
}

inline bool any(bool mask) { return mask; }
inline bool all(bool mask) { return mask; }

// --- the concept ----------------------------------------------------------------------------------

/// What comparing two T yields: bool for the plain numbers, one truth value per lane for a pack.
template <class T>
using Mask = decltype(std::declval<const T&>() < std::declval<const T&>());

template <class T>
concept Scalar = std::copyable<T> && std::constructible_from<T, double> &&
    requires(const T x, const T y, T z) {
  z = -x, z = x + y, z = x - y, z = x * y, z = x / y;
  z += x, z -= x, z *= x, z /= x;
  z = sin(x), z = cos(x), z = tan(x), z = asin(x), z = acos(x), z = atan(x), z = atan2(y, x);
  z = sqrt(x), z = exp(x), z = log(x), z = tanh(x), z = abs(x);
  z = select(x < y, x, y), z = select(x <= y && !(x > y), x, y);
  { any(is_finite(x) || x >= y) } -> std::convertible_to<bool>;
  { all(is_finite(x)) } -> std::convertible_to<bool>;
};

// --- what follows for all of them -----------------------------------------------------------------

/// The plain number a scalar is made of: float for Dual<float, 3>. It sets the precision of the scalar.
template <class T>
struct RealOf {
  using type = typename T::Real;
};
template <std::floating_point T>
struct RealOf<T> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

/// Distance from 1 to the next number, whatever the scalar.
template <class T>
constexpr double epsilon() {
  return static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
}

template <Scalar T>
T square(const T& x) {
  return x * x;
}
template <Scalar T>
T min(const T& x, const T& y) {
  return select(y < x, y, x);
}
template <Scalar T>
T max(const T& x, const T& y) {
  return select(x < y, y, x);
}
template <Scalar T>
T clamp(const T& x, const T& low, const T& high) {
  return min(max(x, low), high);
}

/// -1, 0 or 1.
template <Scalar T>
T sign(const T& x) {
  return select(x > T(0), T(1), select(x < T(0), T(-1), T(0)));
}

/// |magnitude| with the sign of `of`; zero counts as positive.
template <Scalar T>
T with_sign(const T& magnitude, const T& of) {
  return select(of < T(0), -abs(magnitude), abs(magnitude));
}

}  // namespace ulna
