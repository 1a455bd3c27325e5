# What to build, with which packages and which flags.

find_package(Eigen3 3.4 REQUIRED)
find_package(tinyxml2 REQUIRED)

find_package(yaml-cpp QUIET)
option(ULNA_WITH_YAML "Read tables written in YAML (needs yaml-cpp)" ${yaml-cpp_FOUND})
if(ULNA_WITH_YAML)
  find_package(yaml-cpp REQUIRED)
endif()

find_package(CLI11 QUIET)
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)
set(cli_possible OFF)
if(CLI11_FOUND AND fmt_FOUND AND nlohmann_json_FOUND)
  set(cli_possible ON)
endif()
option(ULNA_BUILD_CLI "Build the command ulna (needs CLI11, fmt, nlohmann_json)" ${cli_possible})

option(ULNA_BUILD_BENCH "Build the benchmarks" OFF)
option(ULNA_BUILD_TESTS "Build the tests (needs GoogleTest)" ${PROJECT_IS_TOP_LEVEL})
option(ULNA_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(ULNA_WERROR "Treat warnings as errors" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_COMPILE_WARNING_AS_ERROR ${ULNA_WERROR})
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # inlined Eigen expressions and string concatenation trip these on sound code (g++ 12)
  add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-restrict)
endif()

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()

  find_program(CCACHE ccache)
  mark_as_advanced(CCACHE)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # paths below the source tree count as relative: another clone finds the same objects
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
                                    CCACHE_NOHASHDIR=1 ${CCACHE})
  endif()
endif()
