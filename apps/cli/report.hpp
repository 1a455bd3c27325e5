#pragma once

#include "console.hpp"
#include "ulna/ulna.hpp"

/// Findings about a robot's description and parts of it, as text and as JSON.
namespace ulna::cli {

/// "arm.urdf:41: warning: joint 'elbow': ...; ... [rule]" for each, by line, and the remedy below,
/// once for each rule.
std::string to_text(const Stream& stream, const Diagnostics& diagnostics, bool notes = true);

/// "0 errors, 2 warnings, 5 notes"
std::string tally(const Diagnostics& diagnostics);

Style style_of(Severity severity);
Json to_json(const Diagnostics& diagnostics);
/// A list with what `entry` makes of each.
template <class Range, class Entry>
Json list_of(const Range& range, Entry entry) {
  Json list = Json::array();
  for (const auto& each : range) list.push_back(entry(each));
  return list;
}
/// A vector as a list, a matrix by rows.
template <class Derived>
Json to_json(const Eigen::DenseBase<Derived>& m) {
  Json list = Json::array();
  if constexpr (Derived::IsVectorAtCompileTime)
    for (const double x : m.derived()) list.push_back(x);
  else
    for (const auto& row : m.rowwise()) list.push_back(to_json(row));
  return list;
}
/// null for what is not finite, as a limit that there is not.
Json finite_or_null(double x);

/// "= -0.5 * elbow + 0.1"
std::string to_text(const Stream& stream, const Mimic& mimic);
Json to_json(const std::optional<Mimic>& mimic);
/// The joints that close loops.
Json loops_json(const Model& model);
/// "z", "-y", "0.6 0 0.8", or "" for joints without an axis.
std::string axis_text(const Vec3<double>& axis, JointType type);

/// "N" or "Nm": what a degree of freedom is driven with.
std::string_view torque_unit(const Model& model, int dof);

}  // namespace ulna::cli
