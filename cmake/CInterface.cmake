# ulna::c: libulna_c, the shared library of include/ulna/ulna.h. It holds all layers that it needs and exports the functions of
# that header alone (src/c/ulna_c.map), so it meets no C++ of a program that it is linked or loaded into.

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/c/*.cpp)
set(symbols ${PROJECT_SOURCE_DIR}/src/c/ulna_c.map)
add_library(ulna_c SHARED ${sources})
add_library(ulna::c ALIAS ulna_c)
target_include_directories(ulna_c PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(ulna_c PRIVATE ULNA_VERSION="${PROJECT_VERSION}")
target_link_libraries(ulna_c PRIVATE ulna::mpc ulna::robot)
target_sources(
  ulna_c PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${PROJECT_SOURCE_DIR}/include/ulna/ulna.h)
set_target_properties(
  ulna_c PROPERTIES
  EXPORT_NAME c
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${symbols})
# libraries that nothing here calls are not loaded with it
target_link_options(ulna_c PRIVATE -Wl,--version-script=${symbols} -Wl,--no-undefined -Wl,--as-needed -Wl,--gc-sections)
ulna_precompile(ulna_c library)
