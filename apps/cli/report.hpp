#pragma once

#include "console.hpp"
#include "ulna/ulna.hpp"

/// A vector as a list, a matrix by rows.
template <class T>
struct nlohmann::adl_serializer<T, std::enable_if_t<std::is_base_of_v<Eigen::DenseBase<T>, T>>> {
  static void to_json(auto& list, const T& m) {
    list = std::decay_t<decltype(list)>::array();
    if constexpr (T::IsVectorAtCompileTime)
      for (const double x : m) list.push_back(x + 0.0);  // no -0.0
    else
      for (const auto& row : m.rowwise()) list.push_back(row);
  }
};

/// Findings about a robot's description and parts of it, as text and as JSON.
namespace ulna::cli {

/// "arm.urdf:41: warning: joint 'elbow': ... [rule]" for each, and once for each rule the remedy.
std::string to_text(const Stream& stream, const Diagnostics& diagnostics, bool notes = true);

/// "0 errors, 2 warnings, 5 notes"
std::string tally(const Diagnostics& diagnostics);

Style style_of(Severity severity);
Json to_json(const Diagnostics& diagnostics);
/// Mass, centre of mass, inertia about it and principal moments.
Json inertia_json(const Inertia<double>& I);
/// A list with what `entry` makes of each.
template <class Range, class Entry>
Json list_of(const Range& range, Entry entry) {
  Json list = Json::array();
  for (const auto& each : range) list.push_back(entry(each));
  return list;
}
/// The fields of all of them, in this order.
Json merged(std::initializer_list<Json> objects);
/// Members of an object under their own names: ULNA_FIELDS(x, a, b) is {{"a", x.a}, {"b", x.b}}.
#define ULNA_FIELDS(object, ...)                                             \
  [](const auto& nlohmann_json_t) {                                          \
    ulna::cli::Json nlohmann_json_j;                                         \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__)) \
    return nlohmann_json_j;                                                  \
  }(object)

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
