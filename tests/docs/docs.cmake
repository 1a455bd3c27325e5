# docs/*: links, and the code blocks of README.md and docs/, a test per page; see blocks.py. `ctest -V -R ^docs/` lists the blocks.

set(docs_python ${Python_EXECUTABLE})
if(NOT docs_python)
  find_program(docs_python_found python3)
  mark_as_advanced(docs_python_found)
  set(docs_python ${docs_python_found})
endif()
execute_process(COMMAND ${docs_python} -c "import pytest" ERROR_QUIET RESULT_VARIABLE no_pytest)
if(NOT docs_python OR no_pytest)
  message(STATUS "Tests leave out the documents: no pytest (Debian: python3-pytest)")
  return()
endif()

# their C++ in one program
set(docs_tests ${CMAKE_CURRENT_SOURCE_DIR}/docs)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
list(APPEND pages ${PROJECT_SOURCE_DIR}/README.md)
file(GLOB_RECURSE givens CONFIGURE_DEPENDS ${docs_tests}/given/*.hpp)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/docs_blocks.cpp)
add_custom_command(
  OUTPUT ${generated}
  COMMAND ${docs_python} -B ${docs_tests}/blocks.py generate ${generated}
  DEPENDS ${pages} ${givens} ${docs_tests}/blocks.py
  VERBATIM)
add_executable(docs_blocks ${generated})
target_include_directories(docs_blocks PRIVATE ${docs_tests}/given)
target_link_libraries(docs_blocks PRIVATE ulna::ulna)
# it is compiled more often than it runs
target_compile_options(docs_blocks PRIVATE -O0 -g0 -Wno-shadow -Wno-unused-variable -Wno-unused-but-set-variable)

set(environment "ULNA_DOCS_BLOCKS=$<TARGET_FILE:docs_blocks>;PYTHONDONTWRITEBYTECODE=1;PYTHONPATH=${PROJECT_BINARY_DIR}/python")
if(TARGET ulna)
  list(APPEND environment "ULNA_COMMAND=$<TARGET_FILE:ulna>")
endif()
add_test(NAME docs/links COMMAND ${docs_python} -m pytest -q -p no:cacheprovider ${docs_tests}/test_links.py)
set_tests_properties(docs/links PROPERTIES LABELS docs ENVIRONMENT "${environment}")
foreach(page IN LISTS pages)
  file(STRINGS ${page} code REGEX "^ *```" LIMIT_COUNT 1)
  if(code)
    cmake_path(RELATIVE_PATH page BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    add_test(NAME ${name} COMMAND ${docs_python} -m pytest -v -rs -p no:cacheprovider ${docs_tests}/test_blocks.py -k "${name}:")
    set_tests_properties(${name} PROPERTIES LABELS docs ENVIRONMENT "${environment}")
  endif()
endforeach()
