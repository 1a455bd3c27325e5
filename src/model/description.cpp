#include "ulna/model/description.hpp"

#include <array>
#include <string_view>

namespace ulna {

Pose::Pose(const Transform<double>& X) : xyz(X.translation()) {
  const RollPitchYaw<double> angles = X.rotation().rpy();
  rpy << angles.roll, angles.pitch, angles.yaw;
}

Transform<double> Pose::transform() const {
  return {Rotation<double>::from_rpy(rpy.x(), rpy.y(), rpy.z()), xyz};
}

namespace {

struct TypeFacts {
  JointType type;
  std::string_view name;
  int nq, nv;
};
constexpr std::array<TypeFacts, 8> facts{{{JointType::fixed, "fixed", 0, 0},
                                          {JointType::revolute, "revolute", 1, 1},
                                          {JointType::continuous, "continuous", 1, 1},
                                          {JointType::prismatic, "prismatic", 1, 1},
                                          {JointType::helical, "helical", 1, 1},
                                          {JointType::planar, "planar", 3, 3},
                                          {JointType::ball, "ball", 4, 3},
                                          {JointType::floating, "floating", 7, 6}}};

const TypeFacts& of(JointType type) { return facts[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view to_string(JointType type) { return of(type).name; }
int configuration_size(JointType type) { return of(type).nq; }
int velocity_size(JointType type) { return of(type).nv; }

std::optional<JointType> joint_type_from(std::string_view name) {
  for (const TypeFacts& f : facts)
    if (f.name == name) return f.type;
  return {};
}

}  // namespace ulna
