#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "table.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::cli {
namespace {

/// "arm.urdf:41: warning: joint 'elbow': ... [rule]": one line, unless a person looks on.
std::string finding(const Stream& stream, const Diagnostic& d) {
  const std::string where = visible(d.source.str());
  const std::string severity(to_string(d.severity));
  const std::string rule = fmt::format("[{}]", d.rule->name);
  const std::vector<std::string> lines = stream.record(visible(d.str()), 8);
  const bool note = d.severity == Severity::note;
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    std::string painted;
    if (!note && i == 0 && line.starts_with(where)) {
      painted += stream.paint(Style::bold, where);
      line.remove_prefix(where.size());
      if (const std::size_t at = line.find(severity); at <= 2) {
        painted += std::string(line.substr(0, at)) + stream.paint(style_of(d.severity), severity);
        line.remove_prefix(at + severity.size());
      }
    }
    const bool last = !note && i + 1 == lines.size();
    if (last) line.remove_suffix(rule.size());
    painted += note ? stream.paint(Style::dim, line) : std::string(line);
    if (last) painted += stream.paint(Style::dim, rule);
    text += painted + "\n";
  }
  return text;
}

}  // namespace

Style style_of(Severity severity) {
  return severity == Severity::error     ? Style::red
         : severity == Severity::warning ? Style::yellow
                                         : Style::dim;
}

std::string to_text(const Stream& stream, const Diagnostics& diagnostics, bool notes) {
  Diagnostics sorted = diagnostics;
  sorted.sort_by_line();
  std::string text;
  std::set<std::pair<const Rule*, std::string_view>> advised;
  for (const Diagnostic& d : sorted.list()) {
    if (d.severity == Severity::note && !notes) continue;
    text += finding(stream, d);
    if (d.remedy.empty() || d.remedy == rules::tag_ignored.remedy) continue;
    if (!advised.emplace(d.rule, d.remedy).second) continue;
    for (const std::string& line : stream.record("    " + visible(d.remedy), 4))
      text += stream.paint(d.severity == Severity::note ? Style::dim : Style::cyan, line) + "\n";
  }
  const std::size_t all = diagnostics.count(Severity::note) + diagnostics.count(Severity::warning) +
                          diagnostics.count(Severity::error);
  if (all > sorted.list().size())
    text += fmt::format("... and {} more\n", all - sorted.list().size());
  return text;
}

std::string tally(const Diagnostics& diagnostics) {
  return counted(diagnostics.count(Severity::error), "error") + ", " +
         counted(diagnostics.count(Severity::warning), "warning") + ", " +
         counted(diagnostics.count(Severity::note), "note");
}

Json merged(std::initializer_list<Json> objects) {
  Json all = Json::object();
  for (const Json& object : objects) all.update(object);
  return all;
}

Json to_json(const Diagnostics& diagnostics) {
  Diagnostics sorted = diagnostics;
  sorted.sort_by_line();
  return list_of(sorted.list(), [](const Diagnostic& d) {
    return merged({{{"severity", to_string(d.severity)}, {"rule", d.rule->name}},
                   ULNA_FIELDS(d.source, file, line),
                   ULNA_FIELDS(d, subject, seen, assumed, remedy)});
  });
}

std::string to_text(const Stream& stream, const Mimic& mimic) {
  std::string text = "= ";
  if (mimic.multiplier == -1.0)
    text += "-";
  else if (mimic.multiplier != 1.0)
    text += fmt::format("{} {} ", figure(mimic.multiplier), stream.either("×", "*"));
  text += mimic.joint;
  if (mimic.offset != 0.0)
    text += fmt::format(" {} {}", mimic.offset < 0.0 ? "-" : "+", figure(std::abs(mimic.offset)));
  return text;
}

Json to_json(const std::optional<Mimic>& mimic) {
  return mimic ? ULNA_FIELDS(*mimic, joint, multiplier, offset) : Json();
}

Json loops_json(const Model& model) {
  return list_of(model.description().loops, [](const LoopDescription& l) -> Json {
    return {{"name", l.name}, {"type", to_string(l.type)}, {"link1", l.link1}, {"link2", l.link2}};
  });
}

std::string_view torque_unit(const Model& model, int dof) {
  for (const Joint& j : model.joints())
    if (!j.mimics && j.v == dof && j.type == JointType::prismatic) return "N";
  return "Nm";
}

std::string axis_text(const Vec3<double>& axis, JointType type) {
  if (!has_axis(type)) return "";
  for (int i = 0; i < 3; ++i)
    if (axis == Vec3<double>::Unit(i))
      return std::string(1, "xyz"[i]);
    else if (axis == -Vec3<double>::Unit(i))
      return std::string("-") + "xyz"[i];
  return fmt::format("{} {} {}", figure(axis.x(), 3), figure(axis.y(), 3), figure(axis.z(), 3));
}

Json inertia_json(const Inertia<double>& I) {
  const Mat3<double> about_com = I.rotational_about_com();
  Json inertia;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) inertia[fmt::format("i{}{}", "xyz"[i], "xyz"[j])] = about_com(i, j);
  return {{"mass", I.mass()},
          {"com", I.com()},
          {"inertia", inertia},
          {"principal_moments", check_consistency(I).principal_moments}};
}

}  // namespace ulna::cli
