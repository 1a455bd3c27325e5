# Headers parsed once per set of flags instead of once per file. The libraries and the tests leave ulna's
# own headers out, so that editing one rebuilds only what includes it.
option(ULNA_PRECOMPILE "Precompile the headers of the standard library, Eigen and GoogleTest"
       ${PROJECT_IS_TOP_LEVEL})

set(ulna_common_headers
    <algorithm> <array> <charconv> <cmath> <cstdint> <cstdio> <functional> <limits> <map> <memory>
    <numbers> <numeric> <optional> <random> <span> <stdexcept> <string> <string_view> <variant>
    <vector> <Eigen/Dense>)

# ulna_sum_headers(<target> <header>... [INCLUDES <folder>...])
#
# Writes a checksum of what the precompiled header of a target is made of beside it, which ccache hashes in place of
# the header (CCACHE_PCH_EXTSUM). The header's own bytes differ each time it is compiled, so that clones which
# compiled it at the same time would never find each other's objects.
function(ulna_sum_headers target)
  if(NOT CCACHE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir)
  cmake_parse_arguments(PARSE_ARGV 1 with "" "" "INCLUDES")
  list(TRANSFORM with_UNPARSED_ARGUMENTS PREPEND "#include ")
  list(JOIN with_UNPARSED_ARGUMENTS "\n" text)
  file(WRITE ${folder}/summed_headers.hpp "${text}\n")
  get_target_property(folders Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  list(APPEND folders ${with_INCLUDES})
  list(TRANSFORM folders PREPEND "-idirafter")  # -isystem /usr/include hides headers of C from those of C++
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${folders} -M ${folder}/summed_headers.hpp
    OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^[^:]*:|\\\\\n" " " files "${files}")
  separate_arguments(files UNIX_COMMAND "${files}")
  set(sums ${CMAKE_CXX_COMPILER_VERSION})
  foreach(file IN LISTS files)
    file(SHA1 ${file} sum)
    list(APPEND sums ${sum})
  endforeach()
  string(SHA1 sum "${sums}")
  file(CONFIGURE OUTPUT ${folder}/cmake_pch.hxx.gch.sum CONTENT "${sum}\n")
  list(FILTER files EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
endfunction()

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
    ulna_sum_headers(${target} ${ulna_common_headers} ${ARGN})
    set_property(GLOBAL PROPERTY ULNA_PRECOMPILED_${set} ${target})
  endif()
endfunction()
