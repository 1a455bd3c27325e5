#include <chrono>

#include "descriptions.hpp"

namespace ulna::test {
namespace {

TEST(JointRules, an_origin_is_finite) {
  const std::string text =
      "plain.urdf:30: error: joint 'turn': origin is not finite [number-invalid]";
  Description d = plain();
  d.joints[0].origin.xyz.x() = infinity;
  expect_error(d, rules::number_invalid, text);
  d = plain();
  d.joints[0].origin.rpy.z() = nan;
  expect_error(d, rules::number_invalid, text);
}

TEST(JointRules, origins_of_frames_and_loops_are_finite) {
  Description d = plain();
  d.frames.push_back({"tip", "arm", Pose({0, nan, 0}), 50});
  EXPECT_TRUE(outcome(d).diagnostics.find(rules::number_invalid));
  d = plain();
  LoopDescription loop;
  loop.name = "rod", loop.link1 = "base", loop.link2 = "arm", loop.line = 60;
  loop.origin2.rpy.x() = infinity;
  d.loops = {loop};
  EXPECT_TRUE(outcome(d).diagnostics.find(rules::number_invalid));
}

TEST(JointRules, an_axis_has_a_direction) {
  Description d = plain();
  d.joints[0].axis.setZero();
  expect_error(d, rules::axis_zero,
               "plain.urdf:30: error: joint 'turn': axis 0 0 0 has no direction [axis-zero]");
  d.joints[0].axis.y() = nan;
  expect_error(d, rules::number_invalid,
               "plain.urdf:30: error: joint 'turn': axis is not finite [number-invalid]");
}

TEST(JointRules, joints_without_an_axis_may_have_a_zero_one) {
  for (const JointType type : {JointType::fixed, JointType::ball, JointType::floating}) {
    Description d = plain();
    d.joints[0].type = type;
    d.joints[0].axis.setZero();
    EXPECT_TRUE(outcome(d, true).model) << to_string(type);
  }
}

TEST(JointRules, an_axis_is_made_of_unit_length) {
  Description d = plain();
  d.joints[0].axis = {0, 0, 2};
  Model model = expect_warning(d, rules::axis_not_unit,
                               "plain.urdf:30: warning: joint 'turn': axis 0 0 2 is not of unit "
                               "length; 0 0 1 is used [axis-not-unit]");
  EXPECT_EQ(model.description().joints[0].axis, Vec3<double>(0, 0, 1));
  d.joints[0].axis = {3, 0, -4};
  model = expect_warning(d, rules::axis_not_unit,
                         "plain.urdf:30: warning: joint 'turn': axis 3 0 -4 is not of unit length; "
                         "0.6 0 -0.8 is used [axis-not-unit]");
  expect_close(model.description().joints[0].axis, Vec3<double>(0.6, 0, -0.8), 1e-16);
}

TEST(JointRules, an_axis_rounded_in_print_is_made_exact_without_a_word) {
  Description d = plain();
  d.joints[0].axis = {0.7071068, 0.7071068, 0.0};
  const Outcome o = outcome(d, true);
  EXPECT_TRUE(o.diagnostics.list().empty());
  ASSERT_TRUE(o.model);
  EXPECT_NEAR(o.model->description().joints[0].axis.norm(), 1.0, 3e-16);
}

TEST(JointRules, an_axis_of_any_length_has_a_direction) {
  for (const double length : {1e-300, 1e-160, 1e-150, 1e150, 1e160, 1e300}) {
    SCOPED_TRACE(length);
    Description d = plain();
    d.joints[0].axis = Vec3<double>(length, -length, 0.5 * length);
    const Outcome o = outcome(d);
    ASSERT_TRUE(o.model);
    expect_close(o.model->description().joints[0].axis, Vec3<double>(2.0 / 3, -2.0 / 3, 1.0 / 3),
                 1e-15);
  }
}

TEST(JointRules, a_helical_joint_has_a_pitch) {
  Description d = plain();
  d.joints[0].type = JointType::helical;
  expect_error(d, rules::pitch_missing,
               "plain.urdf:30: error: joint 'turn': pitch 0 m/rad [pitch-missing]");
  d.joints[0].pitch = nan;
  EXPECT_TRUE(outcome(d).diagnostics.find(rules::pitch_missing));
  d.joints[0].pitch = -0.01;
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(JointRules, limits_are_numbers_in_order) {
  Description d = plain();
  d.joints[0].limits.velocity = nan;
  expect_error(d, rules::number_invalid,
               "plain.urdf:30: error: joint 'turn': a limit is not a number [number-invalid]");
  d = plain();
  d.joints[0].limits.lower = 2.5, d.joints[0].limits.upper = -1.0;
  expect_error(d, rules::limit_reversed,
               "plain.urdf:30: error: joint 'turn': lower 2.5 is above upper -1 [limit-reversed]");
  d.joints[0].limits.upper = 2.5;
  EXPECT_TRUE(outcome(d, true).model);  // a joint that cannot move is not wrong
}

TEST(JointRules, limits_leave_a_finite_position) {
  for (const double nowhere : {infinity, -infinity}) {
    Description d = plain();
    d.joints[0].limits.lower = d.joints[0].limits.upper = nowhere;
    EXPECT_TRUE(outcome(d).diagnostics.has_errors()) << nowhere;
  }
}

TEST(JointRules, limits_that_are_both_zero_are_taken_as_unlimited) {
  Description d = plain();
  d.joints[0].limits.lower = d.joints[0].limits.upper = 0.0;
  const Model model = expect_warning(d, rules::limit_zero_range,
                                     "plain.urdf:30: warning: joint 'turn': lower and upper limit "
                                     "are 0; taken as unlimited [limit-zero-range]");
  EXPECT_EQ(model.lower_limit()(0), -infinity);
  EXPECT_EQ(model.upper_limit()(0), infinity);
}

TEST(JointRules, effort_and_velocity_limits_are_not_negative) {
  Description d = plain();
  d.joints[0].limits.effort = -3.0;
  expect_error(d, rules::limit_negative,
               "plain.urdf:30: error: joint 'turn': effort -3 is negative [limit-negative]");
  d = plain();
  d.joints[0].limits.velocity = -0.5;
  expect_error(d, rules::limit_negative,
               "plain.urdf:30: error: joint 'turn': velocity -0.5 is negative [limit-negative]");
}

TEST(JointRules, an_effort_limit_of_zero_is_taken_as_unlimited) {
  Description d = plain();
  d.joints[0].limits.effort = 0.0;
  const Model model = expect_warning(
      d, rules::effort_zero,
      "plain.urdf:30: warning: joint 'turn': effort limit is 0; taken as unlimited [effort-zero]");
  EXPECT_EQ(model.effort_limit()(0), infinity);
}

TEST(JointRules, an_effort_limit_of_zero_means_no_drive_where_loops_are_closed) {
  Description d = plain();
  d.joints[0].limits.effort = 0.0;
  LoopDescription& loop = d.loops.emplace_back();
  loop.name = "shut", loop.link1 = d.joints[0].parent, loop.link2 = d.joints[0].child;
  Diagnostics diagnostics;
  EXPECT_EQ(Builder(d).build(diagnostics).effort_limit()(0), 0.0);
  EXPECT_EQ(diagnostics.find(rules::effort_zero), nullptr);
}

TEST(JointRules, a_velocity_limit_of_zero_is_taken_as_unlimited) {
  Description d = plain();
  d.joints[0].limits.velocity = 0.0;
  const Model model = expect_warning(d, rules::velocity_zero,
                                     "plain.urdf:30: warning: joint 'turn': velocity limit is 0; "
                                     "taken as unlimited [velocity-zero]");
  EXPECT_EQ(model.velocity_limit()(0), infinity);
}

TEST(JointRules, zero_limits_of_a_fixed_joint_are_nothing_to_talk_about) {
  Description d = plain();
  d.joints[0].type = JointType::fixed;
  d.joints[0].limits = {0.0, 0.0, 0.0, 0.0};
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(JointRules, damping_friction_and_armature_are_finite_and_not_negative) {
  const std::pair<double JointDynamics::*, std::string> all[] = {
      {&JointDynamics::damping, "damping"},
      {&JointDynamics::friction, "friction"},
      {&JointDynamics::friction_negative, "friction for negative velocity"},
      {&JointDynamics::armature, "armature"}};
  for (const auto& [member, name] : all) {
    Description d = plain();
    d.joints[0].dynamics.*member = -0.25;
    expect_error(
        d, rules::friction_negative,
        "plain.urdf:30: error: joint 'turn': " + name + " -0.25 is negative [friction-negative]");
    for (const double wrong : {nan, infinity}) {
      d.joints[0].dynamics.*member = wrong;
      expect_error(
          d, rules::number_invalid,
          "plain.urdf:30: error: joint 'turn': " + name + " is not finite [number-invalid]");
    }
  }
}

// --- mimics ---

TEST(MimicRules, the_master_exists) {
  Description d = two_arms();
  d.joints[1].mimic = Mimic{"trun", 1.0, 0.0};
  expect_error(d, rules::mimic_unknown,
               "plain.urdf:50: error: joint 'follow': mimics unknown joint 'trun'; did you mean "
               "'turn'? [mimic-unknown]");
}

TEST(MimicRules, the_master_has_one_coordinate) {
  for (const JointType type :
       {JointType::fixed, JointType::planar, JointType::ball, JointType::floating}) {
    Description d = two_arms();
    d.joints[0].type = type;
    d.joints[1].mimic = Mimic{"turn", 1.0, 0.0};
    expect_error(d, rules::mimic_unknown,
                 "plain.urdf:50: error: joint 'follow': mimics joint 'turn', which does not have "
                 "exactly one coordinate [mimic-unknown]");
  }
}

TEST(MimicRules, a_joint_without_a_single_coordinate_does_not_mimic) {
  for (const JointType type :
       {JointType::fixed, JointType::planar, JointType::ball, JointType::floating}) {
    Description d = two_arms();
    d.joints[1].type = type;
    d.joints[1].mimic = Mimic{"turn", 1.0, 0.0};
    const Model model =
        expect_warning(d, rules::mimic_ignored,
                       "plain.urdf:50: warning: joint 'follow': a " + std::string(to_string(type)) +
                           " joint cannot mimic; mimic is ignored [mimic-ignored]");
    EXPECT_FALSE(model.description().joints[1].mimic);
    EXPECT_EQ(model.nv(), 1 + velocity_size(type));
  }
}

TEST(MimicRules, multiplier_and_offset_are_finite) {
  for (const Mimic& mimic :
       {Mimic{"turn", nan, 0.0}, Mimic{"turn", infinity, 0.0}, Mimic{"turn", 1.0, nan}}) {
    Description d = two_arms();
    d.joints[1].mimic = mimic;
    expect_error(d, rules::number_invalid,
                 "plain.urdf:50: error: joint 'follow': mimic multiplier or offset is not finite "
                 "[number-invalid]");
  }
}

TEST(MimicRules, joints_do_not_mimic_in_a_circle) {
  Description d = two_arms();
  d.joints[1].mimic = Mimic{"follow", 1.0, 0.0};
  expect_error(
      d, rules::mimic_cycle,
      "plain.urdf:50: error: joint 'follow': mimics itself, through 'follow' [mimic-cycle]");
  d.joints[1].mimic = Mimic{"turn", 1.0, 0.0};
  d.joints[0].mimic = Mimic{"follow", 1.0, 0.0};
  expect_error(d, rules::mimic_cycle,
               "plain.urdf:30: error: joint 'turn': mimics itself, through 'follow' [mimic-cycle]");
}

TEST(MimicRules, a_circle_behind_a_chain_of_followers_is_found) {
  Description d = two_arms();
  for (const char* name : {"a", "b", "c"}) {
    d.links.push_back({name, body(), {}, {}, 0});
    d.joints.push_back(joint(name, "base", name, 60));
  }
  d.joints[1].mimic = Mimic{"a", 1.0, 0.0};
  d.joints[2].mimic = Mimic{"b", 1.0, 0.0};
  d.joints[3].mimic = Mimic{"c", 1.0, 0.0};
  d.joints[4].mimic = Mimic{"a", 1.0, 0.0};
  expect_error(d, rules::mimic_cycle,
               "plain.urdf:60: error: joint 'a': mimics itself, through 'b' [mimic-cycle]");
  d.joints[4].mimic.reset();
  EXPECT_TRUE(outcome(d, true).model);
}

/// Joints j0, j1, ... on one base, each mimicking the one before.
Description mimic_chain(int joints, double multiplier) {
  Description d;
  d.links.push_back({"base", body(), {}, {}, 0});
  for (int i = 0; i < joints; ++i) {
    const std::string n = std::to_string(i);
    d.links.push_back({"l" + n, body(), {}, {}, 0});
    d.joints.push_back(joint("j" + n, "base", "l" + n, 0));
    if (i) d.joints.back().mimic = Mimic{"j" + std::to_string(i - 1), multiplier, 0.0};
  }
  return d;
}

TEST(MimicRules, multipliers_that_overflow_when_composed_are_refused) {
  EXPECT_TRUE(outcome(mimic_chain(1000, 2.0), true).model);
  EXPECT_TRUE(outcome(mimic_chain(1100, 2.0)).diagnostics.has_errors());
}

TEST(MimicRules, a_chain_of_twenty_thousand_followers_builds_in_a_moment) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome o = outcome(mimic_chain(20'000, -1.0), true);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(),
            5.0);  // a tenth of a second, or half a minute if each walks the whole chain
  ASSERT_TRUE(o.model);
  EXPECT_EQ(o.model->nv(), 1);
  EXPECT_EQ(o.model->joint(20'000).multiplier, -1.0);
}

}  // namespace
}  // namespace ulna::test
