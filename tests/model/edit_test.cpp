#include "ulna/model/edit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "descriptions.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::test {
namespace {

double total_mass(const Model& model) {
  double mass = 0.0;
  for (const Inertia<double>& I : model.inertias()) mass += I.mass();
  return mass;
}

/// All links as one body, in the base.
Inertia<double> as_one_body(const Model& model, const Eigen::VectorXd& q) {
  const Poses poses = frame_poses(model, q);
  Inertia<double> sum;
  for (int b = 0; b < model.body_count(); ++b)
    sum += poses.find(model.body_name(b))->second * model.inertias()[static_cast<std::size_t>(b)];
  return sum;
}

/// The configuration of `part`, whose joints are some of the model's, when the model's is q.
Eigen::VectorXd q_of(const Model& part, const Model& model, const Eigen::VectorXd& q) {
  Eigen::VectorXd own(part.nq());
  for (int b = 1; b < part.body_count(); ++b) {
    const Joint& j = part.joint(b);
    const Joint& in_model = model.joint(model.joint_index(part.joint_name(b)));
    if (!j.mimics)
      own.segment(j.q, configuration_size(j.type)) =
          q.segment(in_model.q, configuration_size(j.type));
  }
  return own;
}

/// Runs something that must be refused and hands over the first error.
template <class F>
Diagnostic refusal(F f) {
  try {
    f();
  } catch (const ModelError& e) {
    return e.diagnostics().list().front();
  }
  ADD_FAILURE() << "was not refused";
  return {};
}

/// base - shoulder - elbow - grip1, with grip2 that mimics grip1, a camera beside, and a tool.
Model arm() {
  Builder b("arm");
  for (const char* name :
       {"base", "upper", "lower", "finger1", "finger2", "camera", "tool", "antenna"})
    b.link(name, brick());
  b.joint("shoulder", JointType::revolute, "base", "upper", Pose({0, 0, 1}), {0, 1, 0});
  b.joint("elbow", JointType::revolute, "upper", "lower", Pose({0, 0, 1}), {0, 1, 0});
  b.joint("pan", JointType::continuous, "upper", "camera", Pose({0.1, 0, 0.5}));
  b.joint("flange", JointType::fixed, "lower", "tool", Pose({0, 0, 0.2}, {0, 0, 0.5}));
  b.joint("grip1", JointType::prismatic, "tool", "finger1", Pose({0, 0.1, 0}), {0, 1, 0});
  b.joint("grip2", JointType::prismatic, "tool", "finger2", Pose({0, -0.1, 0}), {0, 1, 0});
  b.last_joint().mimic = Mimic{"grip1", -1.0, 0.02};
  b.joint("clamp", JointType::fixed, "upper", "antenna", Pose({0, 0.1, 0}));
  b.frame("tcp", "tool", Pose({0, 0, 0.3}));
  b.frame("lens", "camera", Pose({0.1, 0, 0}));
  return b.build(true);
}

// --- lock_joints ---

class LockingA : public ::testing::TestWithParam<JointType> {};

TEST_P(LockingA, joint_leaves_the_robot_where_it_would_be_at_that_value) {
  int locked_joints = 0;
  for_each_model(
      [&](const Model& model, Random& random) {
        const Eigen::VectorXd q = random_q(model, random);
        JointValues at;
        for (int b = 1; b < model.body_count(); ++b) {
          const Joint& j = model.joint(b);
          if (j.type != GetParam() || j.mimics) continue;
          const double* first = q.data() + j.q;
          at[std::string(model.joint_name(b))] = {first, first + configuration_size(j.type)};
        }
        locked_joints += static_cast<int>(at.size());
        const Model locked = lock_joints(model, at);
        for (const auto& [name, values] : at) EXPECT_FALSE(locked.find_joint(name));
        const Eigen::VectorXd own = q_of(locked, model, q);
        expect_same_poses(frame_poses(model, q), frame_poses(locked, own));
        expect_close(as_one_body(locked, own), as_one_body(model, q), 1e-12);
      },
      {.kinds = moving_kinds, .mimic = 0.1});
  EXPECT_GT(locked_joints, 20);
}

INSTANTIATE_TEST_SUITE_P(Kind, LockingA, ::testing::ValuesIn(moving_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

TEST(LockJoints, keeps_the_order_of_the_others) {
  for_each_model([](const Model& model, Random& random) {
    JointValues at;
    Strings expected;
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      const std::string name(model.joint_name(b));
      if (velocity_size(j.type) == 1 && !j.mimics && random.real() < 0.0)
        at[name] = {0.1};
      else if (!j.mimics || !at.contains(model.joint_name(j.mimics)))
        expected.push_back(name);
    }
    // a follower that stands before its master was not known to freeze yet
    std::erase_if(expected, [&](const std::string& name) {
      const Joint& j = model.joint(model.joint_index(name));
      return j.mimics && at.contains(model.joint_name(j.mimics));
    });
    EXPECT_EQ(joint_names(lock_joints(model, at)), expected);
  });
}

TEST(LockJoints, mass_is_conserved) {
  for_each_model([](const Model& model, Random&) {
    JointValues at;
    for (int b = 1; b < model.body_count(); ++b)
      if (velocity_size(model.joint(b).type) == 1 && !model.joint(b).mimics)
        at[std::string(model.joint_name(b))] = {0.3};
    EXPECT_NEAR(total_mass(lock_joints(model, at)), total_mass(model), 1e-13 * total_mass(model));
  });
}

TEST(LockJoints, followers_freeze_with_their_master) {
  const Model model = arm();
  const Model locked = lock_joints(model, {{"grip1", {0.05}}});
  EXPECT_EQ(joint_names(locked), (Strings{"shoulder", "elbow", "pan"}));
  // finger2 slides by -0.05 + 0.02 along y of the tool
  const Vec3<double> p =
      locked.frame("tool").X_BF.inverse_apply(locked.frame("finger2").X_BF.translation());
  expect_close(p, Vec3<double>(0, -0.1 - 0.05 + 0.02, 0), 1e-15);
}

TEST(LockJoints, a_chain_of_followers_freezes_to_its_end) {
  Builder b;
  b.link("l0").link("l1", brick()).link("l2", brick()).link("l3", brick()).link("l4", brick());
  b.joint("c", JointType::revolute, "l0", "l1").last_joint().mimic = Mimic{"b", 2.0, 0.5};
  b.joint("b", JointType::revolute, "l1", "l2").last_joint().mimic = Mimic{"a", -3.0, 0.25};
  b.joint("free", JointType::revolute, "l2", "l3").joint("a", JointType::revolute, "l3", "l4");
  const Model locked = lock_joints(b.build(), {{"a", {0.1}}});
  EXPECT_EQ(joint_names(locked), Strings{"free"});
  expect_close(locked.frame("l1").X_BF.rotation(), Rotation<double>::about_z(-6.0 * 0.1 + 1.0),
               1e-15);
}

TEST(LockJoints, locking_nothing_changes_nothing) {
  const Model model = random_model(4);
  EXPECT_EQ(lock_joints(model, {}).description(), model.description());
}

TEST(LockJoints, the_scale_of_a_quaternion_does_not_matter) {
  for (const JointType type : {JointType::ball, JointType::floating}) {
    const Model model =
        Builder().link("base").link("arm", brick()).joint("hip", type, "base", "arm").build();
    std::vector<double> unit{0.5, 0.5, -0.5, 0.5}, scaled{1, 1, -1, 1};
    if (type == JointType::floating)
      for (auto* values : {&unit, &scaled}) values->insert(values->end(), {1.0, 2.0, 3.0});
    expect_close(lock_joints(model, {{"hip", scaled}}).frame("arm").X_BF,
                 lock_joints(model, {{"hip", unit}}).frame("arm").X_BF, 1e-15);
  }
}

TEST(LockJoints, a_quaternion_without_length_is_refused) {
  const Model model = Builder()
                          .link("base")
                          .link("arm", brick())
                          .joint("hip", JointType::ball, "base", "arm")
                          .build();
  const Diagnostic d = refusal([&] { lock_joints(model, {{"hip", {0, 0, 0, 0}}}); });
  EXPECT_EQ(d.rule, &rules::quaternion_zero);
}

TEST(LockJoints, a_wrong_name_is_refused_with_advice) {
  const Diagnostic d = refusal([] { lock_joints(arm(), {{"elbwo", {0.0}}}); });
  EXPECT_EQ(d.rule, &rules::edit_unknown);
  EXPECT_EQ(d.subject, "robot 'arm'");
  EXPECT_EQ(d.seen, "has no moving joint 'elbwo'; did you mean 'elbow'?");
  EXPECT_EQ(refusal([] {
              lock_joints(arm(), {{"flange", {0.0}}});
            }).seen,
            "has no moving joint 'flange'");
}

TEST(LockJoints, a_wrong_count_is_refused_with_both_numbers) {
  const Diagnostic d = refusal([] { lock_joints(arm(), {{"elbow", {0.0, 1.0}}}); });
  EXPECT_EQ(d.rule, &rules::number_count);
  EXPECT_EQ(d.seen, "joint 'elbow' takes 1 number, 2 given");
}

TEST(LockJoints, a_follower_is_refused_naming_its_master) {
  const Diagnostic d = refusal([] { lock_joints(arm(), {{"grip2", {0.0}}}); });
  EXPECT_EQ(d.rule, &rules::edit_unknown);
  EXPECT_EQ(d.seen, "joint 'grip2' mimics 'grip1': lock that one");
}

TEST(LockJoints, a_value_that_is_not_finite_is_refused) {
  EXPECT_EQ(refusal([] {
              lock_joints(arm(), {{"elbow", {std::nan("")}}});
            }).rule,
            &rules::number_invalid);
  EXPECT_EQ(refusal([] {
              lock_joints(arm(), {{"elbow", {infinity}}});
            }).rule,
            &rules::number_invalid);
}

// --- sub_chain ---

TEST(SubChain, has_the_joints_between_and_what_is_fixed_to_their_links) {
  const Model chain = sub_chain(arm(), "upper", "finger1");
  EXPECT_EQ(joint_names(chain), (Strings{"elbow", "grip1"}));
  EXPECT_EQ(chain.body_name(0), "upper");
  for (const char* kept : {"upper", "lower", "tool", "finger1", "tcp", "antenna"})
    EXPECT_TRUE(chain.find_frame(kept)) << kept;
  for (const char* lost : {"base", "camera", "lens", "finger2"})
    EXPECT_FALSE(chain.find_frame(lost)) << lost;
}

TEST(SubChain, branches_left_out_are_noted) {
  Diagnostics notes;
  sub_chain(arm(), "upper", "finger1", &notes);
  Strings subjects;
  for (const Diagnostic& d : notes.list()) {
    EXPECT_EQ(d.rule, &rules::branch_dropped);
    EXPECT_EQ(d.severity, Severity::note);
    EXPECT_EQ(d.seen, "is not on the chain");
    subjects.push_back(d.subject);
  }
  std::sort(subjects.begin(), subjects.end());
  EXPECT_EQ(subjects, (Strings{"joint 'grip2'", "joint 'pan'"}));
}

TEST(SubChain, poses_are_those_of_the_whole_robot_seen_from_the_new_base) {
  for_each_model(
      [](const Model& model, Random& random) {
        const Eigen::VectorXd q = random_q(model, random);
        const Poses all = frame_poses(model, q);
        const std::string tip(model.body_name(model.joint_count()));
        // every ancestor of the last body may be the base
        for (int b = model.joint(model.joint_count()).parent;; b = model.joint(b).parent) {
          const std::string base(model.body_name(b));
          SCOPED_TRACE("from '" + base + "' to '" + tip + "'");
          const Model chain = sub_chain(model, base, tip);
          Poses seen;
          for (const Frame& f : chain.frames())
            seen[std::string(f.name)] = all.at(base).inverse() * all.find(f.name)->second;
          expect_same_poses(seen, frame_poses(chain, q_of(chain, model, q)));
          if (b == 0) break;
        }
      },
      {.branching = 0.5, .mimic = 0.0});
}

TEST(SubChain, inertias_of_bodies_on_the_chain_are_unchanged) {
  for_each_model(
      [](const Model& model, Random&) {
        const Model chain =
            sub_chain(model, model.body_name(0), model.body_name(model.joint_count()));
        for (int b = 0; b < chain.body_count(); ++b) {
          const int was = model.frame(chain.body_name(b)).body;
          expect_close(chain.inertias()[static_cast<std::size_t>(b)],
                       model.inertias()[static_cast<std::size_t>(was)], 1e-14);
        }
      },
      {.branching = 0.5});
}

TEST(SubChain, a_follower_whose_master_is_lost_moves_on_its_own_and_a_note_says_so) {
  Diagnostics notes;
  const Model chain = sub_chain(arm(), "base", "finger2", &notes);
  EXPECT_EQ(joint_names(chain), (Strings{"shoulder", "elbow", "grip2"}));
  EXPECT_EQ(chain.nq(), 3);
  EXPECT_EQ(chain.joint(3).mimics, 0);
  const Diagnostic* d = notes.find(rules::mimic_ignored);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->severity, Severity::note);
  EXPECT_EQ(d->subject, "joint 'grip2'");
  EXPECT_EQ(d->seen, "mimics 'grip1', which is not on the chain");
  EXPECT_EQ(d->assumed, "moves independently");
}

TEST(SubChain, a_follower_whose_master_is_on_the_chain_keeps_following_through_a_lost_one) {
  // c mimics b, which is beside the chain, and b mimics a, which is on it
  Builder b;
  b.link("l0").link("l1", brick()).link("l2", brick()).link("side", brick());
  b.joint("a", JointType::revolute, "l0", "l1");
  b.joint("b", JointType::revolute, "l0", "side").last_joint().mimic = Mimic{"a", -3.0, 0.25};
  b.joint("c", JointType::revolute, "l1", "l2").last_joint().mimic = Mimic{"b", 2.0, 0.5};
  const Model chain = sub_chain(b.build(), "l0", "l2");
  EXPECT_EQ(chain.nq(), 1);
  EXPECT_EQ(chain.joint(2).mimics, 1);
  EXPECT_EQ(chain.joint(2).multiplier, -6.0);
  EXPECT_EQ(chain.joint(2).offset, 1.0);
}

TEST(SubChain, loops_stay_if_both_ends_do) {
  Description d = arm().description();
  LoopDescription inside, across;
  inside.name = "inside", inside.link1 = "upper", inside.link2 = "tool";
  across.name = "across", across.link1 = "camera", across.link2 = "tool";
  d.loops = {inside, across};
  const Model chain = sub_chain(Builder(d).build(), "base", "lower");
  ASSERT_EQ(chain.description().loops.size(), 1u);
  EXPECT_EQ(chain.description().loops[0].name, "inside");
}

TEST(SubChain, of_a_link_to_itself_is_what_is_fixed_to_it) {
  const Model stone = sub_chain(arm(), "upper", "upper");
  EXPECT_EQ(stone.joint_count(), 0);
  EXPECT_EQ(stone.frames().size(), 2u);  // upper and the antenna
}

TEST(SubChain, unknown_links_are_refused_with_advice) {
  const Diagnostic d = refusal([] { sub_chain(arm(), "base", "finger3"); });
  EXPECT_EQ(d.rule, &rules::edit_unknown);
  EXPECT_EQ(d.seen, "has no link 'finger3'; did you mean 'finger1'?");
  EXPECT_EQ(refusal([] { sub_chain(arm(), "bsae", "tool"); }).seen,
            "has no link 'bsae'; did you mean 'base'?");
  EXPECT_EQ(refusal([] { sub_chain(arm(), "base", "tcp"); }).rule,
            &rules::edit_unknown);  // a frame is not a link
}

TEST(SubChain, a_link_that_is_no_descendant_is_refused) {
  for (const auto& [base, tip] :
       {std::pair{"lower", "base"}, {"camera", "tool"}, {"finger1", "finger2"}}) {
    const Diagnostic d = refusal([&] { sub_chain(arm(), base, tip); });
    EXPECT_EQ(d.rule, &rules::chain_broken);
    EXPECT_EQ(d.seen, "link '" + std::string(tip) + "' is not a descendant of link '" + base + "'");
  }
}

// --- lump_fixed_joints ---

TEST(LumpFixedJoints, leaves_one_link_per_body_and_a_frame_for_each_link_lost) {
  for_each_model([](const Model& model, Random&) {
    const Model lumped = lump_fixed_joints(model);
    EXPECT_EQ(lumped.description().links.size(), static_cast<std::size_t>(model.body_count()));
    EXPECT_EQ(lumped.description().joints.size(), static_cast<std::size_t>(model.joint_count()));
    EXPECT_EQ(lumped.frames().size(), model.frames().size());
  });
}

TEST(LumpFixedJoints, numbers_joints_and_coordinates_as_before) {
  for_each_model([](const Model& model, Random&) {
    const Model lumped = lump_fixed_joints(model);
    ASSERT_EQ(joint_names(lumped), joint_names(model));
    EXPECT_EQ(lumped.configuration_names(), model.configuration_names());
    EXPECT_EQ(lumped.armature(), model.armature());
  });
}

TEST(LumpFixedJoints, changes_no_pose_and_no_inertia) {
  for_each_model([](const Model& model, Random& random) {
    const Model lumped = lump_fixed_joints(model);
    const Eigen::VectorXd q = random_q(model, random);
    expect_same_poses(frame_poses(model, q), frame_poses(lumped, q_of(lumped, model, q)));
    for (int b = 0; b < model.body_count(); ++b) {
      const int now = lumped.frame(model.body_name(b)).body;
      expect_close(lumped.inertias()[static_cast<std::size_t>(now)],
                   model.inertias()[static_cast<std::size_t>(b)], 1e-14);
    }
  });
}

TEST(LumpFixedJoints, done_twice_is_done_once) {
  for_each_model([](const Model& model, Random&) {
    const Model once = lump_fixed_joints(model);
    EXPECT_EQ(lump_fixed_joints(once).description(), once.description());
  });
}

TEST(LumpFixedJoints, shapes_and_loops_move_with_their_links) {
  Description d = arm().description();
  LoopDescription loop;
  loop.name = "rod", loop.link1 = "antenna", loop.link2 = "tool";
  loop.origin1 = Pose({0, 0, 0.3}), loop.origin2 = Pose({0, 0, 0.4});
  d.loops = {loop};
  for (LinkDescription& l : d.links)
    if (l.name == "tool") l.visuals.push_back({"shell", Pose({0, 0, 0.1}), Sphere{0.05}, {}});
  const Model model = Builder(d).build(), lumped = lump_fixed_joints(model);
  const auto& links = lumped.description().links;
  const auto lower =
      std::find_if(links.begin(), links.end(), [](const auto& l) { return l.name == "lower"; });
  ASSERT_NE(lower, links.end());
  ASSERT_EQ(lower->visuals.size(), 1u);
  const Transform<double> X_tool = model.frame("tool").X_BF;
  expect_close(lower->visuals[0].origin.transform(),
               X_tool * Transform<double>::from_translation({0, 0, 0.1}), 1e-15);
  const LoopDescription& rod = lumped.description().loops.at(0);
  EXPECT_EQ(rod.link1, "upper");
  EXPECT_EQ(rod.link2, "lower");
  expect_close(rod.origin1.transform(), model.frame("antenna").X_BF * loop.origin1.transform(),
               1e-15);
  expect_close(rod.origin2.transform(), X_tool * loop.origin2.transform(), 1e-15);
}

// --- with_floating_base ---

TEST(WithFloatingBase, adds_six_degrees_of_freedom_before_the_others) {
  for_each_model([](const Model& model, Random& random) {
    const Model free = with_floating_base(model);
    EXPECT_EQ(free.nq(), model.nq() + 7);
    EXPECT_EQ(free.nv(), model.nv() + 6);
    EXPECT_EQ(free.body_name(0), "world");
    EXPECT_EQ(free.joint_name(1), "floating_base");
    EXPECT_EQ(free.joint(1).q, 0);
    Strings expected = joint_names(model);
    expected.insert(expected.begin(), "floating_base");
    EXPECT_EQ(joint_names(free), expected);
    // the base where it was, then anywhere
    const Eigen::VectorXd q = random_q(model, random);
    Eigen::VectorXd free_q(free.nq());
    free_q << 1, 0, 0, 0, 0, 0, 0, q;
    expect_same_poses(frame_poses(model, q), frame_poses(free, free_q));
    free_q.head<7>() = random_q(free, random).head<7>();
    const Transform<double> X_WB = joint_pose(JointType::floating, 0.0, free_q.data());
    Poses moved = frame_poses(model, q);
    for (auto& [name, X] : moved) X = X_WB * X;
    expect_same_poses(moved, frame_poses(free, free_q));
  });
}

TEST(WithFloatingBase, names_give_way_to_names_that_are_there) {
  Builder b;
  b.link("world", brick())
      .link("arm", brick())
      .joint("floating_base", JointType::revolute, "world", "arm");
  b.frame("world_", "arm");
  const Model free = with_floating_base(b.build());
  EXPECT_EQ(free.body_name(0), "world__");
  EXPECT_EQ(joint_names(free), (Strings{"floating_base_", "floating_base"}));
  EXPECT_EQ(free.frame("world").body, 1);
  const Model named = with_floating_base(arm(), "pelvis");
  EXPECT_EQ(named.joint_name(1), "pelvis");
}

TEST(WithFloatingBase, can_be_done_again) {
  const Model twice = with_floating_base(with_floating_base(arm()));
  EXPECT_EQ(twice.nv(), arm().nv() + 12);
}

// --- without_mimics ---

TEST(WithoutMimics, every_joint_has_its_own_coordinate) {
  for_each_model([](const Model& model, Random& random) {
    const Model independent = without_mimics(model);
    EXPECT_EQ(joint_names(independent), joint_names(model));
    int nv = 0;
    for (const Joint& j : independent.joints()) {
      EXPECT_EQ(j.mimics, 0);
      nv += velocity_size(j.type);
    }
    EXPECT_EQ(independent.nv(), nv);
    // put where its master would put it, it is there
    const Eigen::VectorXd q = random_q(model, random);
    Eigen::VectorXd own(independent.nq());
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      const int n = configuration_size(j.type);
      own.segment(independent.joint(b).q, n) = q.segment(j.q, n);
      if (j.mimics) own(independent.joint(b).q) = j.multiplier * q(j.q) + j.offset;
    }
    expect_same_poses(frame_poses(model, q), frame_poses(independent, own));
  });
}

TEST(WithoutMimics, each_joint_resists_with_what_it_was_given) {
  const Model model = random_model(5, {.kinds = single_kinds, .mimic = 0.8});
  const Model independent = without_mimics(model);
  for (const JointDescription& given : model.description().joints)
    if (const auto b = independent.find_joint(given.name)) {
      EXPECT_EQ(independent.damping()(independent.joint(*b).v), given.dynamics.damping);
      EXPECT_EQ(independent.lower_limit()(independent.joint(*b).q), given.limits.lower);
    }
}

}  // namespace
}  // namespace ulna::test
