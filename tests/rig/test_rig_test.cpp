#include "ulna/rig/test_rig.hpp"

#include <gtest/gtest.h>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::rig {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

const VectorXd home{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};

/// Laws of a rig, whatever its plant.
class EveryTestRig : public testing::TestWithParam<PlantKind> {
 protected:
  void SetUp() override {
    if (GetParam() == PlantKind::mujoco && !has_mujoco()) GTEST_SKIP() << "built without MuJoCo";
  }

  /// A Panda at rest, held against gravity.
  TestRig panda(const Reality& reality, const SensorsOptions& sensors = {}) const {
    TestRig rig(model, {.plant = GetParam(), .sensors = sensors, .reality = reality});
    rig.start(home);
    EXPECT_EQ(rig.preload(gravity(rig)), SimulationStatus::moved);
    return rig;
  }
  VectorXd gravity(const TestRig& rig) const {
    Motion<double> motion(model);
    Workspace<double> ws(model);
    VectorXd tau(model.nv());
    motion.set(rig.q());
    gravity_torque<double>(rig.plant(), motion, ws, tau);
    return tau;
  }
  /// Swings all joints.
  VectorXd swing(double time) const { return 0.05 * std::sin(8.0 * time) * model.effort_limit(); }
  void drive(TestRig& rig, int periods, const VectorXd& more) const {
    for (int k = 0; k < periods; ++k) {
      ASSERT_TRUE(rig.write(gravity(rig) + more));
      ASSERT_EQ(rig.advance(1e-3), SimulationStatus::moved);
    }
  }

  const Model model = load_robot("panda").model;
};
INSTANTIATE_TEST_SUITE_P(, EveryTestRig, testing::Values(PlantKind::ulna, PlantKind::mujoco),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST_P(EveryTestRig, reads_the_truth_when_nothing_is_imperfect) {
  TestRig rig = panda({});
  Reading reading(model);
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(rig.read(reading));
    EXPECT_TRUE(reading.fresh);
    EXPECT_EQ(reading.time, rig.now());
    EXPECT_EQ(reading.q, rig.q());
    EXPECT_EQ(reading.v, rig.v());
    EXPECT_EQ(reading.tau, rig.tau());
    drive(rig, 1, swing(rig.now()));
  }
  EXPECT_NEAR(rig.now(), 0.05, 1e-12);
}

TEST_P(EveryTestRig, refuses_torques_that_are_not_finite_or_too_few) {
  TestRig rig = panda({});
  const VectorXd before = rig.tau();
  VectorXd tau = VectorXd::Zero(7);
  tau(2) = std::nan("");
  EXPECT_FALSE(rig.write(tau));
  EXPECT_FALSE(rig.write(VectorXd::Zero(6)));
  EXPECT_EQ(rig.tau(), before);
}

/// Laws of link-side torque sensors: rigid-body inverse dynamics without friction and rotors.
TEST_P(EveryTestRig, torque_on_the_link_side_is_what_the_links_need) {
  Reality reality{.rotor_inertia = 0.1,
                  .friction_by_direction = 0.02,
                  .stribeck = 0.02,
                  .ripple = 0.01,
                  .link_side_torque = true};
  TestRig rig = panda(reality);
  rig.change([](Plant<double>& plant) { plant.damping.setConstant(0.5); });
  Plant<double> links(model);
  links.remove_friction(), links.armature.setZero();
  Motion<double> motion(model);
  Workspace<double> ws(model);
  VectorXd needed(7);
  Reading reading(model);
  for (int k = 0; k < 200; ++k) {
    drive(rig, 1, 3.0 * swing(rig.now()));
    ASSERT_TRUE(rig.read(reading));
    motion.set(rig.q(), rig.v(), rig.acceleration());
    inverse_dynamics<double>(links, motion, ws, needed);
    EXPECT_LE((reading.tau - needed).norm(), 1e-9 * (1.0 + needed.norm())) << k;
  }
}

TEST_P(EveryTestRig, torque_sensors_have_gain_and_offset) {
  TestRig rig = panda({.torque_offset = 0.02, .torque_gain = 0.8});
  Reading reading(model);
  ASSERT_TRUE(rig.read(reading));
  const VectorXd off = (reading.tau - 0.8 * rig.tau()).cwiseQuotient(model.effort_limit());
  for (const double share : off) EXPECT_NEAR(std::abs(share), 0.02, 1e-12);
}

TEST_P(EveryTestRig, torque_sensors_fail_as_asked) {
  TestRig rig = panda({.torque_faults = {{TorqueFault::Kind::dead, 0, {0.01, 1.0}},
                                         {TorqueFault::Kind::frozen, 1, {0.01, 1.0}},
                                         {TorqueFault::Kind::negated, 2, {0.01, 1.0}}}});
  Reading reading(model);
  double frozen = 0.0;
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(rig.read(reading));
    if (rig.now() < 0.01 - 1e-9) {
      EXPECT_EQ(reading.tau, rig.tau());
      frozen = reading.tau(1);
    } else if (rig.now() > 0.01 + 1e-9) {
      EXPECT_EQ(reading.tau(0), 0.0);
      EXPECT_EQ(reading.tau(1), frozen);
      EXPECT_EQ(reading.tau(2), -rig.tau()(2));
      EXPECT_EQ(reading.tau.tail(4), rig.tau().tail(4));
    }
    drive(rig, 1, swing(rig.now()));
  }
}

TEST_P(EveryTestRig, silence_repeats_the_last_measurement_with_its_time) {
  TestRig rig = panda({.silences = {{0.0105, 0.0205}}});
  Reading reading(model), last(model);
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(rig.read(reading));
    const bool silent = k >= 11 && k <= 20;
    EXPECT_EQ(reading.fresh, !silent) << k;
    if (silent) {
      EXPECT_EQ(reading.time, last.time);
      EXPECT_EQ(reading.q, last.q);
    }
    last = reading;
    drive(rig, 1, swing(rig.now()));
  }
}

TEST_P(EveryTestRig, a_lagging_drive_has_gone_63_percent_of_the_way_after_its_time_constant) {
  TestRig rig = panda({.drive_lag = 0.01});
  const VectorXd from = rig.tau();
  const VectorXd to = from + VectorXd::Constant(7, 1.0);
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(rig.write(to));
    ASSERT_EQ(rig.advance(1e-3), SimulationStatus::moved);
  }
  EXPECT_LE((rig.tau() - from - (1.0 - std::exp(-1.0)) * (to - from)).norm(), 1e-9);
}

TEST_P(EveryTestRig, a_late_action_is_late) {
  TestRig rig = panda({.action_delay = 0.003});
  const VectorXd before = rig.tau();
  const VectorXd after = before + VectorXd::Constant(7, 1.0);
  for (int k = 0; k < 6; ++k) {
    ASSERT_TRUE(rig.write(after));
    ASSERT_EQ(rig.advance(1e-3), SimulationStatus::moved);
    EXPECT_EQ(rig.tau(), k < 3 ? before : after) << k;
  }
}

TEST_P(EveryTestRig, an_action_acts_from_when_it_was_computed_and_delays_those_behind_it) {
  TestRig rig = panda({});
  const VectorXd first = rig.tau(), second = 0.9 * first, third = 0.8 * first;
  ASSERT_TRUE(rig.write(second, 0.0015));
  ASSERT_EQ(rig.advance(1e-3), SimulationStatus::moved);
  EXPECT_EQ(rig.tau(), first);
  ASSERT_TRUE(rig.write(third));
  ASSERT_EQ(rig.advance(0.0005), SimulationStatus::moved);
  EXPECT_EQ(rig.tau(), first);
  ASSERT_EQ(rig.advance(0.0005), SimulationStatus::moved);
  EXPECT_EQ(rig.tau(), third);
  EXPECT_FALSE(rig.write(first, -1.0));
}

TEST_P(EveryTestRig, commanded_torques_are_read_in_place_of_measured_ones) {
  TestRig rig = panda({.drive_lag = 0.02, .commanded_torque = true});
  const VectorXd tau = rig.tau() + VectorXd::Constant(7, 1.0);
  ASSERT_TRUE(rig.write(tau));
  ASSERT_EQ(rig.advance(1e-3), SimulationStatus::moved);
  Reading reading(model);
  ASSERT_TRUE(rig.read(reading));
  EXPECT_EQ(reading.tau, tau);
  EXPECT_GT((rig.tau() - tau).norm(), 0.5);
}

TEST_P(EveryTestRig, joints_that_are_held_do_not_move_and_go_on_when_set_free) {
  TestRig rig = panda({.grips = {{-1, {0.1, 0.2}}}});
  const VectorXd push = 0.2 * model.effort_limit();
  drive(rig, 101, VectorXd::Zero(7));
  const VectorXd held = rig.q();
  drive(rig, 98, push);
  EXPECT_LE((rig.q() - held).lpNorm<Eigen::Infinity>(), 1e-4);
  drive(rig, 100, push);
  EXPECT_GE((rig.q() - held).lpNorm<Eigen::Infinity>(), 0.05);
}

TEST_P(EveryTestRig, a_push_moves_the_tip_its_way) {
  const Vector3d force(0.0, 20.0, 0.0);
  TestRig rig = panda({.pushes = {{force, {0.0, 1.0}}}});
  Kinematics<double> at(model);
  const Frame& tip = model.frames().back();
  at.set(rig.q());
  const Vector3d before = at.pose(tip).translation();
  drive(rig, 200, VectorXd::Zero(7));
  at.set(rig.q());
  EXPECT_GE((at.pose(tip).translation() - before).dot(force.normalized()), 0.02);
}

TEST_P(EveryTestRig, a_wall_carries_the_arm_that_falls_on_it) {
  Kinematics<double> at(model);
  at.set(home);
  const Frame& tip = model.frames().back();
  const Vector3d above = at.pose(tip).translation();
  const double stiffness = 5000.0;
  Reality reality{.wall = Wall{above - Vector3d(0.0, 0.0, 0.02), Vector3d::UnitZ(), stiffness}};
  TestRig rig = panda(reality);
  rig.change([](Plant<double>& plant) { plant.damping.setConstant(20.0); });
  const VectorXd tau = 0.9 * gravity(rig);
  double lowest = 0.0;
  for (int k = 0; k < 3000; ++k) {
    ASSERT_TRUE(rig.write(tau));
    ASSERT_EQ(rig.advance(1e-3), SimulationStatus::moved);
    at.set(rig.q());
    lowest = std::min(lowest, at.pose(tip).translation().z() - above.z());
  }
  EXPECT_LE(lowest, -0.02);
  EXPECT_GE(lowest, -0.03);
}

TEST_P(EveryTestRig, tilted_gravity_acts) {
  TestRig upright = panda({}), moon = panda({.gravity = Vector3d(0.0, 0.0, -1.62)});
  EXPECT_LE((9.80665 / 1.62 * moon.tau() - upright.tau()).norm(), 0.01 * upright.tau().norm());
  // what holds it there holds it
  drive(moon, 100, VectorXd::Zero(7));
  EXPECT_LE((moon.q() - home).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST_P(EveryTestRig, the_same_seed_gives_the_same_bits) {
  Reality reality{.seed = 3, .friction_by_direction = 0.02, .ripple = 0.02, .late_share = 0.3};
  const SensorsOptions sensors{.position = {.noise = 1e-4}, .torque = {.noise = 0.1}, .seed = 3};
  TestRig one = panda(reality, sensors), two = panda(reality, sensors);
  reality.seed = 4;
  TestRig other = panda(reality, sensors);
  Reading first(model), second(model);
  for (int k = 0; k < 50; ++k) {
    for (TestRig* rig : {&one, &two, &other}) drive(*rig, 1, swing(1e-3 * k));
    ASSERT_TRUE(one.read(first) && two.read(second));
    EXPECT_EQ(first.q, second.q);
    EXPECT_EQ(first.tau, second.tau);
  }
  EXPECT_NE(one.q(), other.q());
}

TEST(TestRig, refuses_realities_that_cannot_be) {
  const Model model = load_robot("panda").model;
  const auto make = [&](const Reality& reality) { TestRig rig(model, {.reality = reality}); };
  EXPECT_THROW(make({.rotor_inertia = -0.1}), std::invalid_argument);
  EXPECT_THROW(make({.late_share = 1.5}), std::invalid_argument);
  EXPECT_THROW(make({.grips = {{7, {0.0, 1.0}}}}), std::invalid_argument);
  EXPECT_THROW(make({.wall = Wall{.normal = Vector3d::Zero()}}), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::rig
