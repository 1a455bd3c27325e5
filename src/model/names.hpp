#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ulna/model/diagnostic.hpp"

namespace ulna::detail {

/// A text of the user as it can stand in a message: short, and on one line.
std::string shown(std::string_view text);
/// "joint 'elbow'"
std::string quoted(std::string_view kind, std::string_view name);

/// Names of things in a list, looked up in constant time. The strings live elsewhere.
class Names {
 public:
  /// False if the name is taken.
  bool add(std::string_view name, int index) { return index_.emplace(name, index).second; }
  std::optional<int> find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }
  std::string did_you_mean(std::string_view name) const {
    std::vector<std::string_view> names;
    names.reserve(index_.size());
    for (const auto& entry : index_) names.push_back(entry.first);
    std::sort(names.begin(), names.end());
    return ulna::did_you_mean(name, names);
  }

 private:
  std::unordered_map<std::string_view, int> index_;
};

}  // namespace ulna::detail
