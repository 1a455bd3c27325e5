#pragma once

#include <optional>

#include "support/dynamics.hpp"
#include "ulna/constraints/loops.hpp"

/// Random robots with loops.
namespace ulna::test {

/// All that can close a loop.
inline constexpr JointType loop_kinds[] = {JointType::ball, JointType::revolute,
                                           JointType::prismatic, JointType::planar,
                                           JointType::fixed};

/// Between two bodies of a robot, and closed at q.
inline LoopDescription loop_closed_at(const Model& model, const Eigen::VectorXd& q, JointType kind,
                                      int first, int second, Random& random) {
  Kinematics<double> at(model);
  at.set(q);
  LoopDescription d;
  d.name = "shut", d.type = kind;
  d.link1 = model.body_name(first), d.link2 = model.body_name(second);
  d.axis = Vec3<double>{random.real(), random.real(), random.real()}.normalized();
  const auto X_1J =
      Transform<double>::exp(Twist<double>::from_vector(random_twist<double>(random).vector()));
  d.origin1 = Pose(X_1J);
  d.origin2 = Pose(at.pose(model.frame(d.link2)).inverse() * at.pose(model.frame(d.link1)) * X_1J);
  return d;
}

/// Runs law(loops, random) on random trees with two loops of each kind; returns how many there were: where few
/// degrees of freedom are between two bodies, loops of many rows leave none.
template <class Law>
int for_each_looped_robot(Law law, std::uint64_t count, int joints = 9) {
  RandomModelOptions trees;
  trees.joints = joints;
  int held = 0;
  for_each_robot(
      [&](const Model& model, Random& random) {
        for (const JointType kind : loop_kinds) {
          SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
          const Eigen::VectorXd closed = random_q(model, random);
          const int last = model.body_count() - 1;
          std::optional<Loops> loops;
          try {
            loops.emplace(model,
                          std::vector{loop_closed_at(model, closed, kind, last - 3, last, random),
                                      loop_closed_at(model, closed, kind, 0, last, random)},
                          closed);
          } catch (const std::invalid_argument& e) {
            EXPECT_NE(std::string(e.what()).find("cannot move"), std::string::npos) << e.what();
            continue;
          }
          ++held;
          law(*loops, random);
        }
      },
      count, trees);
  return held;
}

/// A parallelogram that lies flat at q = 0: there its two rows are one.
inline Model flat_parallelogram() {
  const Inertial rod = solid_cylinder(0.01, 0.3).with_mass(1.0);
  const Vec3<double> y = Vec3<double>::UnitY();
  return Builder("parallelogram")
      .link("ground")
      .link("left", rod)
      .link("top", rod)
      .link("right", rod)
      .joint("a", JointType::continuous, "ground", "left", {}, y)
      .joint("b", JointType::continuous, "left", "top", Pose({0.2, 0, 0}), y)
      .joint("c", JointType::continuous, "ground", "right", Pose({0.5, 0, 0}), y)
      .loop({.name = "pin",
             .type = JointType::ball,
             .link1 = "top",
             .link2 = "right",
             .origin1 = Pose({0.5, 0, 0}),
             .origin2 = Pose({0.2, 0, 0})})
      .build();
}

}  // namespace ulna::test
