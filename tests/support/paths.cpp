#include "support/paths.hpp"

namespace ulna::test {

std::string project_path(const std::string& below) { return ULNA_PROJECT_DIR "/" + below; }
const char* command_path() { return ULNA_COMMAND; }
const char* rosbag_writer_path() { return ULNA_ROSBAG_WRITER; }

}  // namespace ulna::test
