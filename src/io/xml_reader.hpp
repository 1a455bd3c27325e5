#pragma once

#include <tinyxml2.h>

#include <array>
#include <map>

#include "io/reading.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;
using Words = std::initializer_list<std::string_view>;

inline bool is_among(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Exactly n numbers separated by white space, or why not.
struct Numbers {
  std::array<double, 4> value{};
  const Rule* broken = nullptr;
  std::string defect;

  Vec3<double> vector() const { return Vec3<double>(value.data()); }
};

inline Numbers parse_numbers(std::string_view text, std::size_t n) {
  if (is_xacro_expression(text)) return {{}, &rules::xacro, "is a xacro expression"};
  Numbers result;
  std::size_t count = 0;
  for (text = trimmed(text); !text.empty(); text = trimmed(text), ++count) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
    text.remove_prefix(word.size());
    const std::string defect(number_defect(word));
    if (!defect.empty())
      return {{}, &rules::number_invalid, n == 1 ? defect : "'" + shown(word) + "' " + defect};
    if (count < n) result.value[count] = *parse_number(word);
  }
  if (n == 1 && count == 0) return {{}, &rules::number_invalid, "is empty"};
  if (count != n) {
    result.broken = &rules::number_count;
    result.defect = "has " + std::to_string(count) + " numbers instead of " + std::to_string(n);
  }
  return result;
}

/// Reads elements, attributes and numbers, and reports each that is missing, wrong or unknown.
class XmlReader {
 public:
  XmlReader(std::string file, Diagnostics& out, std::shared_ptr<const LineMap> lines = {})
      : file_(std::move(file)), lines_(std::move(lines)), out_(out) {}

 protected:
  /// Of an element or an attribute.
  Source at(const auto& node) const { return at_line(node.GetLineNum()); }
  Source at_line(int line) const { return lines_ ? lines_->at(line) : Source{file_, line, 0}; }
  void report(const Rule& rule, const auto& node, std::string seen, std::string assumed = {}) {
    out_.add(rule, at(node), subject_, std::move(seen), std::move(assumed));
  }

  /// Calls `use` for each child that may stand here, and reports each that may not.
  template <class F>
  void each_child(const XMLElement& parent, Words known, F use) {
    const std::string subject = subject_;
    for (const XMLElement* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) {
      subject_ = subject;
      if (is_among(known, e->Name()))
        use(*e, std::string_view(e->Name()));
      else
        unknown_child(*e, parent, known);
    }
    subject_ = subject;
  }
  /// Calls `use` for each child with this tag.
  template <class F>
  static void each(const XMLElement& parent, const char* tag, F use) {
    for (auto* e = parent.FirstChildElement(tag); e; e = e->NextSiblingElement(tag)) use(*e);
  }
  /// False, and reported, if an element of the same tag stands before it.
  bool once(const XMLElement& e) {
    const XMLElement* before = e.PreviousSiblingElement(e.Name());
    if (before)
      report(rules::tag_double, e,
             "<" + std::string(e.Name()) + "> occurs again, first in " +
                 (lines_ ? at(*before).str() : "line " + std::to_string(before->GetLineNum())));
    return !before;
  }
  /// Elements without meaning are reported once for each tag, by report_ignored.
  void ignore(const XMLElement& e) {
    ++ignored_.try_emplace(shown(e.Name()), Ignored{e.GetLineNum(), 0}).first->second.count;
  }
  void report_ignored() {
    for (const auto& [tag, seen] : ignored_)
      out_.add(rules::tag_ignored, at_line(seen.first_line), "<" + tag + ">",
               seen.count == 1
                   ? "skipped"
                   : "skipped, here and " + std::to_string(seen.count - 1) + " more times");
  }

  std::string attribute(const XMLElement& e, const char* name) {
    const char* value = e.Attribute(name);
    if (value && is_xacro_expression(value))
      out_.add(rules::xacro, at(*e.FindAttribute(name)), "<" + std::string(e.Name()) + ">",
               quoted(name, value) + " is a xacro expression");
    return value ? value : "";
  }
  std::string required_attribute(const XMLElement& e, const char* name) {
    const Within within(subject_, part(e));
    const std::string value = attribute(e, name);
    if (value.empty()) report(rules::attribute_missing, e, quoted("has no attribute", name));
    return value;
  }
  /// Reports attributes that are nearly known ones: not reading them would change the robot unnoticed.
  void known_attributes(const XMLElement& e, Words known) {
    for (const XMLAttribute* a = e.FirstAttribute(); a; a = a->Next()) {
      const std::string near = is_among(known, a->Name()) ? "" : nearest(a->Name(), known);
      if (!near.empty())
        report(rules::tag_misspelt, *a,
               quoted("attribute", a->Name()) + " of <" + e.Name() + ">" +
                   quoted("; did you mean", near) + "?");
    }
  }

  Numbers numbers(const XMLElement& e, const char* name, std::size_t n) {
    const Within within(subject_, part(e));
    const XMLAttribute* a = e.FindAttribute(name);
    if (!a) return report(rules::attribute_missing, e, quoted("has no attribute", name)), Numbers();
    Numbers read = parse_numbers(a->Value(), n);
    if (read.broken) report(*read.broken, *a, quoted(name, a->Value()) + " " + read.defect);
    return read;
  }
  Vec3<double> vector(const XMLElement& e, const char* name) {
    return numbers(e, name, 3).vector();
  }
  double number(const XMLElement& e, const char* name) { return numbers(e, name, 1).value[0]; }
  double number(const XMLElement& e, const char* name, double otherwise) {
    return e.FindAttribute(name) ? number(e, name) : otherwise;
  }

  Pose pose(const XMLElement& e, std::string_view part = {}) {
    const Within within(subject_, part);
    Pose made;
    known_attributes(e, {"xyz", "rpy", "quat_xyzw"});
    const bool rpy = e.FindAttribute("rpy");
    if (e.FindAttribute("xyz")) made.xyz = vector(e, "xyz");
    if (rpy) made.rpy = vector(e, "rpy");
    const XMLAttribute* quat = e.FindAttribute("quat_xyzw");
    if (!quat) return made;
    if (rpy) report(rules::orientation_double, e, "origin has both rpy and quat_xyzw");
    const Numbers read = numbers(e, "quat_xyzw", 4);
    if (read.broken) return made;
    const Vec4<double> given(read.value.data());
    const double norm = given.stableNorm();
    if (!(norm > 0.0))
      return report(rules::quaternion_zero, *quat, "quat_xyzw has zero length"), made;
    if (std::abs(norm - 1.0) > 1e-6)
      report(rules::quaternion_not_unit, *quat, "quat_xyzw has length " + format_number(norm),
             "normalised");
    const Vec4<double> q = given.stableNormalized();
    const auto R = Rotation<double>::from_quaternion({q(3), q(0), q(1), q(2)});
    return Pose(Transform<double>(R, made.xyz));
  }

  std::string file_;
  std::shared_ptr<const LineMap> lines_;  ///< of a text that was put together from files
  Diagnostics& out_;
  std::string subject_;  ///< what is being read: "joint 'elbow'"

 private:
  /// What an element is of the subject: "joint 'elbow': limit"; nothing if it is the subject itself.
  static std::string_view part(const XMLElement& e) {
    return e.Parent() == e.GetDocument()->RootElement() ? "" : e.Name();
  }

  /// Which of the known words was meant, if any.
  static std::string nearest(std::string_view word, Words known) {
    for (const std::string_view k : known)
      if (edit_distance(word, k, 2) <= (k.size() > 5 ? 2 : 1)) return std::string(k);
    return {};
  }

  void unknown_child(const XMLElement& e, const XMLElement& parent, Words known) {
    // elements whose loss would change the robot: never skipped without a report
    const Words essential{"link", "joint", "inertial", "mass", "inertia",
                          "axis", "limit", "dynamics", "mimic"};
    const std::string_view tag = e.Name();
    const std::string seen = "<" + shown(tag) + "> in <" + parent.Name() + ">";
    if (tag == "xacro:property" || tag == "xacro:arg")
      report(rules::xacro_leftover, e, seen, "ignored");
    else if (tag.starts_with("xacro:"))
      report(rules::xacro, e, seen + " was not expanded");
    else if (is_among(essential, tag))
      report(rules::tag_misplaced, e, seen + " has no effect there");
    else if (const std::string near = nearest(tag, known); !near.empty())
      report(rules::tag_misspelt, e, seen + "; did you mean <" + near + ">?");
    else
      ignore(e);
  }

  struct Ignored {
    int first_line, count;
  };
  std::map<std::string, Ignored> ignored_;
};

}  // namespace ulna::detail
