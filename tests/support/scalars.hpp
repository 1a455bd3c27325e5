#pragma once

#include <gtest/gtest.h>

#include "ulna/num/counted.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/num/pack.hpp"

/// The scalars on which a law suite is instantiated: TYPED_TEST_SUITE(Laws, Scalars, ScalarNames).
namespace ulna::test {

using Scalars = ::testing::Types<double, float, Pack<double, 4>, Dual<double, 3>, Counted>;

struct ScalarNames {
  template <class T>
  static std::string GetName(int) {
    if constexpr (std::same_as<T, double>)
      return "Double";
    else if constexpr (std::same_as<T, float>)
      return "Float";
    else if constexpr (requires { T::lanes; })
      return "Pack";
    else if constexpr (requires { T::directions; })
      return "Dual";
    else
      return "Counted";
  }
};

}  // namespace ulna::test
