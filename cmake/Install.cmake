# `cmake --install`: libraries, headers, the command, its completions, and the CMake package.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ulna)
get_property(targets GLOBAL PROPERTY ULNA_LAYERS)
list(TRANSFORM targets PREPEND ulna_)

install(TARGETS ${targets} ulna_umbrella ulna_c EXPORT ulna FILE_SET HEADERS)
# both sides of the protocol between processes, in C
install(FILES src/link/ulna_link.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# what is installed, and so has to be built before: neither tests nor examples
add_custom_target(ulna_installed)
add_dependencies(ulna_installed ${targets} ulna_umbrella ulna_c)
if(TARGET ulna_python)
  add_dependencies(ulna_installed ulna_python)
endif()
install(EXPORT ulna NAMESPACE ulna:: FILE ulnaTargets.cmake DESTINATION ${package_dir})

# a static library leaves it to its user to link what it needs inside
set(ULNA_INNER_PACKAGES "")
if(NOT BUILD_SHARED_LIBS)
  set(ULNA_INNER_PACKAGES tinyxml2 Threads)
  if(ULNA_WITH_YAML)
    list(APPEND ULNA_INNER_PACKAGES yaml-cpp)
  endif()
  if(ULNA_WITH_CERES AND NOT ceres_is_shared)
    list(APPEND ULNA_INNER_PACKAGES Ceres)
  endif()
endif()
configure_package_config_file(
  cmake/ulnaConfig.cmake.in ulnaConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(ulnaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/ulnaConfig.cmake ${PROJECT_BINARY_DIR}/ulnaConfigVersion.cmake
  DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# the same for those who build by hand or with other tools: pkg-config --cflags --libs --static ulna
get_property(layers GLOBAL PROPERTY ULNA_LAYERS)
set(ULNA_PC_LIBS "")
foreach(layer IN LISTS layers)
  get_target_property(type ulna_${layer} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    string(PREPEND ULNA_PC_LIBS "-lulna_${layer} ")  # users before what they use
  endif()
endforeach()
set(ULNA_PC_INNER_LIBS "-ltinyxml2 -lpthread -ldl")
foreach(
  optional
  "YAML -lyaml-cpp" "GINAC -lginac -lcln" "IPOPT -lipopt" "CERES -lceres -lglog"
  "SUNDIALS -lsundials_arkode -lsundials_nvecserial" "MUJOCO -lmujoco" "CYCLONEDDS -lddsc" "ASSIMP -lassimp"
  "ZLIB -lz" "ZSTD -lzstd" "LZ4 -llz4" "BZIP2 -lbz2" "SQLITE -lsqlite3" "HDF5 -lhdf5_serial")
  string(REGEX MATCH "^([A-Z0-9]+) (.*)$" parts ${optional})
  if(ULNA_WITH_${CMAKE_MATCH_1})
    string(APPEND ULNA_PC_INNER_LIBS " ${CMAKE_MATCH_2}")
  endif()
endforeach()
file(RELATIVE_PATH ULNA_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/ulna.pc.in ulna.pc @ONLY)
configure_file(cmake/ulna_c.pc.in ulna_c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ulna.pc ${PROJECT_BINARY_DIR}/ulna_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(NOT TARGET ulna)
  return()
endif()
install(TARGETS ulna)
add_dependencies(ulna_installed ulna)

# install_completion(<file of tools/completions> <folder below share> <name there>)
function(install_completion file folder name)
  set(path ${PROJECT_SOURCE_DIR}/tools/completions/${file})
  if(EXISTS ${path})
    install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
  endif()
endfunction()
install_completion(ulna.bash bash-completion/completions ulna)
install_completion(_ulna zsh/site-functions _ulna)
install_completion(ulna.fish fish/vendor_completions.d ulna.fish)
