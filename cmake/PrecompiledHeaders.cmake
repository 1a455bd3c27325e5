# Headers parsed once per set of flags instead of once per file. The libraries and the tests leave ulna's
# own headers out, so that editing one rebuilds only what includes it.
option(ULNA_PRECOMPILE "Precompile the headers of the standard library, Eigen and GoogleTest"
       ${PROJECT_IS_TOP_LEVEL})

set(ulna_common_headers
    <algorithm> <array> <charconv> <cmath> <cstdint> <cstdio> <functional> <limits> <map> <memory>
    <numbers> <numeric> <optional> <random> <span> <stdexcept> <string> <string_view> <variant>
    <vector> <Eigen/Dense>)

# ulna_precompile(<target> <set> [<header>...])
#
# Lets a target use a set of precompiled headers. The first target of a set compiles it, all others
# with the same flags use it.
function(ulna_precompile target set)
  if(NOT ULNA_PRECOMPILE)
    return()
  endif()
  # with -O3, g++ 12 finds its own std::string at fault where its header is precompiled
  target_compile_options(
    ${target} PRIVATE
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overflow;-Wno-stringop-overread>")
  get_property(owner GLOBAL PROPERTY ULNA_PRECOMPILED_${set})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ulna_common_headers} ${ARGN})
    set_property(GLOBAL PROPERTY ULNA_PRECOMPILED_${set} ${target})
  endif()
endfunction()
