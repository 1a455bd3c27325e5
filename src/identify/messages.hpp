#pragma once

#include <Eigen/Core>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/identify/data/log.hpp"

/// Words of messages, and names of enumerators.
namespace ulna::identify {

template <typename Enum>
using Name = std::pair<Enum, std::string_view>;

template <typename Enum>
std::string_view name_in(std::span<const Name<Enum>> table, Enum value) {
  for (const auto& [e, name] : table)
    if (e == value) return name;
  return "";
}
template <typename Enum>
std::optional<Enum> value_in(std::span<const Name<Enum>> table, std::string_view name) {
  for (const auto& [e, n] : table)
    if (n == name) return e;
  return {};
}

inline std::string number(double x, int digits = 4) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

inline std::string counted(Eigen::Index n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

/// The samples that a rule complains of: how many, and the first of them.
class AffectedRows {
 public:
  void add(int line) {
    if (++count_ <= most) lines_.push_back(line);
  }
  Eigen::Index count() const { return count_; }
  explicit operator bool() const { return count_ > 0; }
  int first() const { return lines_.empty() ? 0 : lines_.front(); }
  /// "line 12", "lines 12, 14, 15", "lines 12, 14, 15, 16, 17, ..."
  std::string lines() const {
    std::string s = count_ == 1 ? "line " : "lines ";
    for (std::size_t i = 0; i < lines_.size(); ++i)
      s += (i ? ", " : "") + std::to_string(lines_[i]);
    return s + (count_ > most ? ", ..." : "");
  }
  /// "3 rows (lines 12, 14, 15)"
  std::string rows() const { return counted(count_, "row") + " (" + lines() + ")"; }

 private:
  static constexpr Eigen::Index most = 5;
  Eigen::Index count_ = 0;
  std::vector<int> lines_;
};

inline std::string joint_subject(const Log& log, Eigen::Index i) {
  return "joint '" + log.joints[i] + "'";
}

}  // namespace ulna::identify
