#pragma once

#include "ulna/model/builder.hpp"
#include "ulna/spatial/solid.hpp"

namespace ulna::test {

/// A swinging arm with a finger of links that are millions of times lighter than it, in narrow stops; one
/// follows another.
inline Model light_finger() {
  Builder builder("light_finger");
  builder.link("ground").link("link0",
                              Inertial(Transform<double>::from_translation({0.3, 0.0, 0.0}) *
                                       solid_cylinder(0.05, 0.5).with_mass(3.0)));
  builder.joint("joint0", JointType::revolute, "ground", "link0", {}, Vec3<double>::UnitY());
  for (int i = 1; i <= 8; ++i) {
    const std::string n = std::to_string(i);
    builder.link("link" + n, Inertial(Transform<double>::from_translation({0.01, 0.0, 0.0}) *
                                      solid_sphere(0.004).with_mass(1e-5 / i)));
    builder.joint("joint" + n, JointType::revolute, "link" + std::to_string(i - 1), "link" + n,
                  Pose({i == 1 ? 0.6 : 0.02, 0.0, 0.0}),
                  i % 3 ? Vec3<double>::UnitY() : Vec3<double>::UnitZ());
    builder.last_joint().limits = {0.0, 0.8, infinity, infinity};
    if (i == 5) builder.last_joint().mimic = Mimic{"joint4", 0.9, 0.0};
  }
  return builder.build();
}

}  // namespace ulna::test
