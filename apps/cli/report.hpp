#pragma once

#include "console.hpp"
#include "ulna/ulna.hpp"

/// What a robot's description is told about itself, as text and as JSON.
namespace ulna::cli {

/// "arm.urdf:41: warning: joint 'elbow': ...; ... [rule]" for each, by line, and the remedy below,
/// once for each rule.
std::string told(const Stream& stream, const Diagnostics& diagnostics, bool notes = true);

/// "0 errors, 2 warnings, 5 notes"
std::string tally(const Diagnostics& diagnostics);

Json to_json(const Diagnostics& diagnostics);
Json to_json(const Vec3<double>& v);
/// null where there is no limit.
Json limit_to_json(double x);

/// "= -0.5 * elbow + 0.1"
std::string told(const Stream& stream, const Mimic& mimic);
Json to_json(const std::optional<Mimic>& mimic);
/// "z", "-y", "0.6 0 0.8", or "" for joints without an axis.
std::string axis_text(const Vec3<double>& axis, JointType type);

}  // namespace ulna::cli
