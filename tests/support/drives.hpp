#pragma once

#include "support/dynamics.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"

/// Robots with springs and coupled motors.
namespace ulna::test {

struct RandomDriveOptions {
  double elastic = 0.6;  ///< chance that a joint has a spring
  double damped = 0.0;   ///< chance that a spring is damped
  double coupled = 0.5;  ///< chance that two neighbours share their motors
  double mounted = 0.0;  ///< chance that a rotor is carried by the link before its joint
  bool friction = true;
};

/// The same robot with random drives at joints of one coordinate.
inline Model with_random_drives(const Model& model, Random& random,
                                const RandomDriveOptions& options = {}) {
  Description d = model.description();
  const auto chance = [&](double p) { return random.real(0.0, 1.0) < p; };
  std::vector<JointDescription*> joints;
  for (JointDescription& j : d.joints)
    if (velocity_size(j.type) == 1 && !j.mimic) joints.push_back(&j);
  for (JointDescription* j : joints) {
    if (!options.friction) j->dynamics = {.armature = j->dynamics.armature};
    if (!chance(options.elastic)) continue;
    j->spring = Spring{random.real(50.0, 500.0), chance(0.5) ? random.real(10.0, 1000.0) : 0.0,
                       chance(options.damped) ? random.real(0.5, 5.0) : 0.0};
    if (chance(0.5)) j->dynamics.armature = random.real(0.05, 0.2);
  }
  const auto motor = [&](const std::string& name, std::vector<Gear> gears) {
    MotorDescription m{name, std::move(gears), random.real(1e-3, 4e-3)};
    if (options.friction)
      m.damping = random.real(0.0, 1e-2), m.friction = random.real(0.0, 0.1),
      m.friction_negative = random.real(0.0, 0.1);
    return m;
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const double n = with_sign(random.real(3.0, 10.0), random.real());
    const std::string name = "m" + std::to_string(i);
    if (i + 1 < joints.size() && chance(options.coupled)) {
      const std::string &first = joints[i]->name, &second = joints[i + 1]->name;
      d.motors.push_back(motor(name, {{first, n}, {second, random.real(-2.0, 2.0)}}));
      d.motors.push_back(
          motor(name + "b", {{second, with_sign(random.real(3.0, 10.0), random.real())}}));
      ++i;
    } else {
      d.motors.push_back(motor(name, {{joints[i]->name, n}}));
      if (chance(options.mounted))
        d.motors.back().mount = RotorMount{joints[i]->parent, random_direction<double>(random)};
    }
  }
  return Builder(std::move(d)).build();
}

/// A robot with drives in motion, and the torques of its motors.
template <class T>
struct DrivenRig : Rig<T> {
  VecX<T> jerk, snap, deflection;
  DriveWorkspace<T> drive_ws;
  DriveTorques<T> out;

  DrivenRig(const Model& model, Random& random)
      : Rig<T>(model, random),
        jerk(random_tangent<T>(model, random)),
        snap(random_tangent<T>(model, random)),
        deflection(random_tangent<T>(model, random, 0.1)),
        drive_ws(model),
        out(model) {}

  const DriveTorques<T>& inverse(bool with_deflection = false) {
    DriveMotion<T> motion(this->model());
    motion.set(this->q, this->v, this->a, jerk, snap);
    if (with_deflection) motion.set_deflection(deflection);
    drive_inverse_dynamics<T>(this->plant, motion, drive_ws, out);
    return out;
  }
  DriveState<T> drive_state() const {
    DriveState<T> s(this->model());
    s.theta = out.theta, s.omega = out.omega;
    return s;
  }
};

}  // namespace ulna::test
