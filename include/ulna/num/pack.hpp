#pragma once

#include <Eigen/Core>
#include <experimental/simd>

#include "ulna/num/eigen.hpp"
#include "ulna/num/scalar.hpp"
#include "ulna/num/sincos.hpp"

/// N numbers that are computed with at once, one per SIMD lane: an algorithm run on packs evaluates
/// N states of the robot for little more than the price of one.
namespace ulna {

// Code for different instruction sets may meet in one program. The inline namespace gives each its
// own types, so that the linker cannot mix their functions up.
#if defined(__AVX512F__)
inline namespace avx512 {
#elif defined(__AVX2__)
inline namespace avx2 {
#else
inline namespace baseline {
#endif

template <class T, int N>
struct PackMask {
  using Simd = std::experimental::simd<T, std::experimental::simd_abi::deduce_t<T, N>>;
  typename Simd::mask_type lanes;

  bool operator[](int lane) const { return lanes[lane]; }

  friend PackMask operator&&(const PackMask& a, const PackMask& b) { return {a.lanes && b.lanes}; }
  friend PackMask operator||(const PackMask& a, const PackMask& b) { return {a.lanes || b.lanes}; }
  friend PackMask operator!(const PackMask& a) { return {!a.lanes}; }
  friend bool any(const PackMask& a) { return any_of(a.lanes); }
  friend bool all(const PackMask& a) { return all_of(a.lanes); }
};

template <class T, int N>
struct Pack {
  using Real = T;
  using Simd = typename PackMask<T, N>::Simd;
  using M = PackMask<T, N>;
  static constexpr int lanes = N;

  Simd value;

  Pack() = default;                                               // like a double: no value yet
  Pack(double everywhere) : value(static_cast<T>(everywhere)) {}  // NOLINT: a constant is a number
  explicit Pack(const Simd& v) : value(v) {}

  static Pack load(const T* from) { return Pack(Simd(from, std::experimental::element_aligned)); }
  void store(T* to) const { value.copy_to(to, std::experimental::element_aligned); }
  /// Lane by lane: of(0), of(1), ...
  template <class F>
  static Pack each(F of) {
    return Pack(Simd([&](auto lane) { return static_cast<T>(of(static_cast<int>(lane))); }));
  }
  /// The lanes in memory, those of the next pack of an array behind them.
  const T* data() const { return reinterpret_cast<const T*>(&value); }
  T* data() { return reinterpret_cast<T*>(&value); }
  T operator[](int lane) const { return value[lane]; }
  void set(int lane, T x) { value[lane] = x; }

  using P = const Pack&;
  [[gnu::always_inline]] Pack& operator+=(P y) { return value += y.value, *this; }
  [[gnu::always_inline]] Pack& operator-=(P y) { return value -= y.value, *this; }
  [[gnu::always_inline]] Pack& operator*=(P y) { return value *= y.value, *this; }
  [[gnu::always_inline]] Pack& operator/=(P y) { return value /= y.value, *this; }

  [[gnu::always_inline]] friend Pack operator-(P x) { return Pack(-x.value); }
  [[gnu::always_inline]] friend Pack operator+(P x, P y) { return Pack(x.value + y.value); }
  [[gnu::always_inline]] friend Pack operator-(P x, P y) { return Pack(x.value - y.value); }
  [[gnu::always_inline]] friend Pack operator*(P x, P y) { return Pack(x.value * y.value); }
  [[gnu::always_inline]] friend Pack operator/(P x, P y) { return Pack(x.value / y.value); }

  [[gnu::always_inline]] friend M operator<(P x, P y) { return {x.value < y.value}; }
  [[gnu::always_inline]] friend M operator>(P x, P y) { return {x.value > y.value}; }
  [[gnu::always_inline]] friend M operator<=(P x, P y) { return {x.value <= y.value}; }
  [[gnu::always_inline]] friend M operator>=(P x, P y) { return {x.value >= y.value}; }
  [[gnu::always_inline]] friend M operator==(P x, P y) { return {x.value == y.value}; }
  [[gnu::always_inline]] friend M operator!=(P x, P y) { return {x.value != y.value}; }

  friend Pack sin(P x) {
    return is_near(x) ? Pack(std::experimental::sin(x.value))
                      : each([&](int i) { return std::sin(x[i]); });
  }
  friend Pack cos(P x) {
    return is_near(x) ? Pack(std::experimental::cos(x.value))
                      : each([&](int i) { return std::cos(x[i]); });
  }
  friend Pack tan(P x) { return Pack(std::experimental::tan(x.value)); }
  friend Pack asin(P x) { return Pack(std::experimental::asin(x.value)); }
  friend Pack acos(P x) { return Pack(std::experimental::acos(x.value)); }
  friend Pack atan(P x) { return Pack(std::experimental::atan(x.value)); }
  friend Pack sqrt(P x) { return Pack(std::experimental::sqrt(x.value)); }
  friend Pack exp(P x) { return Pack(std::experimental::exp(x.value)); }
  friend Pack log(P x) { return Pack(std::experimental::log(x.value)); }
  friend Pack tanh(P x) { return Pack(std::experimental::tanh(x.value)); }
  friend Pack abs(P x) { return Pack(std::experimental::abs(x.value)); }
  friend Pack atan2(P y, P x) { return Pack(std::experimental::atan2(y.value, x.value)); }
  friend M is_finite(P x) { return {std::experimental::isfinite(x.value)}; }
  friend Pack select(const M& mask, P a, P b) {
    Simd chosen = b.value;
    where(mask.lanes, chosen) = a.value;
    return Pack(chosen);
  }

 private:
  /// Where the vectorised sine and cosine still reduce their argument accurately.
  static bool is_near(P x) { return all(abs(x) < Pack(1e5)); }
};

/// N packs of N lanes as a square of numbers, mirrored: what was lane l of pack k becomes lane k of
/// pack l.
template <int N>
void transpose(Pack<double, N> (&square)[N]) {
  for (int k = 0; k < N; ++k)
    for (int l = 0; l < k; ++l) {
      const double upper = square[l][k];
      square[l].set(k, square[k][l]);
      square[k].set(l, upper);
    }
}

#if defined(__AVX2__) && defined(__GNUC__)
[[gnu::always_inline]] inline void transpose(Pack<double, 4> (&square)[4]) {
  using Lanes = double __attribute__((vector_size(32)));
  using P = Pack<double, 4>;
  const auto lanes = [&](int k) { return static_cast<Lanes>(square[k].value); };
  const Lanes even01 = __builtin_shufflevector(lanes(0), lanes(1), 0, 4, 2, 6),
              odd01 = __builtin_shufflevector(lanes(0), lanes(1), 1, 5, 3, 7),
              even23 = __builtin_shufflevector(lanes(2), lanes(3), 0, 4, 2, 6),
              odd23 = __builtin_shufflevector(lanes(2), lanes(3), 1, 5, 3, 7);
  square[0] = P(P::Simd(__builtin_shufflevector(even01, even23, 0, 1, 4, 5)));
  square[1] = P(P::Simd(__builtin_shufflevector(odd01, odd23, 0, 1, 4, 5)));
  square[2] = P(P::Simd(__builtin_shufflevector(even01, even23, 2, 3, 6, 7)));
  square[3] = P(P::Simd(__builtin_shufflevector(odd01, odd23, 2, 3, 6, 7)));
}
#endif

/// Sines and cosines of n packs, which are doubles one behind the other.
template <int N>
void sin_cos(const Pack<double, N>* angle, Pack<double, N>* sine, Pack<double, N>* cosine, int n) {
  ulna::sin_cos(angle->data(), sine->data(), cosine->data(), n * N);
}

}  // namespace instruction set
}  // namespace ulna

template <class T, int N>
struct Eigen::NumTraits<ulna::Pack<T, N>> : ulna::detail::NumTraits<ulna::Pack<T, N>> {};
