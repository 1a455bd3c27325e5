#pragma once

#include <span>
#include <string_view>

namespace ulna::detail {

/// A file of robots/, compiled into the library.
struct EmbeddedFile {
  std::string_view name;       ///< "panda"
  std::string_view file_name;  ///< "panda.urdf"
  std::string_view text;
};

/// All of them, in the order of their file names.
std::span<const EmbeddedFile> embedded_files();

}  // namespace ulna::detail
