#pragma once

#include <algorithm>
#include <charconv>

#include "ulna/model/diagnostic.hpp"
#include "ulna/model/model.hpp"

namespace ulna::detail {

/// A text of the user as it can stand in a message: short, and on one line.
std::string shown(std::string_view text);
/// "joint 'elbow'"
std::string quoted(std::string_view kind, std::string_view name);

/// With so many digits, and a point whatever the locale.
inline std::string number(double x, int digits = 6) {
  char text[40];
  return {text, std::to_chars(text, std::end(text), x, std::chars_format::general, digits).ptr};
}

inline std::optional<int> find(const Index& names, std::string_view name) {
  const auto found = names.find(name);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

/// As ulna::did_you_mean.
inline std::string did_you_mean(std::string_view name, const Index& names) {
  std::vector<std::string_view> sorted;
  for (const auto& entry : names) sorted.push_back(entry.first);
  std::ranges::sort(sorted);
  return ulna::did_you_mean(name, sorted);
}

}  // namespace ulna::detail
