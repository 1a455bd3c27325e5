#pragma once

#include <cmath>

#include "ulna/model/edit.hpp"
#include "ulna/model/plant.hpp"

namespace ulna::mpc {

/// The inertia of the rotor of an elastic joint, seen at the joint.
inline double rotor_at_joint(const Plant<double>& plant, int c) {
  const DriveTrain::Entry& gear = plant.model().drives().gear_of(c);
  return plant.drives.rotor(c) + gear.ratio * gear.ratio * plant.drives.inertia(gear.motor);
}

/// The numbers of a robot with elastic joints as those of the rigid one, with_plain_drives: rotors and their friction are those of the
/// joints. Allocates nothing.
inline void write_rigid(const Plant<double>& elastic, Plant<double>& rigid) {
  for (int b = 1; b < elastic.model().body_count(); ++b) rigid.set_body(b, elastic.body(b));
  rigid.gravity = elastic.gravity;
  rigid.damping = elastic.damping, rigid.armature = elastic.armature;
  rigid.friction = elastic.friction, rigid.friction_negative = elastic.friction_negative;
  const DriveTrain& train = elastic.model().drives();
  const DriveParameters<double>& d = elastic.drives;
  for (const int c : train.elastic) {
    const DriveTrain::Entry& gear = train.gear_of(c);
    const double ratio = std::abs(gear.ratio);
    rigid.armature(c) += rotor_at_joint(elastic, c);
    rigid.damping(c) += ratio * ratio * d.damping(gear.motor);
    const bool back = gear.ratio < 0.0;
    rigid.friction(c) += ratio * (back ? d.friction_negative : d.friction)(gear.motor);
    rigid.friction_negative(c) += ratio * (back ? d.friction : d.friction_negative)(gear.motor);
  }
}

/// Bodies, gravity and friction of the links that were identified.
inline void write_links(const Plant<double>& from, Plant<double>& to) {
  for (int b = 1; b < from.model().body_count(); ++b) to.set_body(b, from.body(b));
  to.gravity = from.gravity;
}

}  // namespace ulna::mpc
