#pragma once

namespace ulna::test {

/// df/dt at 0 by the five-point rule: exact for polynomials of degree 4, so that its error is about
/// h^4 f⁗'/30 + 1.5 ε f/h. With h = 1e-3 both are near 1e-13 for a function that varies on a scale
/// of 1.
template <class F>
auto five_point_derivative(F f, double h = 1e-3) {
  using Value = decltype(f(h));
  const Value near = f(h) - f(-h), far = f(2.0 * h) - f(-2.0 * h);
  return Value((8.0 * near - far) / (12.0 * h));
}

/// df/dt at 0 by the nine-point rule, whose error is about h^8 f^(9)/630 + ε f/h: steps may be longer than
/// with five points, and rounding counts less.
template <class F>
auto nine_point_derivative(F f, double h = 3e-3) {
  using Value = decltype(f(h));
  const auto difference = [&](int k) { return Value(f(k * h) - f(-k * h)); };
  return Value(
      (672.0 * difference(1) - 168.0 * difference(2) + 32.0 * difference(3) - 3.0 * difference(4)) /
      (840.0 * h));
}

/// d²f/dt² at 0 by the five-point rule: its error is about h^4 f''''''/90 + 5 ε f/h².
template <class F>
auto five_point_second_derivative(F f, double h = 1e-2) {
  using Value = decltype(f(h));
  const Value near = f(h) + f(-h), far = f(2.0 * h) + f(-2.0 * h), here = f(0.0);
  return Value((16.0 * near - far - 30.0 * here) / (12.0 * h * h));
}

}  // namespace ulna::test
