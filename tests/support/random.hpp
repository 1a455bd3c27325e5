#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

/// Random numbers that are the same on every machine.
namespace ulna::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double real(double low = -1.0, double high = 1.0) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }

  /// A scalar of any kind. Lanes differ from each other, and a dual has derivatives in [-1, 1].
  template <class T>
  T scalar(double low = -1.0, double high = 1.0) {
    if constexpr (requires { T::lanes; }) {
      T x;
      for (int lane = 0; lane < T::lanes; ++lane)
        x.set(lane, static_cast<typename T::Real>(real(low, high)));
      return x;
    } else if constexpr (requires { T::directions; }) {
      T x;
      x.value = scalar<decltype(x.value)>(low, high);
      for (auto& derivative : x.gradient) derivative = scalar<decltype(x.value)>();
      return x;
    } else {
      return T(static_cast<T>(real(low, high)));
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// Runs a law on random inputs, a few times; a failure tells the seed.
template <class Law>
void for_each_seed(Law law, std::uint64_t count = 10) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    law(random);
  }
}

}  // namespace ulna::test
