#pragma once

#include "model/names.hpp"
#include "ulna/io/import.hpp"

/// What the importers share: text before it is parsed, and the way from a description to a model.
namespace ulna::detail {

/// Without the white space around it.
inline std::string_view trimmed(std::string_view s, std::string_view space = " \t\r\n") {
  const auto first = s.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(space) - first + 1);
}

inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

inline bool is_xacro_expression(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
}

/// Names a part of the subject of messages while it lives: "joint 'elbow': limits".
class Within {
 public:
  Within(std::string& subject, std::string_view part) : subject_(subject), size_(subject.size()) {
    if (!part.empty()) subject_.append(": ").append(part);
  }
  ~Within() { subject_.resize(size_); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  std::string& subject_;
  std::size_t size_;
};

/// Counts what is within each other while it lives: recursion that input decides on has to end before the stack does.
class Level {
 public:
  explicit Level(int& depth) : depth_(depth) { ++depth_; }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& depth_;
};
inline constexpr int deepest_elements = 1000;  ///< of macros and included files within each other

/// The line of a place in a text, counted from 1.
int line_of(std::string_view text, std::size_t position);

/// The text itself, or converted from Latin-1, with a warning.
std::string to_utf8(std::string_view text, const std::string& file, Diagnostics& out);

/// Checks a text before an XML parser reads it: size, encoding, DOCTYPE, number of elements. Returns
/// it as UTF-8 without a byte order mark; errors go to the list.
std::string prepare_xml(std::string_view text, const std::string& file,
                        const ImportOptions& options, Diagnostics& out);

/// An inertia in axes turned by R, symmetric to the last bit.
inline Mat3<double> turned(const Rotation<double>& R, const Mat3<double>& inertia) {
  const Mat3<double> I = R.matrix() * inertia * R.matrix().transpose();
  return 0.5 * (I + I.transpose());
}

/// The last step of every importer: limits, Builder, and the options that change the robot.
Imported finish(Description description, Diagnostics diagnostics, const ImportOptions& options);

}  // namespace ulna::detail
