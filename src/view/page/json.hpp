#pragma once

#include <nlohmann/json.hpp>

#include "ulna/spatial/transform.hpp"

namespace ulna::view {

/// Keeps its fields in the order they were added.
using Json = nlohmann::ordered_json;

/// Bytes that are no UTF-8 are replaced; numbers that are not finite are null.
inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Vector>
Json list(const Vector& numbers) {
  Json out = Json::array();
  for (const double x : numbers) out.push_back(x);
  return out;
}

inline Json pose_json(const Transform<double>& X) {
  const auto q = X.rotation().quaternion();
  const Vec3<double>& p = X.translation();
  return {p.x(), p.y(), p.z(), q.w, q.x, q.y, q.z};
}

}  // namespace ulna::view
