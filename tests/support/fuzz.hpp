#pragma once

#include <cstdlib>

namespace ulna::test {

/// How many cases a test tries whose input is damaged or random: as many as it usually does, times ULNA_FUZZ.
inline long fuzz_cases(long usual) {
  const char* factor = std::getenv("ULNA_FUZZ");
  return factor ? static_cast<long>(static_cast<double>(usual) * std::atof(factor)) : usual;
}

}  // namespace ulna::test
