#pragma once

#include <random>

namespace ulna {

/// From 0 to below 1, with 53 random bits: the same numbers with every standard library.
inline double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace ulna
