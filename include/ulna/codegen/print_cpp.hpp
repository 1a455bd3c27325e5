#pragma once

#include "ulna/codegen/print_c.hpp"

namespace ulna::codegen {

/// A traced function and what it is called in C++, where a namespace takes the place of a prefix.
struct CppFunction {
  std::string name;
  const Traced* traced;
};

/// A header of C++20 over the files that print_c makes of these functions with these options, in need
/// of nothing but them: namespace `name`, vectors of fixed sizes that only spans and arrays of the same
/// size can be given for, and results returned:
///
///     const std::array<double, 7> tau = panda::id(q, v, a);
///     const panda::did_result slope = panda::did(q, v, a);    // slope.dtau_dq(row, column)
///
/// With lanes, `id_states` takes spans of arrays, one for each state. Throws std::invalid_argument
/// where a name cannot be one in C++.
std::string print_cpp(const std::string& name, const std::vector<CppFunction>& functions,
                      const COptions& options = {});

}  // namespace ulna::codegen
