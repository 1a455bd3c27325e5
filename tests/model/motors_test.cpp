#include "descriptions.hpp"
#include "ulna/model/edit.hpp"

// Motors, gears and springs: what they make of a robot, and what is wrong with them.

namespace ulna::test {
namespace {

/// Two arms on a base, each with a motor; lines 60 and 70.
Description driven() {
  Description d = two_arms();
  d.motors.push_back({"m1", {{"turn", 50.0}}, 1e-4, 1e-3, 0.01, 0.02, {}, 60});
  d.motors.push_back({"m2", {{"follow", -20.0}}, 2e-4, 2e-3, 0.03, 0.04, {}, 70});
  return d;
}

TEST(Motors, of_one_rigid_joint_are_what_the_joint_itself_resists_with) {
  const Model model = Builder(driven()).build(true);
  EXPECT_TRUE(model.drives().plain());
  EXPECT_DOUBLE_EQ(model.armature()(0), 2500.0 * 1e-4);
  EXPECT_DOUBLE_EQ(model.damping()(1), 400.0 * 2e-3);
  EXPECT_DOUBLE_EQ(model.friction()(0), 50.0 * 0.01);
  EXPECT_DOUBLE_EQ(model.friction_negative()(0), 50.0 * 0.02);
  EXPECT_DOUBLE_EQ(model.friction()(1), 20.0 * 0.04) << "it turns backward where the joint goes on";
  EXPECT_EQ(model.drives().motor_names, (Strings{"m1", "m2"}));
}

TEST(Motors, of_elastic_joints_are_no_part_of_the_link) {
  Description d = driven();
  d.joints[0].spring = Spring{1000.0, 5.0, 2.0};
  d.joints[0].dynamics = {0.5, 0.25, 0.125, 0.75};
  const Model model = Builder(d).build(true);
  const DriveTrain& drives = model.drives();
  EXPECT_EQ(drives.elastic, std::vector<int>{0});
  EXPECT_TRUE(drives.coupled.empty());
  EXPECT_EQ(model.armature()(0), 0.0);
  EXPECT_EQ(drives.rotor(0), 0.75) << "a rotor is on the motor's side of the spring";
  EXPECT_EQ(model.damping()(0), 0.5) << "what the joint has is on the link's side";
  EXPECT_EQ(drives.inertia(0), 1e-4);
  EXPECT_EQ(drives.stiffness(0), 1000.0);
  EXPECT_EQ(drives.hardening(0), 5.0);
  EXPECT_EQ(drives.spring_damping(0), 2.0);
  EXPECT_EQ(drives.stiffness(1), 0.0);
}

/// The wrist of many arms: the motor of one joint turns when another moves.
TEST(Motors, that_are_coupled_share_torques_by_the_inverse_of_their_ratios) {
  Description d = driven();
  d.motors[1].gears.push_back({"turn", 8.0});
  const Model model = Builder(d).build(true);
  const DriveTrain& drives = model.drives();
  EXPECT_EQ(drives.coupled, (std::vector<int>{0, 1}));
  EXPECT_FALSE(drives.separate[0]);
  EXPECT_TRUE(drives.separate[1]);
  Eigen::Matrix2d N = Eigen::Matrix2d::Zero(), shares = N;
  for (const auto& [motor, c, ratio] : drives.gears) N(motor, c) = ratio;
  for (const auto& [motor, c, share] : drives.shares) shares(motor, c) = share;
  EXPECT_EQ(N, (Eigen::Matrix2d() << 50.0, 0.0, 8.0, -20.0).finished());
  EXPECT_LT((N.transpose() * shares - Eigen::Matrix2d::Identity()).norm(), 1e-14);
}

TEST(Motors, joints_that_none_names_are_driven_directly) {
  Description d = driven();
  d.motors.pop_back();
  const Model model = Builder(d).build(true);
  EXPECT_EQ(model.drives().motor_names, (Strings{"m1", "follow"}));
}

TEST(Motors, of_joints_that_are_locked_go_and_the_others_stay) {
  Description d = driven();
  d.motors[1].gears.push_back({"turn", 8.0});
  const Model one = lock_joints(Builder(d).build(), {{"turn", {0.3}}});
  EXPECT_TRUE(one.drives().plain());
  EXPECT_DOUBLE_EQ(one.armature()(0), 400.0 * 2e-4);
  // a differential of which one joint is locked: both motors turn with the other
  d.motors[0].gears.push_back({"follow", 50.0});
  const Model other = lock_joints(Builder(d).build(), {{"turn", {0.3}}});
  EXPECT_TRUE(other.drives().plain());
  EXPECT_DOUBLE_EQ(other.armature()(0), 2500.0 * 1e-4 + 400.0 * 2e-4);
}

TEST(Motors, plain_drives_are_rigid_and_not_coupled) {
  Description d = driven();
  d.joints[0].spring = Spring{1000.0};
  d.motors[1].gears.push_back({"turn", 8.0});
  const Model model = with_plain_drives(Builder(d).build());
  EXPECT_TRUE(model.drives().plain());
  EXPECT_DOUBLE_EQ(model.armature()(0), 2500.0 * 1e-4 + 64.0 * 2e-4);
  EXPECT_DOUBLE_EQ(model.armature()(1), 400.0 * 2e-4);
  EXPECT_DOUBLE_EQ(model.friction()(1), 20.0 * 0.04);
}

// --- what is wrong ---

TEST(MotorRules, springs_have_a_stiffness_and_nothing_negative) {
  for (const auto& [spring, seen] :
       {std::pair{Spring{0.0}, "stiffness of the spring is 0"},
        {Spring{-5.0}, "stiffness of the spring -5 is negative"},
        {Spring{5.0, -1.0}, "hardening of the spring -1 is negative"},
        {Spring{5.0, 0.0, -2.0}, "damping of the spring -2 is negative"}}) {
    Description d = driven();
    d.joints[0].spring = spring;
    expect_error(d, rules::spring_range,
                 "plain.urdf:30: error: joint 'turn': " + std::string(seen) + " [spring-range]");
  }
  Description d = driven();
  d.joints[0].spring = Spring{nan};
  expect_error(d, rules::number_invalid,
               "plain.urdf:30: error: joint 'turn': stiffness of the spring is not finite "
               "[number-invalid]");
}

TEST(MotorRules, springs_are_at_joints_of_one_coordinate_that_mimic_none) {
  Description d = plain();
  d.joints[0].type = JointType::ball;
  d.joints[0].spring = Spring{5.0};
  expect_error(d, rules::spring_joint,
               "plain.urdf:30: error: joint 'turn': a ball joint has a spring [spring-joint]");
  Description follower = two_arms();
  follower.joints[1].mimic = Mimic{"turn"};
  follower.joints[1].spring = Spring{5.0};
  expect_error(follower, rules::spring_joint,
               "plain.urdf:50: error: joint 'follow': a joint that mimics another has a spring "
               "[spring-joint]");
}

TEST(MotorRules, a_spring_needs_a_rotor) {
  Description d = plain();
  d.joints[0].spring = Spring{5.0};
  expect_error(d, rules::spring_rotor,
               "plain.urdf:30: error: joint 'turn': has a spring, but no rotor behind it "
               "[spring-rotor]");
  d.joints[0].dynamics.armature = 0.1;
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(MotorRules, joints_of_motors_exist_and_can_be_driven) {
  Description d = driven();
  d.motors[0].gears[0].joint = "trun";
  expect_error(d, rules::motor_joint,
               "plain.urdf:60: error: motor 'm1': joint 'trun' is unknown; did you mean 'turn'? "
               "[motor-joint]");
  d = driven();
  d.motors[0].gears.clear();
  expect_error(d, rules::motor_joint,
               "plain.urdf:60: error: motor 'm1': drives no joint [motor-joint]");
  d = driven();
  d.joints[1].mimic = Mimic{"turn"};
  expect_error(d, rules::motor_joint,
               "plain.urdf:70: error: motor 'm2': joint 'follow' mimics 'turn' [motor-joint]");
}

TEST(MotorRules, ratios_are_not_zero) {
  Description d = driven();
  d.motors[1].gears[0].ratio = 0.0;
  expect_error(d, rules::motor_ratio,
               "plain.urdf:70: error: motor 'm2': ratio of joint 'follow' is 0 [motor-ratio]");
}

TEST(MotorRules, motors_and_their_joints_determine_each_other) {
  Description d = driven();
  d.motors[0].gears.push_back({"follow", 10.0});
  d.motors[1].gears = {{"turn", 100.0}, {"follow", 20.0}};
  expect_error(d, rules::motor_coupling,
               "plain.urdf:60: error: motor 'm1': its ratios are a combination of those of other "
               "motors [motor-coupling]");
  d = driven();
  d.motors[1].gears[0].joint = "turn";
  expect_error(d, rules::motor_coupling,
               "plain.urdf:70: error: motor 'm2': there are more motors than joints that they "
               "move, as joint 'turn' [motor-coupling]");
  d = driven();
  d.motors.pop_back();
  d.motors[0].gears.push_back({"follow", 3.0});
  expect_error(d, rules::motor_coupling,
               "plain.urdf:60: error: motor 'm1': there are fewer motors than joints that they "
               "move, as joint 'follow' [motor-coupling]");
}

TEST(MotorRules, numbers_of_motors_are_finite_and_not_negative) {
  Description d = driven();
  d.motors[0].inertia = -1.0;
  expect_error(d, rules::friction_negative,
               "plain.urdf:60: error: motor 'm1': inertia -1 is negative [friction-negative]");
  d.motors[0].inertia = infinity;
  expect_error(d, rules::number_invalid,
               "plain.urdf:60: error: motor 'm1': inertia is not finite [number-invalid]");
}

TEST(MotorRules, a_carrier_of_a_rotor_counts_where_its_joint_is_elastic) {
  Description d = driven();
  d.motors[0].mount = RotorMount{"base", {0.0, 0.0, 1.0}};
  const Outcome rigid = outcome(d, true);
  ASSERT_TRUE(rigid.model);
  ASSERT_TRUE(rigid.diagnostics.find(rules::rotor_rigid));
  d.joints[0].spring = Spring{1000.0};
  const Outcome elastic = outcome(d, true);
  ASSERT_TRUE(elastic.model);
  EXPECT_FALSE(elastic.diagnostics.find(rules::rotor_rigid));
  ASSERT_EQ(elastic.model->drives().mounts.size(), 1u);
  EXPECT_EQ(elastic.model->drives().mounts[0].body, 0);
}

}  // namespace
}  // namespace ulna::test
