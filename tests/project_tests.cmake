# Tests of the project as a whole: its layers, its headers, its types, its installed package.

add_test(NAME layers COMMAND ${PROJECT_SOURCE_DIR}/tools/check-layers)
add_test(NAME layers_check_finds_violations COMMAND layers/run.sh)
set_tests_properties(
  layers_check_finds_violations PROPERTIES WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})

# headers_alone: each public header compiles by itself, and twice. One that reads Eigen or the model anyway finds it
# precompiled, which changes nothing else: what it reads is checked by itself, too.
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/include/*.hpp)
if(NOT headers)
  return()
endif()

# read_by(<public header> <variable>): all that it includes, directly or not
function(read_by header variable)
  get_property(known GLOBAL PROPERTY ULNA_READ_BY_${header} SET)
  if(NOT known)
    set(all "")
    file(STRINGS ${PROJECT_SOURCE_DIR}/include/${header} lines REGEX "^#include")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include [<\"]([^>\"]+).*" "\\1" name "${line}")
      list(APPEND all ${name})
      if(name MATCHES "^ulna/")
        read_by(${name} inner)
        list(APPEND all ${inner})
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY ULNA_READ_BY_${header} "${all}")
  endif()
  get_property(all GLOBAL PROPERTY ULNA_READ_BY_${header})
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

foreach(header IN LISTS headers)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n")
  read_by(${header} read)
  # it refuses Eigen as the library was not compiled with it
  set(reads_check "${read};${header}")
  if("${read}" MATCHES "Eigen/" AND NOT "ulna/num/eigen.hpp" IN_LIST reads_check)
    message(SEND_ERROR "${header} reads Eigen without ulna/num/eigen.hpp")
  endif()
  if("ulna/model/model.hpp" IN_LIST read)
    list(APPEND sources_after_model ${source})
  elseif("${read}" MATCHES "Eigen/")
    list(APPEND sources_after_eigen ${source})
  else()
    list(APPEND sources_after_nothing ${source})
  endif()
endforeach()
set(before_model <ulna/model/model.hpp>)
set(before_eigen <Eigen/Core>)
set(before_nothing "")
add_custom_target(headers_alone)
foreach(first model eigen nothing)
  set(target headers_alone_after_${first})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources_after_${first}})
  target_link_libraries(${target} PRIVATE ulna::ulna)
  target_compile_options(${target} PRIVATE -O0 -g0)
  target_precompile_headers(${target} PRIVATE ${before_${first}})
  # ccache has kept such a precompiled header after its files had changed
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "")
  add_dependencies(headers_alone ${target})
endforeach()

# wrong_code_fails_to_compile: each file compiles, and no longer does with -DWRONG.
set(include_dirs $<TARGET_PROPERTY:headers_alone_after_nothing,INCLUDE_DIRECTORIES>)
set(compile ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only "-D$<JOIN:$<TARGET_PROPERTY:ulna_spatial,INTERFACE_COMPILE_DEFINITIONS>,;-D>"
    "-I$<JOIN:${include_dirs},;-I>")
set(script ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/run.cmake)
file(GLOB cases CONFIGURE_DEPENDS compile_fail/*.cpp)
set(stamps "")
foreach(case IN LISTS cases)
  cmake_path(GET case STEM name)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/compile_fail/${name})
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DCASE=${case} -DSTAMP=${stamp} "-DCOMPILE=${compile}" -P ${script}
    DEPENDS ${case} ${script}
    DEPFILE ${stamp}.d
    COMMENT "Trying wrong code: ${name}"
    VERBATIM)
  list(APPEND stamps ${stamp})
endforeach()
add_custom_target(wrong_code_fails_to_compile DEPENDS ${stamps})

# These two are builds that only compile what has changed, one at a time in the one build tree.
foreach(target headers_alone wrong_code_fails_to_compile)
  add_test(NAME ${target} COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${target})
  set_tests_properties(${target} PROPERTIES RESOURCE_LOCK build_tree)
endforeach()

# package: what is installed serves a project that knows nothing but find_package(ulna).
add_test(
  NAME package
  COMMAND
    ${CMAKE_COMMAND}
    -DBUILD=${PROJECT_BINARY_DIR}
    -DWORK=${CMAKE_CURRENT_BINARY_DIR}/package
    -DCONFIG=$<CONFIG>
    -DGENERATOR=${CMAKE_GENERATOR}
    -DCXX=${CMAKE_CXX_COMPILER}
    -DCC=${CMAKE_C_COMPILER}
    -DFLAGS=${CMAKE_CXX_FLAGS}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/package/run.cmake)

# The protocol between processes in C99 and in Python, and what happens when one of them is killed.
find_program(ULNA_PYTHON3 python3)
mark_as_advanced(ULNA_PYTHON3)
if(ULNA_PYTHON3)
  if(TARGET ulna)
    set(ulna_command $<TARGET_FILE:ulna>)
    add_test(NAME link/kills COMMAND ${ULNA_PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/link/kill.py ${ulna_command} --count 3)
  endif()
  add_test(NAME link/examples COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/link/examples.sh ${PROJECT_SOURCE_DIR} ${ulna_command})
endif()

# The hashes of types that ROS 2 announces.
if(ULNA_PYTHON3)
  add_test(NAME ros2/type_hashes COMMAND ${ULNA_PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/ros2/type_hashes.py
                                         ${PROJECT_SOURCE_DIR}/src/ros2/messages.idl ${PROJECT_SOURCE_DIR}/src/ros2/domain.cpp)
endif()

# Examples whose exit code says whether they come to a good end.
if(TARGET swing_up)
  add_test(NAME example_swing_up COMMAND swing_up)
endif()
