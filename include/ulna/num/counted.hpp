#pragma once

#include <Eigen/Core>
#include <compare>
#include <cstdint>

#include "ulna/num/eigen.hpp"
#include "ulna/num/scalar.hpp"

/// A double that counts what is done with it: how operation tables of the textbooks are made for
/// any algorithm and any robot.
///
///     OperationCount n = count_operations([&] { algorithm(x); });   // x: Counted
///
/// Subtractions count as additions, changes of sign and comparisons are free, and each call of a
/// transcendental function counts as one trigonometric call, as the textbooks do.
namespace ulna {

struct OperationCount {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;
  std::int64_t divisions = 0;
  std::int64_t square_roots = 0;
  std::int64_t trigonometric = 0;

  bool operator==(const OperationCount&) const = default;
};

inline OperationCount operator-(const OperationCount& a, const OperationCount& b) {
  return {a.multiplications - b.multiplications, a.additions - b.additions,
          a.divisions - b.divisions, a.square_roots - b.square_roots,
          a.trigonometric - b.trigonometric};
}

struct Counted {
  using Real = double;
  double value = 0.0;

  Counted() = default;
  Counted(double x) : value(x) {}  // NOLINT: a constant is a number

  /// Everything this thread has counted so far.
  static OperationCount& total() {
    thread_local OperationCount count;
    return count;
  }

  Counted& operator+=(Counted y) { return *this = *this + y; }
  Counted& operator-=(Counted y) { return *this = *this - y; }
  Counted& operator*=(Counted y) { return *this = *this * y; }
  Counted& operator/=(Counted y) { return *this = *this / y; }

  friend Counted operator-(Counted x) { return -x.value; }
  friend Counted operator+(Counted x, Counted y) { return ++total().additions, x.value + y.value; }
  friend Counted operator-(Counted x, Counted y) { return ++total().additions, x.value - y.value; }
  friend Counted operator*(Counted x, Counted y) {
    return ++total().multiplications, x.value * y.value;
  }
  friend Counted operator/(Counted x, Counted y) { return ++total().divisions, x.value / y.value; }

  friend auto operator<=>(const Counted& x, const Counted& y) = default;

  friend Counted sqrt(Counted x) { return ++total().square_roots, std::sqrt(x.value); }
  friend Counted sin(Counted x) { return ++total().trigonometric, std::sin(x.value); }
  friend Counted cos(Counted x) { return ++total().trigonometric, std::cos(x.value); }
  friend Counted tan(Counted x) { return ++total().trigonometric, std::tan(x.value); }
  friend Counted asin(Counted x) { return ++total().trigonometric, std::asin(x.value); }
  friend Counted acos(Counted x) { return ++total().trigonometric, std::acos(x.value); }
  friend Counted atan(Counted x) { return ++total().trigonometric, std::atan(x.value); }
  friend Counted exp(Counted x) { return ++total().trigonometric, std::exp(x.value); }
  friend Counted log(Counted x) { return ++total().trigonometric, std::log(x.value); }
  friend Counted tanh(Counted x) { return ++total().trigonometric, std::tanh(x.value); }
  friend Counted atan2(Counted y, Counted x) {
    return ++total().trigonometric, std::atan2(y.value, x.value);
  }
  friend Counted abs(Counted x) { return std::abs(x.value); }
  friend bool is_finite(Counted x) { return std::isfinite(x.value); }
  friend Counted select(bool mask, Counted a, Counted b) { return mask ? a : b; }
};

/// The operations that `algorithm()` made on Counted numbers in this thread.
template <class F>
OperationCount count_operations(F&& algorithm) {
  const OperationCount before = Counted::total();
  algorithm();
  return Counted::total() - before;
}

}  // namespace ulna

template <>
struct Eigen::NumTraits<ulna::Counted> : ulna::detail::NumTraits<ulna::Counted> {};
