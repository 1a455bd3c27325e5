#pragma once

#include <cmath>

#include "ulna/spatial/solid.hpp"
#include "ulna/world/world.hpp"

/// Bodies that the tests of contact are made of.
namespace ulna::test {

using V3 = Vec3<double>;

inline LooseBody loose_box(const V3& size, double mass, const ContactMaterial& material = {}) {
  return {"box", solid_box<double>(size).with_mass(mass), {{CollisionShape(Box{size})}}, material};
}
inline LooseBody loose_sphere(double radius, double mass, const ContactMaterial& material = {}) {
  return {"sphere",
          solid_sphere<double>(radius).with_mass(mass),
          {{CollisionShape(Sphere{radius})}},
          material};
}
inline Transform<double> at_place(double x, double y, double z) {
  return Transform<double>::from_translation(V3(x, y, z));
}

/// Gravity as it is felt on a plane that is tilted: the plane is that of x and y, downhill is x.
inline V3 gravity_on_incline(double slope) {
  return 9.81 * V3(std::sin(slope), 0.0, -std::cos(slope));
}

/// Steps, each of which must move.
inline void run_world(World& world, double seconds) {
  const long steps = std::lround(seconds / world.options().step);
  for (long i = 0; i < steps; ++i) ASSERT_EQ(world.step(), WorldStatus::moved) << "step " << i;
}

/// The state of a loose body by what it does in world axes at a place.
inline void set_loose(World& world, int object, const Transform<double>& X_WB, const V3& w,
                      const V3& v) {
  const Quaternion<double> o = X_WB.rotation().quaternion();
  Eigen::VectorXd q(7), u(6);
  q << o.w, o.x, o.y, o.z, X_WB.translation();
  u << X_WB.rotation().inverse_apply(w), X_WB.rotation().inverse_apply(v);
  world.set_state(object, q, u);
}

}  // namespace ulna::test
