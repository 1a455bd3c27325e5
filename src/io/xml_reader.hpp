#pragma once

#include <tinyxml2.h>

#include <array>
#include <map>

#include "io/text.hpp"
#include "model/names.hpp"
#include "ulna/model/description.hpp"

namespace ulna::detail {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;
using Words = std::initializer_list<std::string_view>;

/// Exactly n numbers separated by white space, or why not.
struct Numbers {
  std::array<double, 4> value{};
  const Rule* broken = nullptr;
  std::string defect;

  Vec3<double> vector() const { return Vec3<double>(value.data()); }
};
Numbers parse_numbers(std::string_view text, std::size_t n);

/// Reads elements, attributes and numbers of an XML document, and reports each that is missing, wrong,
/// or not known where it stands.
class XmlReader {
 public:
  XmlReader(std::string file, Diagnostics& out) : file_(std::move(file)), out_(out) {}

 protected:
  /// Of an element or an attribute.
  Source at(const auto& node) const { return {file_, node.GetLineNum(), 0}; }
  void report(const Rule& rule, const auto& node, std::string seen, std::string assumed = {}) {
    out_.add(rule, at(node), subject_, std::move(seen), std::move(assumed));
  }

  // --- elements ---

  /// Calls `use` for each child that may stand here, and reports each that may not.
  template <class F>
  void each_child(const XMLElement& parent, Words known, F use) {
    const std::string subject = subject_;
    for (const XMLElement* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) {
      subject_ = subject;
      const std::string_view tag = e->Name();
      if (std::find(known.begin(), known.end(), tag) != known.end())
        use(*e, tag);
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
  bool once(const XMLElement& e);
  /// Elements without meaning are reported once for each tag, by report_ignored.
  void ignore(const XMLElement& e);
  void report_ignored();

  // --- attributes ---

  std::string attribute(const XMLElement& e, const char* name);
  std::string required_attribute(const XMLElement& e, const char* name, std::string_view part = {});
  /// Reports attributes that are nearly known ones: not reading them would change the robot unnoticed.
  void known_attributes(const XMLElement& e, Words known);

  Numbers numbers(const XMLElement& e, const char* name, std::size_t n, std::string_view part = {});
  Vec3<double> vector(const XMLElement& e, const char* name, std::string_view part = {}) {
    return numbers(e, name, 3, part).vector();
  }
  double number(const XMLElement& e, const char* name, std::string_view part) {
    return numbers(e, name, 1, part).value[0];
  }
  double number(const XMLElement& e, const char* name, std::string_view part, double otherwise) {
    return e.FindAttribute(name) ? number(e, name, part) : otherwise;
  }
  Pose pose(const XMLElement& e, std::string_view part = {});

  std::string file_;
  Diagnostics& out_;
  std::string subject_;  ///< what is being read: "joint 'elbow'"

 private:
  void unknown_child(const XMLElement& e, const XMLElement& parent, Words known);

  struct Ignored {
    int count = 0, first_line = 0;
  };
  std::map<std::string, Ignored> ignored_;
};

}  // namespace ulna::detail
