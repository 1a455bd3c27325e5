#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <vector>

/// Comparing whatever is made of scalars: numbers, packs, duals, matrices, twists, poses, inertias.
namespace ulna::test {

/// All the plain numbers inside something, and the coarsest spacing among them.
struct Values {
  std::vector<double> numbers;
  double epsilon = std::numeric_limits<double>::epsilon();
};

template <class X>
void flatten(const X& x, Values& out) {
  if constexpr (std::floating_point<X>) {
    out.numbers.push_back(static_cast<double>(x));
    out.epsilon = std::max(out.epsilon, static_cast<double>(std::numeric_limits<X>::epsilon()));
  } else if constexpr (requires { X::lanes; }) {
    for (int lane = 0; lane < X::lanes; ++lane) flatten(x[lane], out);
  } else if constexpr (requires { X::directions; }) {
    flatten(x.value, out);
    for (const auto& derivative : x.gradient) flatten(derivative, out);
  } else if constexpr (std::derived_from<X, Eigen::MatrixBase<X>>) {
    const typename X::PlainObject m = x;
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      for (Eigen::Index i = 0; i < m.rows(); ++i) flatten(m(i, j), out);
  } else if constexpr (requires { x.angular; }) {
    flatten(x.angular, out), flatten(x.linear, out);
  } else if constexpr (requires { x.force; }) {
    flatten(x.moment, out), flatten(x.force, out);
  } else if constexpr (requires { x.parameters(); }) {
    flatten(x.parameters(), out);
  } else if constexpr (requires { x.coefficients(); }) {
    flatten(x.coefficients(), out);
  } else if constexpr (requires { x.matrix(); }) {
    flatten(x.matrix(), out);
  } else {
    flatten(x.value, out);
  }
}

template <class X>
Values values(const X& x) {
  Values v;
  flatten(x, v);
  return v;
}

/// Fails, at the caller's line, unless every number of a is within `tolerance` of that of b. The
/// tolerance is what double deserves for numbers about 1: it grows with the largest number compared
/// and with the spacing of a coarser type.
template <class A, class B>
void expect_close(const A& a, const B& b, double tolerance, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  const Values va = values(a), vb = values(b);
  const auto &x = va.numbers, &y = vb.numbers;
  if (x.size() != y.size()) {
    ADD_FAILURE_AT(file, line) << x.size() << " numbers against " << y.size();
    return;
  }
  double size = 1.0;
  for (const auto* numbers : {&x, &y})
    for (const double number : *numbers)
      if (std::isfinite(number)) size = std::max(size, std::abs(number));
  const double coarseness =
      std::max(va.epsilon, vb.epsilon) / std::numeric_limits<double>::epsilon();
  const double bound = tolerance * coarseness * size;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(x[i] == y[i] || std::abs(x[i] - y[i]) <= bound)) {
      char text[160];
      std::snprintf(text, sizeof text,
                    "number %zu of %zu: %.17g against %.17g, apart by %.3g > %.3g", i, x.size(),
                    x[i], y[i], std::abs(x[i] - y[i]), bound);
      ADD_FAILURE_AT(file, line) << text;
      return;
    }
}

/// No NaN and no infinity anywhere.
template <class X>
bool all_finite(const X& x) {
  const Values v = values(x);
  return std::all_of(v.numbers.begin(), v.numbers.end(), [](double n) { return std::isfinite(n); });
}

}  // namespace ulna::test
