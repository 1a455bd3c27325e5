#include "ulna/model/description.hpp"

#include <algorithm>

namespace ulna {

Pose::Pose(const Transform<double>& X) : xyz(X.translation()) {
  const RollPitchYaw<double> angles = X.rotation().rpy();
  rpy << angles.roll, angles.pitch, angles.yaw;
}

Transform<double> Pose::transform() const {
  return {Rotation<double>::from_rpy(rpy.x(), rpy.y(), rpy.z()), xyz};
}

std::optional<JointType> joint_type_from_string(std::string_view name) {
  const auto found = std::find(std::begin(joint_type_names), std::end(joint_type_names), name);
  if (found == std::end(joint_type_names)) return {};
  return static_cast<JointType>(found - std::begin(joint_type_names));
}

}  // namespace ulna
