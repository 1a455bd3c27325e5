#include "descriptions.hpp"

namespace ulna::test {
namespace {

TEST(Builder, finds_nothing_wrong_with_a_plain_robot) {
  EXPECT_TRUE(outcome(plain(), true).diagnostics.list().empty());
  for_each_model([](const Model& model, Random&) {
    // joints that mimic others by chance leave limits by chance
    const Outcome o = outcome(model.description(), true);
    for (const Diagnostic& d : o.diagnostics.list())
      EXPECT_EQ(d.rule->name, rules::mimic_limits.name) << d.str();
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

TEST(TreeRules, joints_do_not_run_in_a_circle) {
  Description d = plain();
  d.joints.push_back(joint("back", "arm", "base", 40));
  expect_error(d, rules::tree_cycle,
               "plain.urdf:40: error: link 'base': is its own ancestor and not connected to a root "
               "[tree-cycle]");
}

TEST(TreeRules, a_circle_beside_the_tree_is_found) {
  Description d = plain();
  d.links.push_back({"x", body(), {}, {}, 50});
  d.links.push_back({"y", body(), {}, {}, 51});
  d.joints.push_back(joint("xy", "x", "y", 52));
  d.joints.push_back(joint("yx", "y", "x", 53));
  expect_error(d, rules::tree_cycle,
               "plain.urdf:53: error: link 'x': is its own ancestor and not connected to a root "
               "[tree-cycle]");
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

}  // namespace
}  // namespace ulna::test
