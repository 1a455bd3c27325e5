#include "io/xml_reader.hpp"

#include "ulna/io/number.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {
namespace {

/// Elements whose loss would change the robot: never skipped without a report.
constexpr std::string_view essential_tags[] = {"link", "joint", "inertial", "mass", "inertia",
                                               "axis", "limit", "dynamics", "mimic"};

/// Which of the known words was meant, if any.
std::string_view nearest(std::string_view word, Words known) {
  for (const std::string_view k : known)
    if (edit_distance(word, k, 2) <= (k.size() > 5 ? 2 : 1)) return k;
  return {};
}

}  // namespace

Numbers parse_numbers(std::string_view text, std::size_t n) {
  if (is_xacro_expression(text)) return {{}, &rules::xacro, "is a xacro expression"};
  Numbers result;
  constexpr std::string_view space = " \t\r\n";
  std::size_t count = 0;
  for (text = trimmed(text); !text.empty(); text = trimmed(text), ++count) {
    const std::string_view word = text.substr(0, text.find_first_of(space));
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

// --- elements ---

bool XmlReader::once(const XMLElement& e) {
  const XMLElement* before = e.PreviousSiblingElement(e.Name());
  if (before)
    report(rules::tag_double, e,
           "<" + std::string(e.Name()) + "> occurs again, first in line " +
               std::to_string(before->GetLineNum()));
  return !before;
}

void XmlReader::ignore(const XMLElement& e) {
  Ignored& seen = ignored_[shown(e.Name())];
  if (seen.count++ == 0) seen.first_line = e.GetLineNum();
}

void XmlReader::report_ignored() {
  for (const auto& [tag, seen] : ignored_)
    out_.add(rules::tag_ignored, {file_, seen.first_line, 0}, "<" + tag + ">",
             seen.count == 1
                 ? "skipped"
                 : "skipped, here and " + std::to_string(seen.count - 1) + " times more");
}

void XmlReader::unknown_child(const XMLElement& e, const XMLElement& parent, Words known) {
  const std::string_view tag = e.Name();
  const std::string seen = "<" + shown(tag) + "> in <" + parent.Name() + ">";
  if (tag == "xacro:property" || tag == "xacro:arg")
    report(rules::xacro_leftover, e, seen, "ignored");
  else if (tag.starts_with("xacro:"))
    report(rules::xacro, e, seen + " was not expanded");
  else if (std::ranges::find(essential_tags, tag) != std::end(essential_tags))
    report(rules::tag_misplaced, e, seen + " has no effect there");
  else if (const std::string near(nearest(tag, known)); !near.empty())
    report(rules::tag_misspelt, e, seen + "; did you mean <" + near + ">?");
  else
    ignore(e);
}

// --- attributes ---

std::string XmlReader::attribute(const XMLElement& e, const char* name) {
  const char* value = e.Attribute(name);
  if (value && is_xacro_expression(value))
    out_.add(rules::xacro, at(*e.FindAttribute(name)), "<" + std::string(e.Name()) + ">",
             quoted(name, value) + " is a xacro expression");
  return value ? value : "";
}

std::string XmlReader::required_attribute(const XMLElement& e, const char* name,
                                          std::string_view part) {
  const Within within(subject_, part);
  const std::string value = attribute(e, name);
  if (value.empty())
    report(rules::attribute_missing, e, std::string("has no attribute '") + name + "'");
  return value;
}

void XmlReader::known_attributes(const XMLElement& e, Words known) {
  for (const XMLAttribute* a = e.FirstAttribute(); a; a = a->Next()) {
    if (std::find(known.begin(), known.end(), a->Name()) != known.end()) continue;
    if (const std::string near(nearest(a->Name(), known)); !near.empty())
      report(
          rules::tag_misspelt, *a,
          quoted("attribute", a->Name()) + " of <" + e.Name() + ">; did you mean '" + near + "'?");
  }
}

Numbers XmlReader::numbers(const XMLElement& e, const char* name, std::size_t n,
                           std::string_view part) {
  const Within within(subject_, part);
  const XMLAttribute* a = e.FindAttribute(name);
  if (!a) {
    report(rules::attribute_missing, e, std::string("has no attribute '") + name + "'");
    return {};
  }
  Numbers read = parse_numbers(a->Value(), n);
  if (read.broken) report(*read.broken, *a, quoted(name, a->Value()) + " " + read.defect);
  return read;
}

Pose XmlReader::pose(const XMLElement& e, std::string_view part) {
  const Within within(subject_, part);
  Pose made;
  known_attributes(e, {"xyz", "rpy", "quat_xyzw"});
  if (e.FindAttribute("xyz")) made.xyz = vector(e, "xyz", "origin");
  const bool rpy = e.FindAttribute("rpy");
  if (rpy) made.rpy = vector(e, "rpy", "origin");
  if (!e.FindAttribute("quat_xyzw")) return made;
  if (rpy) report(rules::orientation_double, e, "origin has both rpy and quat_xyzw");
  const XMLAttribute& quat = *e.FindAttribute("quat_xyzw");
  const Numbers read = numbers(e, "quat_xyzw", 4);
  if (read.broken) return made;
  const Vec4<double> given(read.value.data());
  const double norm = given.stableNorm();
  if (!(norm > 0.0)) {
    report(rules::quaternion_zero, quat, "quat_xyzw has no length");
    return made;
  }
  if (std::abs(norm - 1.0) > 1e-6)
    report(rules::quaternion_not_unit, quat, "quat_xyzw has length " + format_number(norm),
           "normalised");
  const Vec4<double> q = given.stableNormalized();
  return {made.xyz, Pose(Transform<double>::from_rotation(
                             Rotation<double>::from_quaternion({q(3), q(0), q(1), q(2)})))
                        .rpy};
}

}  // namespace ulna::detail
