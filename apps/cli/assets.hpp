#pragma once

#include <span>
#include <string_view>

namespace ulna::cli {

/// A file of apps/cli/assets, compiled into the program.
struct EmbeddedFile {
  std::string_view name;       ///< "mpc"
  std::string_view file_name;  ///< "mpc.txt"
  std::string_view text;
};

/// All of them, in the order of their file names.
std::span<const EmbeddedFile> embedded_files();

/// The text of one. Throws std::out_of_range if there is none of this name.
std::string_view asset(std::string_view file_name);

}  // namespace ulna::cli
