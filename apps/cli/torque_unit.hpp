#pragma once

#include <string_view>

#include "ulna/model/model.hpp"

namespace ulna::cli {

/// "N" or "Nm": what a degree of freedom is driven with.
inline std::string_view torque_unit(const Model& model, int dof) {
  for (const Joint& j : model.joints())
    if (!j.mimics && j.v == dof && j.type == JointType::prismatic) return "N";
  return "Nm";
}

}  // namespace ulna::cli
