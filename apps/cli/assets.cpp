#include "assets.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ulna::cli {

std::string_view asset(std::string_view file_name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.file_name == file_name) return file.text;
  throw std::out_of_range(fmt::format("there is no asset '{}'", file_name));
}

}  // namespace ulna::cli
