# Several files compiled as one: what they all include is parsed, and what they all instantiate is made, once.
# For code that is not hot; in the files of one target, names in unnamed namespaces must then differ.
option(ULNA_UNITY "Compile the files of the tests and of the command several at a time"
       ${PROJECT_IS_TOP_LEVEL})

# ulna_unity(<target> <how many files at a time>)
function(ulna_unity target files)
  if(NOT ULNA_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  # a local name may be that of something in another file
  target_compile_options(
    ${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endfunction()
