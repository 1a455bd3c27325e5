#pragma once

#include <string>

#include "ulna/codegen/traced.hpp"

namespace ulna {

enum class CNumber { double_precision, single_precision };

/// A traced function as C99: one function `void <name>(const double *<input>, ..., double *<output>,
/// ...)` of straight-line code that allocates nothing and needs math.h only. Outputs may be the same
/// memory as inputs. The same function gives the same text.
struct CFiles {
  std::string header, source;
};
CFiles print_c(const Traced& function, CNumber number = CNumber::double_precision);

/// `void <name>(const double *q, double *tau)`, without a semicolon.
std::string c_prototype(const Traced& function, CNumber number = CNumber::double_precision);

}  // namespace ulna
