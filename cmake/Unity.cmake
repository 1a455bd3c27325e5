# Several files compiled as one: what they all include is parsed, and what they all instantiate is made, once.
# For code that is not hot; in the files of one target, names in unnamed namespaces must then differ.
option(ULNA_UNITY "Compile files several at a time, but those of dynamics and derivatives"
       ${PROJECT_IS_TOP_LEVEL})

# ulna_unity(<target> <how many files at a time>)
# CMake's own UNITY_BUILD writes absolute paths, so that ccache finds nothing of it in another clone.
function(ulna_unity target files)
  if(NOT ULNA_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
  # kernels are compiled several times, for several sets of instructions; files with flags of their own stand alone
  list(FILTER sources EXCLUDE REGEX "_kernel\\.cpp$|/instantiate_")
  foreach(source IN LISTS sources)
    foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS)
      get_source_file_property(own ${source} ${property})
      if(own)
        list(REMOVE_ITEM sources ${source})
      endif()
    endforeach()
  endforeach()
  set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)

  set(number 0)
  while(sources)
    set(text "")
    foreach(i RANGE 1 ${files})
      list(POP_FRONT sources source)
      if(source)
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
        string(APPEND text "#include \"${source}\"\n")
      endif()
    endforeach()
    set(unity ${CMAKE_CURRENT_BINARY_DIR}/${target}_unity/${number}.cpp)
    file(CONFIGURE OUTPUT ${unity} CONTENT "${text}" @ONLY)
    target_sources(${target} PRIVATE ${unity})
    math(EXPR number "${number} + 1")
  endwhile()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  # a local name may be that of something in another file
  target_compile_options(
    ${target} PRIVATE -Wno-shadow "$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local;-Wno-subobject-linkage>")
endfunction()
