#pragma once

#include "ulna/model/plant.hpp"

/// What messages and checks ask of a robot.
namespace ulna {

/// Whether the first four coordinates of such a joint are a quaternion.
constexpr bool has_quaternion(JointType type) {
  return type == JointType::ball || type == JointType::floating;
}

/// The first joint with several degrees of freedom, or 0. Without one, v is the rate of q number by number; the
/// velocities of a planar joint are in the moving frame, though it has as many coordinates.
int compound_joint(const Model& model);

/// Why the mass matrix may not be positive definite, and what to do: names the moving bodies without mass.
std::string why_indefinite(const Plant<double>& plant);

/// Throws std::invalid_argument for a robot with springs or coupled motors, where these are not known.
void require_plain_drives(const Model& model, std::string_view where);

}  // namespace ulna
