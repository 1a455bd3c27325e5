#pragma once

#include <string>

#include "ulna/codegen/traced.hpp"

namespace ulna::codegen {

enum class CNumber { double_precision, single_precision };

struct COptions {
  CNumber number = CNumber::double_precision;
  /// 2, 4, 8 or 16: how many states a second function computes at a time, in SIMD lanes; 0: there is
  /// none. 4 doubles or 8 floats fill a register of AVX2.
  int lanes = 0;
  /// Sines and cosines of inputs are computed together, four at a time, in the vectors of gcc and clang:
  /// faster, and no longer plain C.
  bool angles_together = false;
  /// What the indices of the vectors mean, for the reader of a header: lines of a comment.
  std::vector<std::string> indices = {};
};

/// A traced function as C99: one function `void <name>(const double *<input>, ..., double *<output>,
/// ...)` of straight-line code that allocates nothing and needs math.h only. Outputs may be the same
/// memory as inputs. The same function gives the same text.
///
/// With lanes, there is also `void <name>_states(size_t count, const double *<input>, ...)`: the
/// same for any number of states, which stand one behind the other in each vector. Compilers with
/// the vectors of gcc compute several at a time, unless ULNA_NO_LANES is defined.
///
/// The pattern of a sparse output is in the constants <name>_<output>_starts and _rows.
struct CFiles {
  std::string header, source;
};
/// Throws std::invalid_argument where there cannot be so many lanes.
CFiles print_c(const Traced& function, const COptions& options = {});

}  // namespace ulna::codegen
