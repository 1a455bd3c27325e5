#pragma once

#include <Eigen/Core>
#include <array>

#include "ulna/num/eigen.hpp"
#include "ulna/num/scalar.hpp"

/// Dual numbers: exact derivatives by forward mode.
///
/// A dual number is x + Σ x'_k ε_k with ε_j ε_k = 0: a value that carries its derivative in N
/// directions. Every operation applies the chain rule to the directions as it computes the value, so
/// running an algorithm on duals differentiates it, to rounding, along N directions at once:
///
///     auto x = Dual<double, 2>::variable(0.3, 0);   // direction 0: d/dx
///     auto y = Dual<double, 2>::variable(1.2, 1);   // direction 1: d/dy
///     auto f = sin(x) * y;                          // f.gradient = (y cos x, sin x)
///
/// The components may be any scalar: Dual<Dual<double, N>, N> gives second derivatives,
/// Dual<Pack<double, 4>, N> differentiates four states at once.
namespace ulna {

namespace detail {

#if defined(__GNUC__)

/// Four doubles are one vector to the compiler: as an array they are taken apart and put together again
/// with every copy.
struct FourDirections {
  using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));
  Lanes lanes;

  double& operator[](std::size_t k) { return begin()[k]; }
  const double& operator[](std::size_t k) const { return begin()[k]; }
  double* begin() { return reinterpret_cast<double*>(&lanes); }
  double* end() { return begin() + 4; }
  const double* begin() const { return reinterpret_cast<const double*>(&lanes); }
  const double* end() const { return begin() + 4; }
  const double* data() const { return begin(); }
  void fill(double x) { lanes = Lanes{x, x, x, x}; }
};

template <class T, int N>
using Gradient =
    std::conditional_t<std::same_as<T, double> && N == 4, FourDirections, std::array<T, N>>;

#else

template <class T, int N>
using Gradient = std::array<T, N>;

#endif

}  // namespace detail

template <class T, int N>
struct Dual {
  using Real = ulna::Real<T>;
  static constexpr int directions = N;

  T value;
  detail::Gradient<T, N> gradient;

  Dual() = default;  // like a double: no value yet
  Dual(double constant)
      : value(constant), gradient(zeros()) {}  // NOLINT: a constant is a dual number

  /// The independent variable of one direction.
  static Dual variable(const T& at, int direction) {
    Dual x(0.0);
    x.value = at;
    x.gradient[direction] = T(1.0);
    return x;
  }

  using D = const Dual&;
  Dual& operator+=(D y) { return *this = *this + y; }
  Dual& operator-=(D y) { return *this = *this - y; }
  Dual& operator*=(D y) { return *this = *this * y; }
  Dual& operator/=(D y) { return *this = *this / y; }

  friend Dual operator-(D x) { return chain(x, -x.value, T(-1.0)); }
  friend Dual operator+(D x, D y) { return chain(x, y, x.value + y.value, T(1.0), T(1.0)); }
  friend Dual operator-(D x, D y) { return chain(x, y, x.value - y.value, T(1.0), T(-1.0)); }
  friend Dual operator*(D x, D y) { return chain(x, y, x.value * y.value, y.value, x.value); }
  friend Dual operator/(D x, D y) {
    const T inverse = T(1.0) / y.value;
    const T quotient = x.value / y.value;
    return chain(x, y, quotient, inverse, -quotient * inverse);
  }

  // order depends on values alone
  friend auto operator<(D x, D y) { return x.value < y.value; }
  friend auto operator>(D x, D y) { return x.value > y.value; }
  friend auto operator<=(D x, D y) { return x.value <= y.value; }
  friend auto operator>=(D x, D y) { return x.value >= y.value; }
  friend auto operator==(D x, D y) { return x.value == y.value; }
  friend auto operator!=(D x, D y) { return x.value != y.value; }

  friend Dual sin(D x) { return chain(x, sin(x.value), cos(x.value)); }
  friend Dual cos(D x) { return chain(x, cos(x.value), -sin(x.value)); }
  friend Dual tan(D x) {
    const T t = tan(x.value);
    return chain(x, t, T(1.0) + t * t);
  }
  friend Dual asin(D x) {
    return chain(x, asin(x.value), T(1.0) / sqrt(T(1.0) - x.value * x.value));
  }
  friend Dual acos(D x) {
    return chain(x, acos(x.value), T(-1.0) / sqrt(T(1.0) - x.value * x.value));
  }
  friend Dual atan(D x) { return chain(x, atan(x.value), T(1.0) / (T(1.0) + x.value * x.value)); }
  friend Dual atan2(D y, D x) {
    const T r2 = x.value * x.value + y.value * y.value;
    return chain(y, x, atan2(y.value, x.value), x.value / r2, -y.value / r2);
  }
  friend Dual sqrt(D x) {
    const T root = sqrt(x.value);
    return chain(x, root, T(0.5) / root);
  }
  friend Dual exp(D x) {
    const T e = exp(x.value);
    return chain(x, e, e);
  }
  friend Dual log(D x) { return chain(x, log(x.value), T(1.0) / x.value); }
  friend Dual tanh(D x) {
    const T t = tanh(x.value);
    return chain(x, t, T(1.0) - t * t);
  }
  friend Dual abs(D x) { return chain(x, abs(x.value), select(x.value < T(0.0), T(-1.0), T(1.0))); }
  friend auto is_finite(D x) {
    auto finite = is_finite(x.value);
    for (const T& d : x.gradient) finite = finite && is_finite(d);
    return finite;
  }
  template <class M>
  friend Dual select(const M& mask, D a, D b) {
    Dual chosen;
    chosen.value = select(mask, a.value, b.value);
    for (std::size_t k = 0; k < N; ++k)
      chosen.gradient[k] = select(mask, a.gradient[k], b.gradient[k]);
    return chosen;
  }

 private:
  /// Written in the constructor's body instead, zeros keep g++ 12 from holding duals in registers.
  static detail::Gradient<T, N> zeros() {
    detail::Gradient<T, N> z;
    z.fill(T(0.0));
    return z;
  }
  static constexpr bool vectors = requires(Dual x) { x.gradient.lanes; };

  static Dual chain(const Dual& x, const T& f, const T& df_dx) {
    Dual y;
    y.value = f;
    if constexpr (vectors)
      y.gradient.lanes = df_dx * x.gradient.lanes;
    else
      for (std::size_t k = 0; k < N; ++k) y.gradient[k] = df_dx * x.gradient[k];
    return y;
  }
  static Dual chain(const Dual& x, const Dual& y, const T& f, const T& df_dx, const T& df_dy) {
    Dual z;
    z.value = f;
    if constexpr (vectors)
      z.gradient.lanes = df_dx * x.gradient.lanes + df_dy * y.gradient.lanes;
    else
      for (std::size_t k = 0; k < N; ++k)
        z.gradient[k] = df_dx * x.gradient[k] + df_dy * y.gradient[k];
    return z;
  }
};

}  // namespace ulna

template <class T, int N>
struct Eigen::NumTraits<ulna::Dual<T, N>> : ulna::detail::NumTraits<ulna::Dual<T, N>> {};
