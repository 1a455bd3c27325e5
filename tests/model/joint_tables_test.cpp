#include <gtest/gtest.h>

#include "descriptions.hpp"

namespace ulna::test {
namespace {

TEST(JointTables, limits_and_dynamics_are_those_of_the_joint_at_each_coordinate) {
  for_each_model(
      [](const Model& model, Random&) {
        ASSERT_EQ(model.lower_limit().size(), model.nq());
        ASSERT_EQ(model.upper_limit().size(), model.nq());
        for (const auto* table : {&model.velocity_limit(), &model.effort_limit(), &model.damping(),
                                  &model.friction(), &model.friction_negative(), &model.armature()})
          ASSERT_EQ(table->size(), model.nv());
        for (const JointDescription& given : model.description().joints) {
          const auto b = model.find_joint(given.name);
          if (!b) continue;
          const Joint& j = model.joint(*b);
          const bool single = velocity_size(j.type) == 1;
          for (int i = j.q; i < j.q + configuration_size(j.type); ++i) {
            EXPECT_EQ(model.lower_limit()(i), single ? given.limits.lower : -infinity);
            EXPECT_EQ(model.upper_limit()(i), single ? given.limits.upper : infinity);
          }
          for (int i = j.v; i < j.v + velocity_size(j.type); ++i) {
            EXPECT_EQ(model.velocity_limit()(i), given.limits.velocity);
            EXPECT_EQ(model.effort_limit()(i), given.limits.effort);
            EXPECT_EQ(model.damping()(i), given.dynamics.damping);
            EXPECT_EQ(model.friction()(i), given.dynamics.friction);
            EXPECT_EQ(model.friction_negative()(i), given.dynamics.friction_negative);
            EXPECT_EQ(model.armature()(i), given.dynamics.armature);
          }
        }
      },
      {.mimic = 0.0});
}

TEST(JointTables, without_limits_everything_is_unlimited) {
  const Model model = random_model(1, {.limits = false, .dynamics = false});
  EXPECT_TRUE((model.lower_limit().array() == -infinity).all());
  EXPECT_TRUE((model.upper_limit().array() == infinity).all());
  EXPECT_TRUE((model.velocity_limit().array() == infinity).all());
  EXPECT_TRUE((model.effort_limit().array() == infinity).all());
  EXPECT_TRUE(model.damping().isZero(0.0) && model.friction().isZero(0.0) &&
              model.friction_negative().isZero(0.0) && model.armature().isZero(0.0));
}

/// A master with damping 1, friction 2, 3 backwards, armature 4; a follower with 10 times that.
Model pair(double multiplier) {
  Builder b;
  b.link("base").link("a", body()).link("b", body());
  b.joint("follower", JointType::revolute, "base", "a");
  b.last_joint().mimic = Mimic{"master", multiplier, 0.1};
  b.last_joint().dynamics = {10, 20, 30, 40};
  b.last_joint().limits = {-7, 7, 8, 9};
  b.joint("master", JointType::revolute, "base", "b");
  b.last_joint().dynamics = {1, 2, 3, 4};
  b.last_joint().limits = {-1, 2, 3, 4};
  return b.build(true);
}

TEST(JointTables, a_follower_resists_its_master_through_the_multiplier) {
  const Model model = pair(0.5);
  ASSERT_EQ(model.nv(), 1);
  EXPECT_EQ(model.damping()(0), 1 + 0.25 * 10);
  EXPECT_EQ(model.armature()(0), 4 + 0.25 * 40);
  EXPECT_EQ(model.friction()(0), 2 + 0.5 * 20);
  EXPECT_EQ(model.friction_negative()(0), 3 + 0.5 * 30);
}

TEST(JointTables, a_follower_that_runs_backwards_swaps_the_directions_of_friction) {
  const Model model = pair(-2.0);
  EXPECT_EQ(model.damping()(0), 1 + 4.0 * 10);
  EXPECT_EQ(model.armature()(0), 4 + 4.0 * 40);
  EXPECT_EQ(model.friction()(0), 2 + 2.0 * 30);
  EXPECT_EQ(model.friction_negative()(0), 3 + 2.0 * 20);
}

TEST(JointTables, limits_are_those_of_the_master) {
  const Model model = pair(-2.0);
  EXPECT_EQ(model.lower_limit()(0), -1);
  EXPECT_EQ(model.upper_limit()(0), 2);
  EXPECT_EQ(model.velocity_limit()(0), 3);
  EXPECT_EQ(model.effort_limit()(0), 4);
}

TEST(JointTables, power_lost_is_the_sum_of_what_each_joint_loses) {
  for_each_model(
      [](const Model& model, Random& random) {
        const Eigen::VectorXd v = random_v(model, random);
        double in_joints = 0.0, energy_in_rotors = 0.0;
        for (const JointDescription& given : model.description().joints) {
          const auto b = model.find_joint(given.name);
          if (!b) continue;
          const Joint& j = model.joint(*b);
          const JointDynamics& y = given.dynamics;
          for (int i = 0; i < velocity_size(j.type); ++i) {
            const double rate = (j.mimics ? j.multiplier : 1.0) * v(j.v + i);
            in_joints += y.damping * rate * rate +
                         (rate > 0 ? y.friction * rate : -y.friction_negative * rate);
            energy_in_rotors += 0.5 * y.armature * rate * rate;
          }
        }
        double in_coordinates = 0.0;
        for (Eigen::Index i = 0; i < v.size(); ++i)
          in_coordinates +=
              v(i) * (model.damping()(i) * v(i) +
                      (v(i) > 0 ? model.friction()(i) : -model.friction_negative()(i)));
        EXPECT_NEAR(in_coordinates, in_joints, 1e-13 * in_joints);
        EXPECT_NEAR(0.5 * v.dot(model.armature().cwiseProduct(v)), energy_in_rotors,
                    1e-13 * energy_in_rotors);
      },
      {.mimic = 0.7});
}

}  // namespace
}  // namespace ulna::test
