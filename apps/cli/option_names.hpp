#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ulna::cli {

/// A message of the library, which names options by their fields, with the flags of the command line in
/// their place.
inline std::string with_flags(
    std::string text, std::initializer_list<std::pair<std::string_view, std::string_view>> flags) {
  for (const auto& [field, flag] : flags)
    for (std::size_t at = 0; (at = text.find(field, at)) != text.npos; at += flag.size())
      text.replace(at, field.size(), flag);
  return text;
}

}  // namespace ulna::cli
