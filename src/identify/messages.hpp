#pragma once

#include <vector>

#include "num/message.hpp"
#include "ulna/identify/data/log.hpp"

/// Words of messages.
namespace ulna::identify {

using messages::message, messages::require;

inline std::string number(double x, int digits = 4) {
  std::ostringstream s;
  s.precision(digits);
  s << x;
  return s.str();
}

inline std::string counted(Index n, const char* thing) {
  return message(n, " ", thing, n == 1 ? "" : "s");
}

/// The samples that a rule complains of: how many, and the first of them.
class AffectedRows {
 public:
  void add(int line) {
    if (++count_ <= most) lines_.push_back(line);
  }
  Index count() const { return count_; }
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
  static constexpr Index most = 5;
  Index count_ = 0;
  std::vector<int> lines_;
};

inline std::string joint_subject(const Log& log, Index i) {
  return "joint '" + log.joints[i] + "'";
}

}  // namespace ulna::identify
