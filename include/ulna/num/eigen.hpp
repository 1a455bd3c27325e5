#pragma once

#include <Eigen/Core>

#include "ulna/num/scalar.hpp"

namespace ulna::detail {

/// What Eigen needs of a scalar to put it into matrices.
template <class T>
struct NumTraits : Eigen::GenericNumTraits<T> {
  enum { IsSigned = 1, AddCost = 2, MulCost = 2 };
  static T epsilon() { return T(ulna::epsilon<T>()); }
  static T dummy_precision() { return T(1e4 * ulna::epsilon<T>()); }
  static T highest() { return T(static_cast<double>(std::numeric_limits<ulna::Real<T>>::max())); }
  static T lowest() { return T(static_cast<double>(std::numeric_limits<ulna::Real<T>>::lowest())); }
  static T infinity() { return T(std::numeric_limits<double>::infinity()); }
  static int digits10() { return std::numeric_limits<ulna::Real<T>>::digits10; }
};

}  // namespace ulna::detail
