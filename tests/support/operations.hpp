#pragma once

#include <vector>

#include "ulna/num/scalar.hpp"

namespace ulna::test {

/// Every operation of the vocabulary, on any scalar.
template <class T>
std::vector<T> every_operation(const T& x, const T& y, const T& z) {
  const T one(1);
  return {x + y,
          x - y * z,
          -x / (y * y + one),
          sin(x) + cos(y) * tan(z),
          asin(x) - acos(y),
          atan(x + y),
          atan2(x, y),
          sqrt(x * x + one),
          exp(x) * log(y * y + T(2)),
          tanh(-z),
          abs(x - y),
          select(x < y, x, z),
          select(x <= y && !(y > z), T(x * T(3)), T(-y)),
          select(x >= y || z == x, z, one),
          select(x != y, y, one),
          select(is_finite(x), x, one),
          min(max(x, y), z),
          sign(x) * with_sign(y, z),
          x * y - (z - x) * T(-2.5) + (x - x)};
}

}  // namespace ulna::test
