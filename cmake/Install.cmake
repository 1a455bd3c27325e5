# `cmake --install`: libraries, headers, the command, its completions, and the CMake package.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ulna)
get_property(targets GLOBAL PROPERTY ULNA_LAYERS)
list(TRANSFORM targets PREPEND ulna_)

install(TARGETS ${targets} ulna_umbrella EXPORT ulna FILE_SET HEADERS)
install(EXPORT ulna NAMESPACE ulna:: FILE ulnaTargets.cmake DESTINATION ${package_dir})

# a static library leaves it to its user to link what it needs inside
set(ULNA_INNER_PACKAGES "")
if(NOT BUILD_SHARED_LIBS)
  set(ULNA_INNER_PACKAGES tinyxml2 Threads)
  if(ULNA_WITH_YAML)
    list(APPEND ULNA_INNER_PACKAGES yaml-cpp)
  endif()
  if(ULNA_WITH_CERES)
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

if(NOT TARGET ulna)
  return()
endif()
install(TARGETS ulna)

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
