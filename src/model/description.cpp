#include "ulna/model/description.hpp"

#include <cmath>
#include <utility>

namespace ulna {

Pose::Pose(const Transform<double>& X) : xyz(X.translation()) {
  const auto [roll, pitch, yaw] = X.rotation().rpy();
  rpy << roll, pitch, yaw;
}

Transform<double> Pose::transform() const {
  return {Rotation<double>::from_rpy(rpy.x(), rpy.y(), rpy.z()), xyz};
}

Inertial::Inertial(const Inertia<double>& body)
    : mass(body.mass()), com(body.com()), inertia(body.rotational_about_com()) {}

Inertia<double> Inertial::in_link_frame() const {
  return Inertia<double>::about_com(mass, com, inertia);
}

bool LinkDescription::operator==(const LinkDescription& b) const {
  return name == b.name && inertial == b.inertial && visuals == b.visuals &&
         collisions == b.collisions;
}

bool JointDescription::operator==(const JointDescription& b) const {
  return name == b.name && type == b.type && parent == b.parent && child == b.child &&
         origin == b.origin && (axis == b.axis || !has_axis(type)) && pitch == b.pitch &&
         limits == b.limits && dynamics == b.dynamics && mimic == b.mimic && spring == b.spring;
}

bool FrameDescription::operator==(const FrameDescription& b) const {
  return name == b.name && link == b.link && origin == b.origin;
}

bool LoopDescription::operator==(const LoopDescription& b) const {
  return name == b.name && type == b.type && link1 == b.link1 && link2 == b.link2 &&
         origin1 == b.origin1 && origin2 == b.origin2 && axis == b.axis;
}

JointDynamics& JointDynamics::operator+=(const JointDynamics& more) {
  damping += more.damping, armature += more.armature;
  friction += more.friction, friction_negative += more.friction_negative;
  return *this;
}

JointDynamics MotorDescription::at_joint(double ratio) const {
  const double size = std::abs(ratio);
  JointDynamics seen{ratio * ratio * damping, size * friction, size * friction_negative,
                     ratio * ratio * inertia};
  if (ratio < 0.0) std::swap(seen.friction, seen.friction_negative);
  return seen;
}

bool MotorDescription::operator==(const MotorDescription& b) const {
  return name == b.name && gears == b.gears && inertia == b.inertia && damping == b.damping &&
         friction == b.friction && friction_negative == b.friction_negative && mount == b.mount;
}

bool Description::operator==(const Description& b) const {
  return name == b.name && gravity == b.gravity && links == b.links && joints == b.joints &&
         frames == b.frames && loops == b.loops && motors == b.motors;
}

}  // namespace ulna
