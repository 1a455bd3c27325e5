#pragma once

#include "ulna/model/rule_list.hpp"

/// Every rule that a scene can break: identifier, name, severity, meaning, remedy. docs/contact.md explains them.
// clang-format off
#define ULNA_SCENE_RULES(X) \
  X(material_range, "material-range", error, "a number of a material is out of its range", "friction, torsion, rolling, damping: from 0; restitution: 0 to 1; stiffness: above 0") \
  X(material_unknown, "material-unknown", error, "a material is named that the scene does not have", "list it below materials") \
  X(body_range, "body-range", error, "a mass, a size, a place, a speed or a step is out of its range", "write kilograms, metres, seconds and radians") \
  X(loop_open, "loop-open", error, "the loops of a robot cannot be closed near where it begins", "check the lengths of its links and the places of the joint that closes the loop, or begin elsewhere") \
  X(robot_shapeless, "robot-shapeless", warning, "a robot has no collision shapes", "give its links <collision> shapes; <visual> ones touch nothing") \
  X(start_beyond_limits, "start-beyond-limits", warning, "a robot begins beyond the limits of a joint", "write radians and metres, and begin within the limits") \
  X(bodies_overlap, "bodies-overlap", warning, "two bodies are inside each other at the beginning", "move them apart; they are pushed apart slowly, without gaining speed") \
  X(mass_ratio, "mass-ratio", note, "masses differ by more than a million times", "none needed; check that masses are in kilograms")
// clang-format on

namespace ulna::scene_rules {
ULNA_DEFINE_RULES(ULNA_SCENE_RULES)
}  // namespace ulna::scene_rules

#undef ULNA_SCENE_RULES
