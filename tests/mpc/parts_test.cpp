#include <gtest/gtest.h>

#include "mpc/fallback.hpp"
#include "mpc/friction_compensator.hpp"
#include "mpc/planner.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/builder.hpp"

namespace ulna::test {
namespace {

using namespace mpc;
using Eigen::VectorXd;

constexpr double rate_hz = 1000.0;

Plant<double> plant_with_friction(const Model& model) {
  Plant<double> plant(model);
  plant.damping.setConstant(0.5);
  plant.friction.setConstant(2.0), plant.friction_negative.setConstant(3.0);
  return plant;
}

TEST(FrictionCompensator, adds_the_dry_friction_of_the_planned_direction) {
  const Model model = load_robot("panda").model;
  FrictionCompensator friction(model);
  const VectorXd v{{1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0}};
  VectorXd tau = VectorXd::Zero(7);
  friction.compensate(plant_with_friction(model), v, v, tau);
  EXPECT_LE((tau - VectorXd{{2.0, -3.0, 0.0, 2.0, -3.0, 0.0, 2.0}}).norm(), 1e-12);
  EXPECT_EQ(friction.dry(), tau);
}

TEST(FrictionCompensator, makes_up_for_viscous_friction_only_near_the_planned_velocity) {
  const Model model = load_robot("panda").model;
  FrictionCompensator friction(model);
  Plant<double> plant(model);
  plant.damping.setConstant(0.5), remove_dry_friction(plant);
  const VectorXd planned = VectorXd::Constant(7, 1.0), v = VectorXd::Constant(7, 2.0);
  VectorXd tau = VectorXd::Zero(7);
  friction.compensate(plant, planned, v, tau);
  for (int i = 0; i < 7; ++i)
    EXPECT_NEAR(tau(i), -0.5 * (1.0 - 0.05 * std::min(model.velocity_limit()(i), 4.0)), 1e-12);
}

TEST(Fallback, compensates_gravity_and_damps_strong_joints_most) {
  const Model model = load_robot("panda").model;
  const Plant<double> plant(model);
  Fallback fallback(model, 10.0);
  Workspace<double> ws(model);
  const VectorXd q = VectorXd{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}},
                 v = VectorXd::Constant(7, 0.3);
  VectorXd tau(7), gravity(7);
  Motion<double> at(model);
  at.set(q);
  gravity_torque<double>(plant, at, ws, gravity);
  fallback.torque(plant, q, VectorXd::Zero(7), tau);
  EXPECT_EQ(tau, gravity);
  fallback.torque(plant, q, v, tau);
  const VectorXd& effort = model.effort_limit();
  EXPECT_LE((gravity - tau - 3.0 / effort.maxCoeff() * effort).norm(), 1e-12);
}

// A wrist whose file says nothing of its drive is not to be damped like a shoulder, nor to change the others.
TEST(Fallback, a_joint_without_effort_limit_does_not_change_the_damping_of_the_others) {
  const auto damping_of = [](const Description& d) {
    const Model model = Builder(d).build();
    Plant<double> plant(model);
    const VectorXd q = VectorXd{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
    Fallback fallback(model, 10.0);
    VectorXd at_rest(7), moving(7);
    fallback.torque(plant, q, VectorXd::Zero(7), at_rest);
    fallback.torque(plant, q, VectorXd::Ones(7), moving);
    return VectorXd(at_rest - moving);
  };
  Description d = load_robot("panda").model.description();
  const VectorXd known = damping_of(d);
  const auto drop_effort_of = [&](int moving_joint) {
    for (JointDescription& j : d.joints)
      if (j.type != JointType::fixed && moving_joint-- == 0) j.limits.effort = ulna::infinity;
  };
  drop_effort_of(6);
  const VectorXd one_unknown = damping_of(d);
  EXPECT_EQ(one_unknown.head(6), known.head(6));
  EXPECT_GT(one_unknown(6), 0.0);
  EXPECT_LT(one_unknown(6), 1.0) << "a wrist, next to 10 of the shoulder";
  // without any limit, shares are those of what the joints need
  for (int i = 0; i < 6; ++i) drop_effort_of(i);
  const VectorXd unknown = damping_of(d);
  EXPECT_DOUBLE_EQ(unknown.maxCoeff(), 10.0);
  EXPECT_GT(unknown.minCoeff(), 0.0);
  EXPECT_LT(unknown(6), 1.0);
}

TEST(Planner, has_a_torque_for_every_moment_of_an_older_plan) {
  const Model model = load_robot("panda").model;
  Planner planner(Plant<double>(model),
                  {.rate_hz = rate_hz,
                   .problem = {.transcription = control::Transcription::inverse_dynamics,
                               .steps = 5,
                               .duration = 0.02}});
  const VectorXd q{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}}, v = VectorXd::Zero(7);
  planner.follow([&](double, VectorXd& q_to, VectorXd& v_to) {
    q_to = q + VectorXd::Constant(7, 0.1), v_to.setZero();
  });
  ASSERT_TRUE(planner.plan(1.0, q, v));
  EXPECT_EQ(planner.planned_at(), 1.0);
  VectorXd now(7), same(7), later(7), end(7);
  planner.torque(1.0, now), planner.torque(1.019, same), planner.torque(1.021, later);
  planner.torque(9.0, end);
  EXPECT_EQ(now, same);
  EXPECT_NE(now, later);
  EXPECT_TRUE(end.allFinite());
}

}  // namespace
}  // namespace ulna::test
