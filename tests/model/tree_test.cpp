#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "descriptions.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/plant.hpp"

namespace ulna::test {
namespace {

template <class F>
std::string out_of_range(F f) {
  try {
    f();
  } catch (const std::out_of_range& e) {
    return e.what();
  }
  return "nothing was thrown";
}

/// Two legs and a tail; the joints stand in the file in another order than in the tree.
Builder animal() {
  Builder b("animal");
  for (const char* name :
       {"foot_r", "shin_l", "trunk", "shin_r", "foot_l", "thigh_l", "thigh_r", "tail"})
    b.link(name, body());
  b.joint("ankle_r", JointType::fixed, "shin_r", "foot_r");
  b.joint("knee_l", JointType::revolute, "thigh_l", "shin_l");
  b.joint("hip_r", JointType::ball, "trunk", "thigh_r");
  b.joint("knee_r", JointType::revolute, "thigh_r", "shin_r");
  b.joint("hip_l", JointType::ball, "trunk", "thigh_l");
  b.joint("ankle_l", JointType::continuous, "shin_l", "foot_l");
  b.joint("wag", JointType::planar, "trunk", "tail");
  return b;
}

// --- order ---

TEST(Tree, joints_are_numbered_depth_first_in_document_order_without_fixed_ones) {
  const Model model = animal().build();
  EXPECT_EQ(joint_names(model), (Strings{"hip_r", "knee_r", "hip_l", "knee_l", "ankle_l", "wag"}));
  EXPECT_EQ(model.joint_count(), 6);
  EXPECT_EQ(model.body_count(), 7);
}

TEST(Tree, children_behind_a_fixed_joint_take_its_place_in_the_order) {
  Builder b;
  for (const char* name : {"base", "plate", "a", "b", "c"}) b.link(name, body());
  b.joint("first", JointType::revolute, "base", "a");
  b.joint("mount", JointType::fixed, "base", "plate");
  b.joint("third", JointType::revolute, "base", "c");
  b.joint("second", JointType::revolute, "plate", "b");
  EXPECT_EQ(joint_names(b.build()), (Strings{"first", "second", "third"}));
}

TEST(Tree, the_order_of_a_random_tree_is_that_of_a_recursive_walk) {
  for_each_model([](const Model& model, Random&) {
    const Description& d = model.description();
    Strings expected;
    const std::function<void(const std::string&)> visit = [&](const std::string& link) {
      for (const JointDescription& j : d.joints) {
        if (j.parent != link) continue;
        if (j.type != JointType::fixed) expected.push_back(j.name);
        visit(j.child);
      }
    };
    visit("l0");
    EXPECT_EQ(joint_names(model), expected);
  });
}

TEST(Tree, the_order_does_not_depend_on_the_order_of_links) {
  for_each_model([](const Model& model, Random& random) {
    Description d = model.description();
    shuffle(random, d.links);
    const Model again = Builder(d).build();
    EXPECT_EQ(joint_names(again), joint_names(model));
    EXPECT_EQ(again.configuration_names(), model.configuration_names());
  });
}

TEST(Tree, building_twice_gives_the_same_model_to_the_last_bit) {
  for_each_model([](const Model& model, Random&) {
    const Model again = Builder(model.description()).build();
    ASSERT_EQ(again.body_count(), model.body_count());
    EXPECT_EQ(again.description(), model.description());
    for (int b = 0; b < model.body_count(); ++b) {
      const auto i = static_cast<std::size_t>(b);
      EXPECT_EQ(again.joint(b).X_PJ.matrix(), model.joint(b).X_PJ.matrix());
      EXPECT_EQ(again.inertias()[i].parameters(), model.inertias()[i].parameters());
      EXPECT_EQ(again.canonical_inertias()[i].parameters(),
                model.canonical_inertias()[i].parameters());
    }
    EXPECT_EQ(again.armature(), model.armature());
  });
}

TEST(Tree, parents_come_before_children_and_carry_them) {
  for_each_model([](const Model& model, Random&) {
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      EXPECT_GE(j.parent, 0);
      EXPECT_LT(j.parent, b);
      // the link the joint hangs on belongs to the parent body, and the child is the body's own
      const auto& joints = model.description().joints;
      const auto given = std::find_if(joints.begin(), joints.end(),
                                      [&](const auto& g) { return g.name == model.joint_name(b); });
      ASSERT_NE(given, joints.end());
      EXPECT_EQ(model.frame(given->parent).body, j.parent);
      EXPECT_EQ(given->child, model.body_name(b));
      EXPECT_EQ(given->type, j.type);
    }
  });
}

TEST(Tree, body_zero_is_the_base_and_has_no_joint) {
  const Model model = animal().build();
  EXPECT_EQ(model.joint(0).type, JointType::fixed);
  EXPECT_EQ(model.joint_name(0), "");
  EXPECT_EQ(model.body_name(0), "trunk");
  EXPECT_EQ(model.body_name(4), "shin_l");
}

TEST(Tree, a_single_link_is_a_robot_that_does_not_move) {
  const Model model = Builder("stone").link("base").build(true);
  EXPECT_EQ(model.nq(), 0);
  EXPECT_EQ(model.nv(), 0);
  EXPECT_EQ(model.body_count(), 1);
  EXPECT_EQ(model.joint_count(), 0);
  EXPECT_EQ(neutral(model).size(), 0);
  EXPECT_EQ(model.frames().size(), 1u);
}

// --- coordinates ---

TEST(Coordinates, every_kind_of_joint_has_its_numbers_and_names) {
  Builder b;
  b.link("l0", body());
  int i = 0;
  for (const JointType kind : moving_kinds) {
    b.link("l" + std::to_string(i + 1), body());
    b.joint("a" + std::to_string(i), kind, "l" + std::to_string(i), "l" + std::to_string(i + 1));
    b.last_joint().pitch = kind == JointType::helical ? 0.1 : 0.0;
    ++i;
  }
  const Model model = b.build();
  EXPECT_EQ(model.nq(), 1 + 1 + 1 + 1 + 3 + 4 + 7);
  EXPECT_EQ(model.nv(), 1 + 1 + 1 + 1 + 3 + 3 + 6);
  EXPECT_EQ(model.configuration_names(),
            (Strings{"a0", "a1", "a2", "a3", "a4_theta", "a4_x", "a4_y", "a5_qw", "a5_qx", "a5_qy",
                     "a5_qz", "a6_qw", "a6_qx", "a6_qy", "a6_qz", "a6_x", "a6_y", "a6_z"}));
  EXPECT_EQ(model.velocity_names(),
            (Strings{"a0", "a1", "a2", "a3", "a4_wz", "a4_vx", "a4_vy", "a5_wx", "a5_wy", "a5_wz",
                     "a6_wx", "a6_wy", "a6_wz", "a6_vx", "a6_vy", "a6_vz"}));
}

TEST(Coordinates, follow_each_other_in_the_order_of_the_joints_without_gaps) {
  for_each_model([](const Model& model, Random&) {
    int nq = 0, nv = 0;
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      if (j.mimics) continue;
      EXPECT_EQ(j.q, nq);
      EXPECT_EQ(j.v, nv);
      nq += configuration_size(j.type);
      nv += velocity_size(j.type);
    }
    EXPECT_EQ(model.nq(), nq);
    EXPECT_EQ(model.nv(), nv);
    EXPECT_EQ(model.configuration_names().size(), static_cast<std::size_t>(nq));
    EXPECT_EQ(model.velocity_names().size(), static_cast<std::size_t>(nv));
  });
}

TEST(Coordinates, a_mimicking_joint_borrows_those_of_a_joint_that_has_its_own) {
  int followers = 0;
  for_each_model([&](const Model& model, Random&) {
    for (const Joint& j : model.joints()) {
      if (!j.mimics) continue;
      ++followers;
      const Joint& master = model.joint(j.mimics);
      EXPECT_EQ(master.mimics, 0);
      EXPECT_EQ(j.q, master.q);
      EXPECT_EQ(j.v, master.v);
    }
  });
  EXPECT_GT(followers, 20);
}

TEST(Coordinates, each_belongs_to_one_joint_and_mimics_are_known_by_the_model) {
  for_each_model([](const Model& model, Random&) {
    bool mimics = false;
    for (const Joint& j : model.joints()) {
      mimics = mimics || j.mimics;
      for (int i = 0; i < (j.mimics ? 0 : velocity_size(j.type)); ++i)
        EXPECT_EQ(&model.joint_of_coordinate(j.v + i), &j);
    }
    EXPECT_EQ(model.has_mimics(), mimics);
    EXPECT_THROW(model.joint_of_coordinate(model.nv()), std::out_of_range);
  });
}

TEST(Coordinates, mimics_of_mimics_are_composed) {
  // the master stands last in the tree, the chain runs against its order
  Builder b;
  b.link("l0").link("l1", body()).link("l2", body()).link("l3", body()).link("l4", body());
  b.joint("c", JointType::revolute, "l0", "l1");
  b.last_joint().mimic = Mimic{"b", 2.0, 0.5};
  b.joint("b", JointType::prismatic, "l1", "l2");
  b.last_joint().mimic = Mimic{"a", -3.0, 0.25};
  b.joint("other", JointType::continuous, "l2", "l3");
  b.joint("a", JointType::revolute, "l3", "l4");
  const Model model = b.build();
  EXPECT_EQ(model.nq(), 2);
  EXPECT_EQ(model.configuration_names(), (Strings{"other", "a"}));
  const Joint& c = model.joint(model.joint_index("c"));
  EXPECT_EQ(c.mimics, model.joint_index("a"));
  EXPECT_EQ(c.multiplier, -6.0);  // 2 (-3 q + 0.25) + 0.5
  EXPECT_EQ(c.offset, 1.0);
  EXPECT_EQ(c.q, 1);
  EXPECT_EQ(model.joint(model.joint_index("b")).multiplier, -3.0);
  EXPECT_EQ(model.joint(model.joint_index("b")).offset, 0.25);
}

TEST(Coordinates, sizes_of_the_kinds) {
  const auto sizes = [](JointType t) { return std::pair(configuration_size(t), velocity_size(t)); };
  EXPECT_EQ(sizes(JointType::fixed), std::pair(0, 0));
  for (const JointType t : single_kinds) EXPECT_EQ(sizes(t), std::pair(1, 1));
  EXPECT_EQ(sizes(JointType::planar), std::pair(3, 3));
  EXPECT_EQ(sizes(JointType::ball), std::pair(4, 3));
  EXPECT_EQ(sizes(JointType::floating), std::pair(7, 6));
}

TEST(Coordinates, kinds_have_names_that_lead_back_to_them) {
  std::vector<JointType> kinds = moving_kinds;
  kinds.push_back(JointType::fixed);
  for (const JointType t : kinds) EXPECT_EQ(joint_type_from_string(to_string(t)), t);
  EXPECT_EQ(joint_type_from_string("hinge"), std::nullopt);
  EXPECT_EQ(joint_type_from_string(""), std::nullopt);
}

// --- names ---

TEST(Lookup, finds_every_moving_joint_and_every_frame) {
  for_each_model([](const Model& model, Random&) {
    for (int b = 1; b < model.body_count(); ++b) {
      EXPECT_EQ(model.joint_index(model.joint_name(b)), b);
      EXPECT_EQ(model.find_joint(model.joint_name(b)), b);
    }
    const Description& d = model.description();
    EXPECT_EQ(model.frames().size(), d.links.size() + d.frames.size());
    for (std::size_t i = 0; i < model.frames().size(); ++i) {
      EXPECT_EQ(model.find_frame(model.frames()[i].name), static_cast<int>(i));
      EXPECT_EQ(&model.frame(model.frames()[i].name), &model.frames()[i]);
    }
    for (const LinkDescription& l : d.links) EXPECT_TRUE(model.find_frame(l.name));
    for (const FrameDescription& f : d.frames) EXPECT_TRUE(model.find_frame(f.name));
    for (const JointDescription& j : d.joints)
      EXPECT_EQ(model.find_joint(j.name).has_value(), j.type != JointType::fixed);
  });
}

TEST(Lookup, a_wrong_name_is_answered_with_advice) {
  const Model model = animal().frame("nose", "trunk").build();
  EXPECT_EQ(out_of_range([&] { model.joint_index("kene_l"); }),
            "robot 'animal' has no moving joint 'kene_l'; did you mean 'knee_l'?");
  EXPECT_EQ(out_of_range([&] { model.joint_index("zebra"); }),
            "robot 'animal' has no moving joint 'zebra'");
  EXPECT_EQ(out_of_range([&] { model.frame("nsoe"); }),
            "robot 'animal' has no link or frame 'nsoe'; did you mean 'nose'?");
  EXPECT_EQ(out_of_range([&] { model.frame("thihg_r"); }),
            "robot 'animal' has no link or frame 'thihg_r'; did you mean 'thigh_r'?");
  EXPECT_EQ(model.find_joint("ankle_r"), std::nullopt);  // fixed
  EXPECT_EQ(model.find_joint(""), std::nullopt);
  EXPECT_EQ(model.find_frame("hip_r"), std::nullopt);  // a joint is not a frame
}

TEST(Lookup, a_body_that_does_not_exist_has_no_name) {
  const Model model = animal().build();
  EXPECT_THROW(model.joint_name(7), std::out_of_range);
  EXPECT_THROW(model.body_name(-1), std::out_of_range);
}

// --- size ---

Description long_chain(int links, JointType type) {
  Description d;
  for (int i = 0; i < links; ++i) {
    LinkDescription link;
    link.name = "l" + std::to_string(i);
    link.inertial = body();
    d.links.push_back(std::move(link));
    if (i == 0) continue;
    JointDescription j;
    j.name = "j" + std::to_string(i);
    j.type = type;
    j.parent = "l" + std::to_string(i - 1), j.child = "l" + std::to_string(i);
    j.origin = Pose({0.0, 0.0, 0.01});
    d.joints.push_back(std::move(j));
  }
  return d;
}

class LongChain : public ::testing::TestWithParam<int> {};

TEST_P(LongChain, builds_without_recursion_and_every_joint_is_found) {
  const int n = GetParam();
  const Model model = Builder(long_chain(n, JointType::revolute)).build(true);
  ASSERT_EQ(model.nq(), n - 1);
  for (int b = 1; b < n; ++b) ASSERT_EQ(model.joint_index("j" + std::to_string(b)), b);
  EXPECT_EQ(model.joint(n - 1).parent, n - 2);
}

TEST_P(LongChain, lumps_without_recursion) {
  const int n = GetParam();
  const Model model = Builder(long_chain(n, JointType::fixed)).build(true);
  EXPECT_EQ(model.body_count(), 1);
  EXPECT_NEAR(model.inertias()[0].mass(), n, 1e-9 * n);
  EXPECT_NEAR(model.frame("l" + std::to_string(n - 1)).X_BF.translation().z(), 0.01 * (n - 1),
              1e-9 * n);
}

TEST_P(LongChain, is_edited_without_recursion) {
  const int n = GetParam();
  const Model model = Builder(long_chain(n, JointType::revolute)).build();
  const std::string last = "l" + std::to_string(n - 1);
  EXPECT_EQ(lock_joints(model, {{"j1", {0.5}}}).nq(), n - 2);
  EXPECT_EQ(sub_chain(model, "l2", last).nq(), n - 3);
  EXPECT_EQ(lump_fixed_joints(model).nq(), n - 1);
  EXPECT_EQ(with_floating_base(model).nv(), n + 5);
}

TEST_P(LongChain, as_a_star_builds_in_document_order) {
  const int n = GetParam();
  Description d = long_chain(n, JointType::prismatic);
  for (JointDescription& j : d.joints) j.parent = "l0";
  const Model model = Builder(d).build(true);
  ASSERT_EQ(model.nq(), n - 1);
  for (int b = 1; b < n; ++b) ASSERT_EQ(model.joint(b).parent, 0);
  EXPECT_EQ(model.joint_name(n - 1), "j" + std::to_string(n - 1));
}

INSTANTIATE_TEST_SUITE_P(Links, LongChain, ::testing::Values(5'000, 100'000));

// --- sharing ---

static_assert(std::is_same_v<decltype(std::declval<Model&>().joints()), std::span<const Joint>>);
static_assert(
    std::is_same_v<decltype(std::declval<Model&>().inertias()), std::span<const Inertia<double>>>);
static_assert(std::is_same_v<decltype(std::declval<Model&>().frames()), std::span<const Frame>>);
static_assert(
    std::is_same_v<decltype(std::declval<Model&>().lower_limit()), const Eigen::VectorXd&>);
static_assert(std::is_same_v<decltype(std::declval<Model&>().description()), const Description&>);
static_assert(sizeof(Model) == sizeof(std::shared_ptr<int>));

TEST(Sharing, copies_have_one_state) {
  const Model model = animal().build();
  const Model copy = model;  // NOLINT: the copy is what is tested
  EXPECT_EQ(copy.joints().data(), model.joints().data());
  EXPECT_EQ(&copy.description(), &model.description());
}

TEST(Sharing, a_copy_outlives_the_original_and_its_builder) {
  auto original = std::make_unique<Model>(animal().build());
  const Model copy = *original;
  const std::string_view name = copy.frames()[1].name;
  original.reset();
  EXPECT_EQ(copy.joint_name(1), "hip_r");
  EXPECT_EQ(name, "thigh_r");
  EXPECT_EQ(copy.joint_index("wag"), 6);
}

TEST(Sharing, what_is_added_to_a_builder_later_does_not_change_a_model) {
  Builder b = animal();
  const Model before = b.build();
  b.link("wing", body()).joint("flap", JointType::revolute, "trunk", "wing").gravity({0, 0, -1.62});
  EXPECT_EQ(before.joint_count(), 6);
  EXPECT_EQ(before.gravity(), Vec3<double>(0, 0, -9.81));
  EXPECT_EQ(b.build().joint_count(), 7);
}

TEST(Sharing, with_gravity_changes_gravity_alone) {
  const Model model = random_model(7);
  const Vec3<double> moon(0.1, 0.2, -1.62);
  const Model there = model.with_gravity(moon);
  EXPECT_EQ(there.gravity(), moon);
  EXPECT_EQ(model.gravity(), Vec3<double>(0, 0, -9.81));
  Description d = there.description();
  d.gravity = model.gravity();
  EXPECT_EQ(d, model.description());
}

TEST(Sharing, eight_threads_read_what_one_reads) {
  const Model model = random_model(3, {.joints = 40});
  const auto everything = [&model](std::uint64_t seed) {
    const Model mine = model;
    std::mt19937_64 engine(seed);
    std::vector<double> seen;
    for (int round = 0; round < 50; ++round) {
      const Eigen::VectorXd q = random_configuration(mine, engine);
      for (const auto& [name, X] : frame_poses(mine, q)) {
        const Frame& f = mine.frame(name);
        seen.push_back(X.translation().sum() + f.body);
      }
      for (const std::string& name : joint_names(mine)) seen.push_back(mine.joint_index(name));
      const Plant<double> plant(mine);
      seen.push_back(plant.canonical_inertia(1).mass());
      seen.push_back(mine.with_gravity({0, 0, -1}).gravity().z());
    }
    return seen;
  };
  const std::vector<double> expected = everything(5);
  std::vector<std::vector<double>> seen(8);
  std::vector<std::thread> threads;
  for (auto& mine : seen) threads.emplace_back([&] { mine = everything(5); });
  for (std::thread& t : threads) t.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, expected);
}

}  // namespace
}  // namespace ulna::test
