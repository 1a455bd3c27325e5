#include "ulna/model/inspect.hpp"

#include <gtest/gtest.h>

#include "ulna/model/builder.hpp"

namespace ulna::test {
namespace {

/// A joint of a kind between the base and a link, which may have no mass.
Model arm_with_joint(JointType type, double mass) {
  Description d;
  d.name = "one";
  d.links = {LinkDescription{"base"}, LinkDescription{"arm"}};
  if (mass > 0.0) {
    Inertial body;
    body.mass = mass;
    body.inertia = 0.1 * Mat3<double>::Identity();
    d.links[1].inertial = body;
  }
  d.joints = {JointDescription{"turn", type, "base", "arm"}};
  d.joints[0].axis = Vec3<double>::UnitZ();
  return Builder(std::move(d)).build();
}

TEST(Inspect, joints_of_several_degrees_of_freedom_are_found_though_q_is_as_long_as_v) {
  EXPECT_EQ(compound_joint(arm_with_joint(JointType::revolute, 1.0)), 0);
  EXPECT_EQ(compound_joint(arm_with_joint(JointType::prismatic, 1.0)), 0);
  const Model planar = arm_with_joint(JointType::planar, 1.0);
  EXPECT_EQ(planar.nq(), planar.nv());
  EXPECT_EQ(compound_joint(planar), 1);
  EXPECT_EQ(compound_joint(arm_with_joint(JointType::floating, 1.0)), 1);
}

TEST(Inspect, quaternions_are_those_of_balls_and_floating_bases) {
  EXPECT_TRUE(has_quaternion(JointType::ball) && has_quaternion(JointType::floating));
  EXPECT_FALSE(has_quaternion(JointType::planar) || has_quaternion(JointType::revolute));
}

TEST(Inspect, links_without_mass_are_named) {
  const Plant<double> massless(arm_with_joint(JointType::revolute, 0.0));
  EXPECT_NE(why_indefinite(massless).find("no mass at 'arm'"), std::string::npos);
  const Plant<double> plain(arm_with_joint(JointType::revolute, 1.0));
  EXPECT_NE(why_indefinite(plain).find("ulna check"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
