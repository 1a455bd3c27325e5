#pragma once

#include <Eigen/Core>

#include "ulna/num/scalar.hpp"

// What one file allocates another frees, and what one file places in a struct another finds there: Eigen must
// align and allocate memory in one way in all files of a program, whatever instructions each is compiled for.
#if EIGEN_MAX_STATIC_ALIGN_BYTES != 32 || \
    (!defined(ULNA_KERNEL) && (EIGEN_MAX_ALIGN_BYTES != 32 || EIGEN_MALLOC_ALREADY_ALIGNED != 0))
#error \
    "ulna was built with -DEIGEN_MAX_ALIGN_BYTES=32 -DEIGEN_MAX_STATIC_ALIGN_BYTES=32 -DEIGEN_MALLOC_ALREADY_ALIGNED=0: compile all files of the program that use Eigen with all three (the CMake package ulna::ulna and `pkg-config --cflags ulna` do)"
#endif

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
