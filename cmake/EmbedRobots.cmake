# ulna_embed_robots(<variable>)
#
# Writes robots/*.urdf and robots/*.yaml into one generated .cpp, which defines embedded_robots() of
# ulna/io/import.hpp, and stores its path in <variable>. The build runs this same file as a script
# whenever a robot has changed.
function(ulna_embed_robots variable)
  file(
    GLOB robots CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/robots/*.urdf
    ${PROJECT_SOURCE_DIR}/robots/*.yaml)
  set(output ${PROJECT_BINARY_DIR}/generated/embedded_robots.cpp)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DROBOTS=${robots}" -P ${script}
    DEPENDS ${robots} ${script}
    COMMENT "Embedding the robots"
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

# Some compilers take no string literal longer than 16 kB: a long text becomes several, cut at
# line ends, which the compiler joins.
function(to_literal text variable)
  set(most 16000)
  set(literal "")
  string(LENGTH "${text}" length)
  while(length GREATER most)
    string(SUBSTRING "${text}" 0 ${most} piece)
    string(FIND "${piece}" "\n" cut REVERSE)
    if(cut LESS 1)
      set(cut ${most})
    endif()
    string(SUBSTRING "${text}" 0 ${cut} piece)
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(LENGTH "${text}" length)
    string(APPEND literal "R\"ulna(${piece})ulna\"\n")
  endwhile()
  set(${variable} "${literal}R\"ulna(${text})ulna\"sv" PARENT_SCOPE)
endfunction()

set(rows "")
list(LENGTH ROBOTS count)
list(SORT ROBOTS)
foreach(robot IN LISTS ROBOTS)
  cmake_path(GET robot STEM LAST_ONLY name)
  cmake_path(GET robot FILENAME file_name)
  file(READ ${robot} text)
  to_literal("${text}" literal)
  string(APPEND rows "    {\"${name}\"sv, \"${file_name}\"sv,\n${literal}},\n")
endforeach()

file(WRITE ${OUTPUT} "\
// Generated from robots/ by cmake/EmbedRobots.cmake.

#include <array>

#include \"ulna/io/import.hpp\"

namespace ulna {

using namespace std::string_view_literals;

std::span<const EmbeddedRobot> embedded_robots() {
  static constexpr std::array<EmbeddedRobot, ${count}> robots{{
${rows}  }};
  return robots;
}

}  // namespace ulna
")
