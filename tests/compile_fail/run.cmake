# CASE must compile as it is, and must not with -DWRONG. COMPILE is the compiler and its options;
# STAMP is touched on success, and STAMP.d lists the headers that were read.

execute_process(COMMAND ${COMPILE} -MD -MF ${STAMP}.d -MT ${STAMP} ${CASE} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${CASE} does not compile even without its wrong part")
endif()

execute_process(COMMAND ${COMPILE} -DWRONG ${CASE} RESULT_VARIABLE status ERROR_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "${CASE} compiles with its wrong part")
endif()

file(TOUCH ${STAMP})
