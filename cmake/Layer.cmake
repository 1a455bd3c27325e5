# ulna_layer(<name> [DEPENDS <layer>...] [SOURCES <file>...])
#
# The library ulna::<name>, made of all that lies in include/ulna/<name> and src/<name> and in their
# sub-folders that are no layers of their own: a new file needs no edit here. A layer without a .cpp
# file is header-only. SOURCES adds generated files.
function(ulna_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;SOURCES")
  string(REPLACE "/" "_" flat_name ${name})
  set(target ulna_${flat_name})

  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/ulna/${name}/*.hpp)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/layers.txt inner_layers REGEX "^${name}/[^ ]+ +->")
  foreach(inner IN LISTS inner_layers)
    string(REGEX REPLACE " .*" "" inner ${inner})
    list(FILTER headers EXCLUDE REGEX "/include/ulna/${inner}/")
    list(FILTER sources EXCLUDE REGEX "/src/${inner}/")
  endforeach()
  list(APPEND sources ${arg_SOURCES})
  if(sources)
    set(scope PUBLIC)
    add_library(${target} ${sources})
    # so that they can become part of a Python module; functions are still inlined as in a program
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    endif()
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    ulna_precompile(${target} library)
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(ulna::${flat_name} ALIAS ${target})

  list(TRANSFORM arg_DEPENDS PREPEND ulna::)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS} Eigen3::Eigen)
  target_compile_features(${target} ${scope} cxx_std_20)
  # Eigen's types keep their alignment, and what one file allocates another may free, whatever
  # instructions each is compiled for
  target_compile_definitions(${target} ${scope} EIGEN_MAX_ALIGN_BYTES=32 EIGEN_MAX_STATIC_ALIGN_BYTES=32
                                                EIGEN_MALLOC_ALREADY_ALIGNED=0)
  target_sources(
    ${target} ${scope}
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})

  set_target_properties(
    ${target} PROPERTIES
    EXPORT_NAME ${flat_name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set_property(GLOBAL APPEND PROPERTY ULNA_LAYERS ${flat_name})
endfunction()

# ulna_umbrella()
#
# ulna::ulna: the header ulna/ulna.hpp and all layers made so far.
function(ulna_umbrella)
  get_property(layers GLOBAL PROPERTY ULNA_LAYERS)
  list(TRANSFORM layers PREPEND ulna::)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/ulna/*.hpp)

  add_library(ulna_umbrella INTERFACE)
  add_library(ulna::ulna ALIAS ulna_umbrella)
  target_link_libraries(ulna_umbrella INTERFACE ${layers})
  target_sources(
    ulna_umbrella INTERFACE
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  set_target_properties(ulna_umbrella PROPERTIES EXPORT_NAME ulna)
endfunction()
