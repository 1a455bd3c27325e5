#include "simulate/rotor_bodies.hpp"

#include <algorithm>

#include "model/appended.hpp"

namespace ulna::detail {
namespace {

Model with_rotors(const Model& model) {
  const DriveTrain& train = model.drives();
  if (train.plain()) return model;
  Description d = model.description();
  for (JointDescription& j : d.joints)
    if (std::exchange(j.spring, std::nullopt)) j.dynamics.armature = 0.0;
  d.motors.clear();
  const std::size_t first = d.joints.size();
  for (std::size_t m = 0; m < train.separate.size(); ++m) {
    if (!train.separate[m]) continue;
    const auto mount =
        std::ranges::find(train.mounts, static_cast<int>(m), &DriveTrain::Mount::motor);
    const int carrier = mount == train.mounts.end() ? 0 : mount->body;
    std::string name = "rotor of " + train.motor_names[m];
    while (std::ranges::count(d.links, name, &LinkDescription::name) +
           std::ranges::count(d.joints, name, &JointDescription::name))
      name += "'";
    d.links.push_back({.name = name});
    JointDescription joint;
    joint.name = name, joint.type = JointType::continuous;
    joint.parent = model.body_name(carrier), joint.child = name;
    if (carrier > 0) joint.axis = model.joint(carrier).R_BC * mount->axis;
    d.joints.push_back(joint);
  }
  return build_appended(std::move(d), first);
}

/// An inertia about an axis through the origin alone.
Inertia<double> inertia_about(const Vec3<double>& axis, double inertia) {
  return Inertia<double>::about_origin(0.0, Vec3<double>::Zero(),
                                       inertia * axis * axis.transpose());
}

}  // namespace

RotorBodies::RotorBodies(const Model& model)
    : train_(model.drives()), with_rotors_(with_rotors(model)), nv_(model.nv()) {
  for (std::size_t m = 0; !train_.plain() && m < train_.separate.size(); ++m)
    if (train_.separate[m]) {
      const std::size_t at = model.description().joints.size() + motors_.size();
      const int body = with_rotors_.joint_index(with_rotors_.description().joints[at].name);
      const Joint& joint = with_rotors_.joint(body);
      motors_.push_back({static_cast<int>(m), joint.q, joint.v, body});
    }
  for (const int c : train_.elastic) {
    SpringBetween spring{c, motor_side(c), {}, 0.0};
    spring.deflection = spring.theta;
    spring.deflection.parts.push_back({train_.position(c), c, -1.0});
    springs_.push_back(std::move(spring));
  }
  for (const int c : train_.coupled) {
    CoordinateSum row = motor_side(c);
    const auto own = [&](const CoordinateSum::Part& p) { return p.v == c; };
    if (std::ranges::all_of(row.parts, own)) continue;  // its own motor moves nothing else
    row.parts.push_back({train_.position(c), c, -1.0});
    rows_.push_back(std::move(row));
  }
}

CoordinateSum RotorBodies::motor_side(int c) const {
  CoordinateSum sum;
  for (const auto& [motor, coordinate, share] : train_.shares) {
    if (coordinate != c) continue;
    const auto rotor = std::ranges::find(motors_, motor, &Rotor::motor);
    if (rotor != motors_.end()) {
      sum.parts.push_back({rotor->q, rotor->v, share});
    } else {
      const DriveTrain::Entry& gear = train_.gear_of(motor);
      sum.parts.push_back({train_.position(gear.coordinate), gear.coordinate, share * gear.ratio});
    }
  }
  return sum;
}

void RotorBodies::set(const Plant<double>& plant, Plant<double>& to) {
  const DriveParameters<double>& d = plant.drives;
  for (int b = 0; b < plant.model().body_count(); ++b) to.set_body(b, plant.body(b));
  to.gravity = plant.gravity;
  to.damping.head(nv_) = plant.damping, to.armature.head(nv_) = plant.armature;
  to.friction.head(nv_) = plant.friction;
  to.friction_negative.head(nv_) = plant.friction_negative;
  for (const auto& [motor, q, v, body] : motors_) {
    to.damping(v) = d.damping(motor), to.armature(v) = d.inertia(motor);
    to.friction(v) = d.friction(motor), to.friction_negative(v) = d.friction_negative(motor);
  }
  // what a link carries turns with it; the link's inertia, as it is given, has it already
  for (const auto& [motor, body, axis] : train_.mounts) {
    const Rotor& rotor = *std::ranges::find(motors_, motor, &Rotor::motor);
    to.set_body(rotor.body, Body(inertia_about(Vec3<double>::UnitZ(), d.inertia(motor))));
    to.armature(rotor.v) = 0.0;
    Body carrier = to.body(body);
    carrier.second += Body(inertia_about(axis, -d.inertia(motor))).second;
    to.set_body(body, carrier);
  }
  // a rotor that is seen at the joint belongs to its motor, if that has no other joint
  for (SpringBetween& spring : springs_) {
    spring.inertia = d.rotor(spring.c);
    if (spring.theta.parts.size() > 1) continue;
    const auto& [q, v, factor] = spring.theta.parts.front();
    to.armature(v) += factor * factor * std::exchange(spring.inertia, 0.0);
  }
}

bool RotorBodies::massless(const Plant<double>& with_rotors) const {
  // where links carry some, there are no rows for which it would matter
  return std::ranges::any_of(
      motors_, [&](const Rotor& rotor) { return with_rotors.armature(rotor.v) == 0.0; });
}

void RotorBodies::set_torque(const Eigen::VectorXd& tau, Eigen::VectorXd& to) const {
  to.setZero();
  to.head(nv_) = tau;
  for (const SpringBetween& spring : springs_) to(spring.c) = 0.0;
  for (const SpringBetween& spring : springs_) spring.theta.push(tau(spring.c), to);
}

void RotorBodies::set_motors(const DriveState<double>& motors, Eigen::VectorXd& q,
                             Eigen::VectorXd& v) const {
  for (const Rotor& rotor : motors_) q(rotor.q) = v(rotor.v) = 0.0;
  for (const auto& [motor, c, ratio] : train_.separate_gears) {
    const auto rotor = std::ranges::find(motors_, motor, &Rotor::motor);
    const bool elastic = train_.stiffness(c) > 0.0;
    q(rotor->q) += ratio * (elastic ? motors.theta(c) : q(train_.position(c)));
    v(rotor->v) += ratio * (elastic ? motors.omega(c) : v(c));
  }
}

void RotorBodies::get_motors(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                             DriveState<double>& motors) const {
  motors.omega = v.head(nv_);
  for (const SpringBetween& spring : springs_) {
    motors.theta(spring.c) = spring.theta.position(q);
    motors.omega(spring.c) = spring.theta.rate(v);
  }
}

}  // namespace ulna::detail
