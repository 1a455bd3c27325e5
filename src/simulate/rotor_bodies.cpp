#include "simulate/rotor_bodies.hpp"

#include <algorithm>

#include "ulna/model/builder.hpp"

namespace ulna::detail {
namespace {

/// A link that carries all others.
const std::string& root(const Description& d) {
  for (const LinkDescription& link : d.links)
    if (std::ranges::find(d.joints, link.name, &JointDescription::child) == d.joints.end())
      return link.name;
  return d.links.front().name;
}

Model with_rotors(const Model& model) {
  const DriveTrain& train = model.drives();
  if (!train.mounts.empty())
    throw std::invalid_argument("simulation: rotors of robot '" + model.name() +
                                "' are carried by links, which is not supported here; "
                                "with_plain_drives(model) leaves drives out");
  if (train.plain()) return model;
  Description d = model.description();
  for (JointDescription& j : d.joints)
    if (std::exchange(j.spring, std::nullopt)) j.dynamics.armature = 0.0;
  d.motors.clear();
  const std::string base = root(d);
  for (std::size_t m = 0; m < train.separate.size(); ++m) {
    if (!train.separate[m]) continue;
    std::string name = "rotor of " + train.motor_names[m];
    while (std::ranges::count(d.links, name, &LinkDescription::name) +
           std::ranges::count(d.joints, name, &JointDescription::name))
      name += "'";
    d.links.push_back({.name = name});
    JointDescription joint;
    joint.name = name, joint.type = JointType::continuous;
    joint.parent = base, joint.child = name;
    d.joints.push_back(joint);
  }
  return Builder(std::move(d)).build();
}

}  // namespace

RotorBodies::RotorBodies(const Model& model)
    : train_(model.drives()), with_rotors_(with_rotors(model)), nv_(model.nv()) {
  for (std::size_t m = 0; !train_.plain() && m < train_.separate.size(); ++m)
    if (train_.separate[m]) {
      const int k = static_cast<int>(motors_.size());
      motors_.push_back({static_cast<int>(m), model.nq() + k, nv_ + k});
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
  for (const auto& [motor, q, v] : motors_) {
    to.damping(v) = d.damping(motor), to.armature(v) = d.inertia(motor);
    to.friction(v) = d.friction(motor), to.friction_negative(v) = d.friction_negative(motor);
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
