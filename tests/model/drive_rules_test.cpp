#include "descriptions.hpp"

// Limits of velocity and effort in other units than radians, metres, seconds and newtons.

namespace ulna::test {
namespace {

/// An arm of two links of half a metre and 5 kg each, on a shoulder that is level and one that is not.
Description arm(double velocity, double effort, double turn_velocity, double turn_effort) {
  Builder b("arm");
  const Inertial link(Transform<double>::from_translation({0.25, 0.0, 0.0}) *
                      solid_box(Vec3<double>(0.5, 0.1, 0.1)).with_mass(5.0));
  b.link("base").link("tower", body()).link("upper", link).link("lower", link);
  b.joint("turn", JointType::revolute, "base", "tower", {}, Vec3<double>::UnitZ());
  b.last_joint().limits = {-3.0, 3.0, turn_velocity, turn_effort};
  b.joint("shoulder", JointType::revolute, "tower", "upper", {}, Vec3<double>::UnitY());
  b.last_joint().limits = {-3.0, 3.0, velocity, effort};
  b.joint("elbow", JointType::revolute, "upper", "lower", Pose({0.5, 0.0, 0.0}),
          Vec3<double>::UnitY());
  b.last_joint().limits = {-2.5, 2.5, 3.0, 50.0};
  Description d = b.description();
  d.file = "arm.urdf";
  return d;
}

std::string found(const Description& d) {
  const Outcome o = outcome(d);
  std::string text;
  for (const Diagnostic& diagnostic : o.diagnostics.list()) text += diagnostic.str() + "\n";
  return text;
}

testing::AssertionResult reports(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

// the shoulder holds 2 x 5 kg at 0.5 m on average: 49 Nm

TEST(DriveRules, limits_that_drives_have_are_not_reported) {
  EXPECT_EQ(found(arm(3.0, 100.0, 3.0, 100.0)), "");
  EXPECT_EQ(found(arm(10.0, 60.0, 20.0, 1000.0)), "");
  EXPECT_EQ(found(arm(1e3, infinity, infinity, infinity)), "") << "what stands for no limit";
}

TEST(DriveRules, degrees_per_second_are_suspected) {
  const std::string text = found(arm(180.0, 100.0, 180.0, 100.0));
  EXPECT_TRUE(reports(text, "joint 'shoulder': at its velocity limit, 180 rad/s"));
  EXPECT_TRUE(reports(text, "degrees per second?"));
  EXPECT_TRUE(reports(text, "[velocity-implausible]"));
  EXPECT_TRUE(reports(text, "joint 'turn'"));
}

TEST(DriveRules, an_effort_that_does_not_hold_the_links_is_reported) {
  const std::string kilo = found(arm(3.0, 0.1, 3.0, 0.1));
  EXPECT_TRUE(reports(kilo, "joint 'shoulder': its effort limit, 0.1 Nm, does not hold"));
  EXPECT_TRUE(reports(kilo, "kNm?"));
  EXPECT_TRUE(reports(kilo, "[effort-weak]"));
  EXPECT_FALSE(reports(kilo, "joint 'turn'")) << "what turns about the vertical holds nothing";
  EXPECT_TRUE(reports(found(arm(3.0, 30.0, 3.0, 100.0)), "[effort-weak]"));
}

TEST(DriveRules, an_effort_in_millimetres_is_suspected) {
  const std::string text = found(arm(3.0, 100e3, 3.0, 1e6));
  EXPECT_TRUE(reports(text, "joint 'shoulder': its effort limit, 100000 Nm"));
  EXPECT_TRUE(reports(text, "Nmm, or a placeholder?"));
  EXPECT_TRUE(reports(text, "[effort-implausible]"));
  EXPECT_TRUE(reports(text, "joint 'turn'"));
}

TEST(DriveRules, a_stiffness_in_other_units_is_suspected) {
  const auto elastic = [](double stiffness) {
    Description d = arm(3.0, 100.0, 3.0, 100.0);
    for (JointDescription& joint : d.joints) {
      joint.spring = Spring{.stiffness = stiffness};
      joint.dynamics.armature = 0.1;
    }
    return found(d);
  };
  EXPECT_EQ(elastic(1e4), "");
  EXPECT_EQ(elastic(1e6), "");
  EXPECT_TRUE(reports(elastic(10.0), "joint 'shoulder': stiffness 10 Nm/rad gives way by"));
  EXPECT_TRUE(reports(elastic(10.0), "kNm/rad?"));
  EXPECT_TRUE(reports(elastic(1e300), "is that of no drive"));
  EXPECT_TRUE(reports(elastic(1e300), "[spring-implausible]"));
}

TEST(DriveRules, a_sliding_joint_is_judged_by_forces_and_metres) {
  const auto lift = [](double velocity, double effort) {
    Description d = arm(3.0, 100.0, velocity, effort);
    d.joints[0].type = JointType::prismatic;
    d.joints[0].limits.lower = 0.0, d.joints[0].limits.upper = 0.5;
    return found(d);
  };
  EXPECT_EQ(lift(0.5, 500.0), "");
  EXPECT_TRUE(reports(lift(500.0, 500.0), "500 m/s: millimetres per second?"));
  EXPECT_TRUE(reports(lift(0.5, 20.0), "20 N, does not hold its own links, which take 108 N"));
  EXPECT_TRUE(reports(lift(0.5, 500e3), "mN, or a placeholder?"));
}

TEST(DriveRules, a_joint_carries_those_that_follow_it) {
  Description d = arm(3.0, 100.0, 3.0, 100.0);
  d.joints[2].mimic = Mimic{"shoulder", 0.5, 0.0};
  d.joints[2].limits.effort = 1.0;
  EXPECT_EQ(found(d), "") << "a follower's own limit is not that of a drive";
}

}  // namespace
}  // namespace ulna::test
