#pragma once

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/spring_force.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/plant.hpp"

namespace ulna::mpc {

/// What is made of the dry friction of motors that move several joints: it is that of their own joint, or left out.
enum class CoupledFriction { at_own_joint, left_out };

/// The numbers of a robot with drives as those of the rigid one, with_plain_drives: rotors and friction of motors are those of the
/// joints. Allocates nothing.
inline void write_rigid(const Plant<double>& driven, Plant<double>& rigid,
                        CoupledFriction coupled = CoupledFriction::at_own_joint) {
  for (int b = 1; b < driven.model().body_count(); ++b) rigid.set_body(b, driven.body(b));
  rigid.gravity = driven.gravity;
  rigid.damping = driven.damping, rigid.armature = driven.armature;
  rigid.friction = driven.friction, rigid.friction_negative = driven.friction_negative;
  const DriveTrain& train = driven.model().drives();
  const DriveParameters<double>& d = driven.drives;
  for (const int c : train.elastic) rigid.armature(c) += d.rotor(c);
  for (const auto& [motor, c, ratio] : train.separate_gears) {
    const double size = std::abs(ratio);
    rigid.armature(c) += ratio * ratio * d.inertia(motor);
    rigid.damping(c) += ratio * ratio * d.damping(motor);
    const bool alone =
        std::ranges::count(train.separate_gears, motor, &DriveTrain::Entry::motor) == 1;
    if (!alone && (motor != c || coupled == CoupledFriction::left_out)) continue;
    const bool back = ratio < 0.0;
    rigid.friction(c) += size * (back ? d.friction_negative : d.friction)(motor);
    rigid.friction_negative(c) += size * (back ? d.friction : d.friction_negative)(motor);
  }
}

/// Bodies, gravity and friction of the links that were identified.
inline void write_links(const Plant<double>& from, Plant<double>& to) {
  for (int b = 1; b < from.model().body_count(); ++b) to.set_body(b, from.body(b));
  to.gravity = from.gravity;
}

}  // namespace ulna::mpc
