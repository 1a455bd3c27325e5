#pragma once

#include <span>
#include <string_view>

namespace ulna::view {

/// A file of the page that is compiled into the library.
struct EmbeddedPage {
  std::string_view name, file_name, text;
};
std::span<const EmbeddedPage> embedded_pages();

}  // namespace ulna::view
