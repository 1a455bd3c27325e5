# Installs BUILD into WORK, then configures, compiles and runs the project beside this file there,
# as a user would.

function(run)
  execute_process(
    COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(microseconds variable)
  string(TIMESTAMP now "%s%f")
  set(${variable} ${now} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_C_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2)
if(output MATCHES "Ceres|SuiteSparse|tinyxml2")
  message(FATAL_ERROR "find_package(ulna) talks about what is inside:\n${output}")
endif()

microseconds(start)
run(${CMAKE_COMMAND} --build ${WORK}/build --target objects)
microseconds(end)
math(EXPR tenths "(${end} - ${start} + 50000) / 100000")
string(REGEX REPLACE "(.)$" ".\\1" seconds "0${tenths}")
string(REGEX REPLACE "^0([0-9])" "\\1" seconds "${seconds}")

run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/native_consumer)
run(${WORK}/build/c_consumer)
run(${WORK}/build/consumer)
message("${output}compile time of a small consumer: ${seconds} s")

# by hand: what pkg-config says is enough, and without it nothing is compiled that would break the heap
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${WORK}/prefix/ulna.pc)
  get_filename_component(folder ${pc} DIRECTORY)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs --static ulna)
  separate_arguments(flags UNIX_COMMAND "${output}")
  separate_arguments(own UNIX_COMMAND "${FLAGS}")
  run(${CXX} ${own} -O1 ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${WORK}/by_hand ${flags})
  run(${WORK}/by_hand)
  # in C, too, which needs no more than a C compiler
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs ulna_c)
  separate_arguments(c_flags UNIX_COMMAND "${output}")
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --variable=libdir ulna_c)
  string(STRIP "${output}" libdir)
  run(${CC} ${own} -std=c99 -pedantic -Wall -Wextra -Werror ${CMAKE_CURRENT_LIST_DIR}/main.c -o ${WORK}/by_hand_c ${c_flags})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libdir} ${WORK}/by_hand_c)
  # a header of each kind, with another value of one of the definitions, without it, or without all of them
  list(FILTER flags EXCLUDE REGEX "^-l|^-L|\\.a$")
  set(wrong "-DEIGEN_MAX_ALIGN_BYTES=16" "-DEIGEN_MAX_STATIC_ALIGN_BYTES=16"
            "-DEIGEN_MALLOC_ALREADY_ALIGNED=1")
  foreach(header ulna simulate/simulation io/import control/qp)
    file(WRITE ${WORK}/${header}.cpp "#include <ulna/${header}.hpp>\n")
    set(cases all)
    foreach(definition IN LISTS wrong)
      string(REGEX REPLACE "=.*" "" name "${definition}")
      set(without ${flags})
      list(FILTER without EXCLUDE REGEX "${name}=")
      list(JOIN without "|" rest)
      list(APPEND cases "${rest}|${definition}")
      # how memory is allocated follows from the alignment if it is not given
      if(NOT name MATCHES "MALLOC")
        list(APPEND cases "${rest}")
      endif()
    endforeach()
    foreach(case IN LISTS cases)
      if(case STREQUAL all)
        set(given ${flags})
        list(FILTER given EXCLUDE REGEX EIGEN)
      else()
        string(REPLACE "|" ";" given "${case}")
      endif()
      execute_process(
        COMMAND ${CXX} ${own} -E ${WORK}/${header}.cpp ${given} -o ${WORK}/preprocessed
        ERROR_VARIABLE refusal RESULT_VARIABLE status)
      if(status EQUAL 0 OR NOT refusal MATCHES "EIGEN_MAX_STATIC_ALIGN_BYTES=32")
        message(FATAL_ERROR "${header}.hpp was read without ulna's alignment of Eigen: ${given} ${refusal}")
      endif()
    endforeach()
  endforeach()
endif()
