# What to build, with which packages and which flags.

find_package(Eigen3 3.4 REQUIRED)
find_package(tinyxml2 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # Debian: libxxhash-dev; nothing to link
mark_as_advanced(XXHASH_INCLUDE_DIR)

# A library without a CMake package of its own: sets <NAME>_INCLUDE_DIR and <NAME>_LIBRARIES and offers the option
# ULNA_WITH_<NAME>, on by default if it is found; `without` says what is missing if it is not.
function(ulna_optional_library name package header libraries purpose without)
  string(TOUPPER ${name} NAME)
  find_path(${NAME}_INCLUDE_DIR ${header} PATH_SUFFIXES coin coin-or hdf5/serial)
  mark_as_advanced(${NAME}_INCLUDE_DIR)
  set(found ON)
  set(paths)
  foreach(library IN LISTS libraries)
    find_library(${NAME}_LIBRARY_${library} ${library})
    mark_as_advanced(${NAME}_LIBRARY_${library})
    list(APPEND paths "${${NAME}_LIBRARY_${library}}")
  endforeach()
  foreach(path IN LISTS ${NAME}_INCLUDE_DIR paths)
    if(NOT path)
      set(found OFF)
    endif()
  endforeach()
  option(ULNA_WITH_${NAME} "${purpose} (needs ${name})" ${found})
  if(ULNA_WITH_${NAME} AND NOT found)
    message(FATAL_ERROR "ULNA_WITH_${NAME} is on, but ${name} was not found (Debian: ${package})")
  elseif(NOT found)
    message(STATUS "${name} was not found (Debian: ${package}): ${without}")
  endif()
  set(${NAME}_LIBRARIES "${paths}" PARENT_SCOPE)
endfunction()

find_package(yaml-cpp QUIET)
option(ULNA_WITH_YAML "Read tables written in YAML (needs yaml-cpp)" ${yaml-cpp_FOUND})
if(ULNA_WITH_YAML)
  find_package(yaml-cpp REQUIRED)
endif()

ulna_optional_library(GiNaC libginac-dev ginac/ginac.h "ginac;cln"
  "Equations of motion in symbols" "there are no equations in symbols")
ulna_optional_library(Ipopt coinor-libipopt-dev IpTNLP.hpp ipopt
  "Exciting motions and optimal control by nonlinear programming"
  "excitation is by random search, and optimal control is without its second solver")

# Ceres and what it looks for print a page even if they are asked to be quiet
set(log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
find_package(Ceres QUIET)
set(CMAKE_MESSAGE_LOG_LEVEL "${log_level}")
option(ULNA_WITH_CERES "Refine identified parameters by simulation (needs Ceres)" ${Ceres_FOUND})
if(ULNA_WITH_CERES AND NOT Ceres_FOUND)
  message(FATAL_ERROR "ULNA_WITH_CERES is on, but Ceres was not found (Debian: libceres-dev)")
endif()
if(NOT ULNA_WITH_CERES)
  message(STATUS "Refinement of identified parameters is left out: no Ceres (Debian: libceres-dev)")
endif()

ulna_optional_library(SUNDIALS libsundials-dev arkode/arkode_erkstep.h "sundials_arkode;sundials_nvecserial"
  "Simulation with adaptive steps" "simulation has fixed steps only")
ulna_optional_library(MuJoCo libmujoco-dev mujoco/mujoco.h mujoco
  "MuJoCo as a second plant of trials" "ulna's own simulation is the only one")
ulna_optional_library(CycloneDDS "cyclonedds-dev, cyclonedds-tools" dds/dds.h ddsc
  "Robots that speak ROS 2" "robots that speak ROS 2 are not driven")
find_program(IDLC idlc)
mark_as_advanced(IDLC)
if(ULNA_WITH_CYCLONEDDS AND NOT IDLC)
  message(STATUS "idlc was not found (Debian: cyclonedds-tools): robots that speak ROS 2 are not driven")
  set(ULNA_WITH_CYCLONEDDS OFF)
endif()
ulna_optional_library(assimp libassimp-dev assimp/Importer.hpp assimp
  "Meshes of more formats, DAE among them" "meshes are read from STL and OBJ only")

ulna_optional_library(zlib zlib1g-dev zlib.h z
  "Logs that numpy.savez_compressed wrote" "compressed .npz files are not read")
ulna_optional_library(zstd libzstd-dev zstd.h zstd
  "Bags of ROS compressed by zstd" "bags that are compressed by zstd are not read")
ulna_optional_library(lz4 liblz4-dev lz4frame.h lz4
  "Bags of ROS compressed by lz4" "bags that are compressed by lz4 are not read")
ulna_optional_library(bzip2 libbz2-dev bzlib.h bz2
  "Bags of ROS 1 compressed by bzip2" "bags that are compressed by bzip2 are not read")
ulna_optional_library(SQLite libsqlite3-dev sqlite3.h sqlite3
  "Bags of ROS 2 in SQLite" "bags of ROS 2 are read from MCAP only")
ulna_optional_library(HDF5 libhdf5-dev hdf5.h hdf5_serial
  "Logs in HDF5" "HDF5 is not read")

find_package(CLI11 QUIET)
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)
find_path(BEAST_INCLUDE_DIR boost/beast/websocket.hpp)
mark_as_advanced(BEAST_INCLUDE_DIR)
set(viewer_possible OFF)
if(BEAST_INCLUDE_DIR AND nlohmann_json_FOUND)
  set(viewer_possible ON)
else()
  message(STATUS "Boost.Beast or nlohmann_json was not found (Debian: libboost-dev, nlohmann-json3-dev): "
                 "there is no viewer")
endif()
option(ULNA_WITH_VIEWER "Robots in motion, in a browser (needs Boost.Beast, nlohmann_json)"
       ${viewer_possible})
if(ULNA_WITH_VIEWER AND NOT viewer_possible)
  message(FATAL_ERROR "ULNA_WITH_VIEWER is on, but Boost.Beast or nlohmann_json was not found (Debian: "
                      "libboost-dev, nlohmann-json3-dev)")
endif()
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h)
find_library(UTF8PROC_LIBRARY utf8proc)
mark_as_advanced(UTF8PROC_INCLUDE_DIR UTF8PROC_LIBRARY)
set(cli_possible OFF)
if(CLI11_FOUND AND fmt_FOUND AND nlohmann_json_FOUND AND UTF8PROC_INCLUDE_DIR AND UTF8PROC_LIBRARY)
  set(cli_possible ON)
endif()
option(ULNA_BUILD_CLI "Build the command ulna (needs CLI11, fmt, nlohmann_json, utf8proc)" ${cli_possible})

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
  # a fifth less time in files of many templates: the compiler collects garbage beyond 1 GB only
  add_compile_options(--param=ggc-min-heapsize=1000000)
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
                                    CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
                                    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()
