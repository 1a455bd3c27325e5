#include "ulna/model/builder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "support/random_model.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Inertial body() { return Inertial(solid_sphere(0.1).with_mass(1.0)); }

/// base - 'turn' - arm: nothing is wrong with it. Lines as if it were read from a file.
Description plain() {
  Builder b("plain");
  b.link("base", body()).link("arm", body());
  b.joint("turn", JointType::revolute, "base", "arm", Pose({0, 0, 1}), {0, 1, 0});
  Description d = b.description();
  d.file = "plain.urdf";
  d.links[0].line = 10, d.links[1].line = 20, d.joints[0].line = 30;
  return d;
}

/// What is said about a description, built or refused; and what it was repaired to.
struct Outcome {
  Diagnostics diagnostics;
  std::optional<Model> model;
};

Outcome outcome(const Description& d, bool strict = false) {
  Outcome o{Diagnostics(strict), {}};
  try {
    o.model = Builder(d).build(o.diagnostics);
  } catch (const ModelError& e) {
    // the error carries what the list has
    EXPECT_EQ(e.diagnostics().list().size(), o.diagnostics.list().size());
    o.diagnostics = e.diagnostics();
  }
  EXPECT_EQ(o.model.has_value(), !o.diagnostics.has_errors());
  return o;
}

/// Exactly one thing is said, and it is this. A warning leaves a model, and none when strict.
Outcome expect_said(const Description& d, const Rule& rule, Severity severity,
                    const std::string& text) {
  const Outcome o = outcome(d);
  EXPECT_EQ(o.diagnostics.list().size(), 1u);
  const Diagnostic* said = o.diagnostics.find(rule);
  if (!said) {
    ADD_FAILURE() << "[" << rule.name << "] is not said";
    for (const Diagnostic& other : o.diagnostics.list()) ADD_FAILURE() << "but: " << other.str();
    return o;
  }
  EXPECT_EQ(said->severity, severity);
  EXPECT_EQ(said->str(), text);
  EXPECT_EQ(o.model.has_value(), severity != Severity::error);
  EXPECT_EQ(said->assumed.empty(), severity == Severity::error);

  const Outcome strictly = outcome(d, true);
  EXPECT_FALSE(strictly.model);
  const Diagnostic* refused = strictly.diagnostics.find(rule);
  EXPECT_TRUE(refused && refused->severity == Severity::error);
  EXPECT_THROW(Builder(d).build(true), ModelError);
  return o;
}

void expect_error(const Description& d, const Rule& rule, const std::string& text) {
  EXPECT_FALSE(expect_said(d, rule, Severity::error, text).model);
}
/// Hands over the model with the repair.
Model expect_warning(const Description& d, const Rule& rule, const std::string& text) {
  const Outcome o = expect_said(d, rule, Severity::warning, text);
  return o.model ? *o.model : Builder(plain()).build();
}

TEST(Builder, finds_nothing_wrong_with_a_plain_robot) {
  EXPECT_TRUE(outcome(plain(), true).diagnostics.list().empty());
  for_each_model([](const Model& model, Random&) {
    EXPECT_TRUE(outcome(model.description(), true).diagnostics.list().empty());
  });
}

TEST(Builder, a_repaired_description_needs_no_repair) {
  Description d = plain();
  d.joints[0].axis *= 3.0;
  d.joints[0].limits = {0.0, 0.0, 0.0, 0.0};
  Diagnostics first;
  const Model repaired = Builder(d).build(first);
  EXPECT_EQ(first.list().size(), 4u);
  EXPECT_TRUE(outcome(repaired.description(), true).diagnostics.list().empty());
}

TEST(Builder, tells_everything_that_is_wrong_at_one_stage) {
  Description d = plain();
  d.joints[0].axis.setZero();
  d.joints[0].limits.lower = 2.0, d.joints[0].limits.upper = 1.0;
  d.joints[0].dynamics.damping = -1.0;
  const Outcome o = outcome(d);
  EXPECT_EQ(o.diagnostics.count(Severity::error), 3u);
}

// --- names ---

TEST(NameRules, a_robot_without_links_is_refused) {
  Description d;
  d.name = "nothing";
  expect_error(d, rules::tree_empty, "error: robot 'nothing': there is no link [tree-empty]");
}

TEST(NameRules, gravity_must_be_finite) {
  Description d = plain();
  d.gravity.y() = nan;
  expect_error(d, rules::number_invalid,
               "plain.urdf: error: robot 'plain': gravity is not finite [number-invalid]");
  EXPECT_THROW(Builder(plain()).build().with_gravity({0, 0, infinity}), ModelError);
}

TEST(NameRules, everything_has_a_name) {
  const std::string text = " has no name [name-missing]";
  Description d = plain();
  d.links.push_back({"", body(), {}, {}, 40});
  expect_error(d, rules::name_missing, "plain.urdf:40: error: link:" + text);
  d = plain();
  d.joints[0].name.clear();
  expect_error(d, rules::name_missing, "plain.urdf:30: error: joint:" + text);
  d = plain();
  d.frames.push_back({"", "arm", {}, 50});
  expect_error(d, rules::name_missing, "plain.urdf:50: error: frame:" + text);
  d = plain();
  d.loops.push_back({"", JointType::revolute, "base", "arm", {}, {}, {1, 0, 0}, 60});
  expect_error(d, rules::name_missing, "plain.urdf:60: error: loop:" + text);
}

TEST(NameRules, names_are_different) {
  Description d = plain();
  d.links.push_back({"arm", body(), {}, {}, 40});
  expect_error(d, rules::name_duplicate,
               "plain.urdf:40: error: link 'arm': another link has the same name [name-duplicate]");
  d = plain();
  d.joints.push_back(d.joints[0]);
  expect_error(
      d, rules::name_duplicate,
      "plain.urdf:30: error: joint 'turn': another joint has the same name [name-duplicate]");
  d = plain();
  d.frames = {{"tip", "arm", {}, 50}, {"tip", "base", {}, 51}};
  expect_error(
      d, rules::name_duplicate,
      "plain.urdf:51: error: frame 'tip': another frame has the same name [name-duplicate]");
  d.frames = {{"arm", "base", {}, 52}};
  expect_error(d, rules::name_duplicate,
               "plain.urdf:52: error: frame 'arm': a link has the same name [name-duplicate]");
  d = plain();
  LoopDescription loop;
  loop.name = "rod", loop.link1 = "base", loop.link2 = "arm", loop.line = 60;
  d.loops = {loop, loop};
  expect_error(d, rules::name_duplicate,
               "plain.urdf:60: error: loop 'rod': another loop has the same name [name-duplicate]");
}

TEST(NameRules, a_joint_may_be_called_as_a_link_or_a_frame) {
  Description d = plain();
  d.joints[0].name = "arm";
  d.frames.push_back({"turn", "arm", {}, 0});
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(NameRules, a_world_that_nobody_declares_is_added) {
  Description d = plain();
  d.joints.push_back({});
  d.joints[1].name = "bolt", d.joints[1].parent = "world", d.joints[1].child = "base",
  d.joints[1].line = 40;
  const Model model = expect_warning(d, rules::link_undeclared,
                                     "plain.urdf:40: warning: joint 'bolt': parent link 'world' is "
                                     "not declared; a link 'world' is "
                                     "added [link-undeclared]");
  EXPECT_EQ(model.body_name(0), "world");
  EXPECT_EQ(model.description().links.size(), 3u);
  EXPECT_EQ(model.frame("base").body, 0);
}

// --- the tree ---

TEST(TreeRules, links_that_are_named_must_exist) {
  Description d = plain();
  d.joints[0].parent = "bsae";
  expect_error(d, rules::link_unknown,
               "plain.urdf:30: error: joint 'turn': parent link 'bsae' is unknown; did you mean "
               "'base'? [link-unknown]");
  d = plain();
  d.joints[0].child = "leg_of_a_chair";
  expect_error(
      d, rules::link_unknown,
      "plain.urdf:30: error: joint 'turn': child link 'leg_of_a_chair' is unknown [link-unknown]");
  d = plain();
  d.frames.push_back({"tip", "amr", {}, 50});
  expect_error(d, rules::link_unknown,
               "plain.urdf:50: error: frame 'tip': link 'amr' is unknown; did you mean 'arm'? "
               "[link-unknown]");
  d = plain();
  LoopDescription loop;
  loop.name = "rod", loop.link1 = "base", loop.link2 = "wall", loop.line = 60;
  d.loops = {loop};
  expect_error(d, rules::link_unknown,
               "plain.urdf:60: error: loop 'rod': link2 'wall' is unknown [link-unknown]");
  std::swap(d.loops[0].link1, d.loops[0].link2);
  expect_error(d, rules::link_unknown,
               "plain.urdf:60: error: loop 'rod': link1 'wall' is unknown [link-unknown]");
}

TEST(TreeRules, joints_without_links_are_refused_for_the_links_they_name) {
  Description d = plain();
  d.links.clear();
  const Outcome o = outcome(d);
  EXPECT_EQ(o.diagnostics.list().size(), 2u);
  EXPECT_TRUE(o.diagnostics.find(rules::link_unknown));
}

TEST(TreeRules, a_joint_cannot_connect_a_link_to_itself) {
  Description d = plain();
  d.joints[0].child = "base";
  expect_error(
      d, rules::tree_self_loop,
      "plain.urdf:30: error: joint 'turn': connects link 'base' to itself [tree-self-loop]");
}

TEST(TreeRules, a_link_has_one_parent) {
  Description d = plain();
  d.joints.push_back(d.joints[0]);
  d.joints[1].name = "again", d.joints[1].line = 31;
  expect_error(d, rules::link_two_parents,
               "plain.urdf:31: error: joint 'again': link 'arm' already is the child of joint "
               "'turn' (line 30) [link-two-parents]");
}

TEST(TreeRules, there_is_one_root) {
  Description d = plain();
  d.links.push_back({"stray", body(), {}, {}, 40});
  expect_error(d, rules::tree_two_roots,
               "plain.urdf:40: error: robot 'plain': 2 links have no parent: 'base', 'stray' "
               "[tree-two-roots]");
  for (int i = 0; i < 5; ++i) d.links.push_back({"s" + std::to_string(i), body(), {}, {}, 41 + i});
  expect_error(d, rules::tree_two_roots,
               "plain.urdf:40: error: robot 'plain': 7 links have no parent: 'base', 'stray', "
               "'s0', 's1', 's2', ... [tree-two-roots]");
}

JointDescription joint(const std::string& name, const std::string& parent, const std::string& child,
                       int line) {
  JointDescription j;
  j.name = name, j.parent = parent, j.child = child, j.line = line;
  j.type = JointType::revolute;
  return j;
}

TEST(TreeRules, joints_do_not_run_in_a_circle) {
  Description d = plain();
  d.joints.push_back(joint("back", "arm", "base", 40));
  expect_error(
      d, rules::tree_cycle,
      "plain.urdf:40: error: link 'base': is its own ancestor: no root leads to it [tree-cycle]");
}

TEST(TreeRules, a_circle_beside_the_tree_is_found) {
  Description d = plain();
  d.links.push_back({"x", body(), {}, {}, 50});
  d.links.push_back({"y", body(), {}, {}, 51});
  d.joints.push_back(joint("xy", "x", "y", 52));
  d.joints.push_back(joint("yx", "y", "x", 53));
  expect_error(
      d, rules::tree_cycle,
      "plain.urdf:53: error: link 'x': is its own ancestor: no root leads to it [tree-cycle]");
}

TEST(TreeRules, of_a_circle_a_link_on_it_is_named_and_not_one_that_hangs_on_it) {
  Description d = plain();
  d.links.push_back({"hanging", body(), {}, {}, 49});
  d.links.push_back({"x", body(), {}, {}, 50});
  d.links.push_back({"y", body(), {}, {}, 51});
  d.joints.push_back(joint("hang", "x", "hanging", 54));
  d.joints.push_back(joint("xy", "x", "y", 52));
  d.joints.push_back(joint("yx", "y", "x", 53));
  const Outcome o = outcome(d);
  ASSERT_TRUE(o.diagnostics.find(rules::tree_cycle));
  EXPECT_NE(o.diagnostics.find(rules::tree_cycle)->subject, "link 'hanging'");
}

// --- joints ---

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

/// plain with a second arm on the base, moved by 'follow'.
Description two_arms() {
  Description d = plain();
  d.links.push_back({"arm2", body(), {}, {}, 40});
  d.joints.push_back(joint("follow", "base", "arm2", 50));
  return d;
}

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
                 "plain.urdf:50: error: joint 'follow': mimics joint 'turn', which has no single "
                 "coordinate [mimic-unknown]");
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
      "plain.urdf:50: error: joint 'follow': mimics itself, by way of 'follow' [mimic-cycle]");
  d.joints[1].mimic = Mimic{"turn", 1.0, 0.0};
  d.joints[0].mimic = Mimic{"follow", 1.0, 0.0};
  expect_error(
      d, rules::mimic_cycle,
      "plain.urdf:30: error: joint 'turn': mimics itself, by way of 'follow' [mimic-cycle]");
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
               "plain.urdf:60: error: joint 'a': mimics itself, by way of 'b' [mimic-cycle]");
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

// --- bodies ---

Description with_inertial(const std::optional<Inertial>& inertial) {
  Description d = plain();
  d.joints[0].dynamics.armature = 0.1;  // so that the joint has something to move
  d.links[1].inertial = inertial;
  return d;
}

Inertial moments(double mass, double x, double y, double z) {
  return {mass, Vec3<double>(0.1, 0.2, 0.3), Vec3<double>(x, y, z).asDiagonal()};
}

TEST(BodyRules, a_moving_link_without_an_inertial_is_taken_as_massless) {
  const Model model = expect_warning(
      with_inertial({}), rules::inertial_missing,
      "plain.urdf:20: warning: link 'arm': no inertial; taken as massless [inertial-missing]");
  EXPECT_EQ(model.inertias()[1].parameters(), Inertia<double>().parameters());
}

TEST(BodyRules, the_base_and_links_that_are_fixed_need_no_inertial) {
  Description d = plain();
  d.links[0].inertial.reset();
  d.links.push_back({"sticker", {}, {}, {}, 40});
  d.joints.push_back(joint("glue", "arm", "sticker", 50));
  d.joints[1].type = JointType::fixed;
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(BodyRules, mass_and_inertia_are_finite) {
  const std::string text =
      "plain.urdf:20: error: link 'arm': mass, centre of mass or inertia is not finite "
      "[number-invalid]";
  expect_error(with_inertial(moments(nan, 1, 1, 1)), rules::number_invalid, text);
  expect_error(with_inertial(moments(1, 1, infinity, 1)), rules::number_invalid, text);
  Inertial off = moments(1, 1, 1, 1);
  off.com.z() = nan;
  expect_error(with_inertial(off), rules::number_invalid, text);
}

TEST(BodyRules, a_mass_is_not_negative) {
  expect_error(with_inertial(moments(-2.5, 1, 1, 1)), rules::mass_negative,
               "plain.urdf:20: error: link 'arm': mass -2.5 kg is negative [mass-negative]");
}

TEST(BodyRules, inertia_without_mass_is_used_as_it_is) {
  const Model model = expect_warning(
      with_inertial(moments(0.0, 1, 2, 2)), rules::mass_zero,
      "plain.urdf:20: warning: link 'arm': inertia without mass; used as it is [mass-zero]");
  EXPECT_EQ(model.inertias()[1].mass(), 0.0);
  EXPECT_EQ(model.inertias()[1].rotational(), Mat3<double>(Vec3<double>(1, 2, 2).asDiagonal()));
}

TEST(BodyRules, an_inertia_that_is_not_positive_is_used_as_it_is) {
  const Model model =
      expect_warning(with_inertial(moments(1.0, -0.5, 2, 2)), rules::inertia_not_positive,
                     "plain.urdf:20: warning: link 'arm': inertia is not positive definite: "
                     "principal moment -0.5 kg m^2; used as it is "
                     "[inertia-not-positive]");
  expect_close(model.inertias()[1].rotational_about_com(),
               Mat3<double>(Vec3<double>(-0.5, 2, 2).asDiagonal()), 1e-15);
}

TEST(BodyRules, an_inertia_against_the_triangle_inequality_is_used_as_it_is) {
  const Model model =
      expect_warning(with_inertial(moments(1.0, 0.1, 0.2, 0.35)), rules::inertia_triangle,
                     "plain.urdf:20: warning: link 'arm': triangle inequality: 0.35 > 0.1 + 0.2 by "
                     "0.05 kg m^2; used as it is [inertia-triangle]");
  expect_close(model.inertias()[1].rotational_about_com(),
               Mat3<double>(Vec3<double>(0.1, 0.2, 0.35).asDiagonal()), 1e-15);
}

TEST(BodyRules, mass_without_rotational_inertia_is_a_point_mass) {
  const Model model = expect_warning(with_inertial(moments(1.5, 0, 0, 0)), rules::inertia_zero,
                                     "plain.urdf:20: warning: link 'arm': mass 1.5 kg without "
                                     "rotational inertia; taken as a point mass [inertia-zero]");
  expect_close(model.inertias()[1], Inertia<double>::point_mass(1.5, {0.1, 0.2, 0.3}), 1e-15);
}

TEST(BodyRules, rods_and_plates_and_explicit_nothing_are_accepted) {
  EXPECT_TRUE(outcome(with_inertial(moments(1.0, 0.0, 0.2, 0.2)), true).model);
  EXPECT_TRUE(outcome(with_inertial(moments(1.0, 0.1, 0.2, 0.3)), true).model);
  EXPECT_TRUE(outcome(with_inertial(moments(0.0, 0.0, 0.0, 0.0)), true).model);
}

TEST(BodyRules, a_joint_that_moves_nothing_makes_the_mass_matrix_singular) {
  Description d = plain();
  d.links[1].inertial = moments(0, 0, 0, 0);
  expect_warning(d, rules::body_massless,
                 "plain.urdf:30: warning: joint 'turn': moves nothing that has inertia; the mass "
                 "matrix is singular [body-massless]");
  d.joints[0].dynamics.armature = 0.1;
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(BodyRules, a_joint_moves_what_hangs_further_down) {
  Description d = two_arms();
  d.links[1].inertial = moments(0, 0, 0, 0);
  d.joints[1].parent = "arm";
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(BodyRules, a_joint_moves_what_its_followers_move) {
  Description d = two_arms();
  d.links[1].inertial = moments(0, 0, 0, 0);
  d.joints[1].mimic = Mimic{"turn", 2.0, 0.0};
  EXPECT_TRUE(outcome(d, true).model);
  // unless they stand still
  d.joints[1].mimic->multiplier = 0.0;
  EXPECT_TRUE(outcome(d).diagnostics.find(rules::body_massless));
}

}  // namespace
}  // namespace ulna::test
