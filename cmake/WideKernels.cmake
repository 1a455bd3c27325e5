# ulna_wide_kernel(<layer> <source> <kernel> <baseline, avx2 or avx512>)
#
# Adds src/<layer>/<source>, compiled for wider instructions than the rest, to a layer: its one function
# that is seen outside, which it calls ULNA_KERNEL, becomes <kernel>_<instructions>. Code for AVX2 must not
# replace the same inline function of another file on a processor without it, so the object is closed up:
# all of its symbols but that one become its own.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_OBJCOPY AND CMAKE_LINKER AND NOT CMAKE_CXX_FLAGS MATCHES "coverage")
  set(wide_kernels_possible ON)
else()
  set(wide_kernels_possible OFF)
endif()
include(CheckCXXCompilerFlag)
option(ULNA_WIDE_KERNELS "Batch kernels for AVX2 and AVX-512, chosen at run time" ${wide_kernels_possible})

function(ulna_wide_kernel layer source kernel instructions)
  set(library ulna_${layer})
  set(name ${kernel}_${instructions})
  set(flags)
  set(bits 256)
  if(NOT instructions STREQUAL "baseline")
    set(flags -mavx2 -mfma)
  endif()
  if(instructions STREQUAL "avx512")
    list(APPEND flags -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512)
    set(bits 512)
  endif()
  target_compile_definitions(${library} PRIVATE ULNA_WIDE_KERNELS=$<BOOL:${ULNA_WIDE_KERNELS}>)
  if(NOT ULNA_WIDE_KERNELS)
    return()
  endif()
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/src/${layer}/${source})
  target_compile_definitions(${name} PRIVATE ULNA_KERNEL=${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ulna::model)
  # unique symbols, a GNU speciality, cannot be made an object's own
  target_compile_options(${name} PRIVATE ${flags} -fno-gnu-unique)
  # g++ 12 finds its own intrinsics for AVX-512 uninitialized
  target_compile_options(${name} PRIVATE -Wno-uninitialized)
  # copying a pack by halves makes the load that follows wait
  check_cxx_compiler_flag(-mmove-max=256 ULNA_MOVES_WHOLE_PACKS)
  if(ULNA_MOVES_WHOLE_PACKS AND NOT instructions STREQUAL "baseline")
    target_compile_options(${name} PRIVATE -mmove-max=${bits} -mstore-max=${bits})
  endif()
  # so that memory for packs is aligned to them
  math(EXPR bytes "${bits} / 8")
  target_compile_options(${name} PRIVATE -UEIGEN_MAX_ALIGN_BYTES -DEIGEN_MAX_ALIGN_BYTES=${bytes})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)

  set(closed ${PROJECT_BINARY_DIR}/${name}_closed.o)
  add_custom_command(
    OUTPUT ${closed}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${closed}.open $<TARGET_OBJECTS:${name}>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${name} ${closed}.open ${closed}
    DEPENDS ${name} $<TARGET_OBJECTS:${name}>
    COMMENT "Closing up ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${library} PRIVATE ${closed})
  set_source_files_properties(${closed} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()
