#include "ulna/rig/test_plant.hpp"

#include <gtest/gtest.h>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/simulate/changes.hpp"

namespace ulna::rig {
namespace {

using Eigen::VectorXd;

std::unique_ptr<TestPlant> make(PlantKind kind, const Model& model) {
  return kind == PlantKind::mujoco ? make_mujoco_plant(model) : make_simulated_plant(model);
}

/// Laws of any plant.
class EveryPlant : public testing::TestWithParam<PlantKind> {
 protected:
  void SetUp() override {
    if (GetParam() == PlantKind::mujoco && !has_mujoco()) GTEST_SKIP() << "built without MuJoCo";
  }
};
INSTANTIATE_TEST_SUITE_P(, EveryPlant, testing::Values(PlantKind::ulna, PlantKind::mujoco),
                         [](const auto& param) { return std::string(to_string(param.param)); });

/// Some friction in all joints, and rotors.
void roughen(Plant<double>& plant) {
  const VectorXd effort = plant.model().effort_limit();
  plant.damping = 0.01 * effort, plant.armature.setConstant(0.05);
  plant.friction = 0.02 * effort, plant.friction_negative = 0.03 * effort;
}

VectorXd random_vector(Eigen::Index size, double scale, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  return VectorXd::NullaryExpr(size, [&] { return scale * unit(random); });
}

TEST_P(EveryPlant, damping_that_stops_a_light_joint_within_a_fraction_of_a_step_is_stable) {
  const Model model = load_robot("ur5e").model;
  const auto robot = make(GetParam(), model);
  // 2 Nm s/rad on 0.0001 to 0.0003 kg m²: 7,000 to 20,000 per second
  robot->change(
      [](Plant<double>& plant) { plant.damping.setConstant(500.0), plant.damping(5) = 2.0; });
  robot->set_state(VectorXd::Zero(6), VectorXd::Zero(6));
  VectorXd tau = VectorXd::Zero(6);
  tau(5) = 1.0;
  ASSERT_EQ(robot->hold(tau), SimulationStatus::moved);
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(robot->step(1e-3), SimulationStatus::moved);
    ASSERT_LE(robot->v()(5), 0.55) << k;
  }
  EXPECT_NEAR(robot->v()(5), 0.5, 0.01);
}

TEST_P(EveryPlant, torques_of_drives_surroundings_and_friction_are_those_of_inverse_dynamics) {
  for (const char* name : {"panda", "ur5e", "double_pendulum"}) {
    const Model model = load_robot(name).model;
    const auto robot = make(GetParam(), model);
    robot->change(roughen);
    Plant<double> frictionless = robot->plant();
    frictionless.friction.setZero(), frictionless.friction_negative.setZero();
    Motion<double> motion(model);
    Workspace<double> ws(model);
    VectorXd needed(model.nv());
    const unsigned seed = 5;
    SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20; ++i) {
      robot->set_state(random_configuration(model, random), random_vector(model.nv(), 2.0, random));
      const VectorXd load = random_vector(model.nv(), 5.0, random);
      ASSERT_EQ(robot->hold(random_vector(model.nv(), 30.0, random)), SimulationStatus::moved);
      robot->load(load);
      motion.set(robot->q(), robot->v(), robot->acceleration());
      inverse_dynamics<double>(frictionless, motion, ws, needed);
      const VectorXd acting = robot->tau() + load + robot->friction_torque();
      EXPECT_LE((needed - acting).norm(), 1e-10 * (1.0 + needed.norm()));
    }
  }
}

TEST_P(EveryPlant, friction_opposes_motion_with_its_strength_in_that_direction) {
  const Model model = load_robot("panda").model;
  const auto robot = make(GetParam(), model);
  robot->change(roughen);
  for (const double sign : {1.0, -1.0}) {
    robot->set_state(neutral(model), VectorXd::Constant(model.nv(), sign));
    const VectorXd strength =
        sign > 0.0 ? -robot->plant().friction : robot->plant().friction_negative;
    EXPECT_LE((robot->friction_torque() - strength).norm(), 1e-6 * strength.norm());
  }
}

TEST_P(EveryPlant, friction_holds_an_arm_at_rest) {
  const Model model = load_robot("panda").model;
  const auto robot = make(GetParam(), model);
  robot->change([](Plant<double>& plant) {
    plant.friction = plant.friction_negative = 2.0 * plant.model().effort_limit();
  });
  const VectorXd q{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
  robot->set_state(q, VectorXd::Zero(7));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(robot->step(1e-3), SimulationStatus::moved);
  // MuJoCo's friction is never quite stiff
  EXPECT_LE((robot->q() - q).lpNorm<Eigen::Infinity>(), GetParam() == PlantKind::ulna ? 0.0 : 1e-5);
}

TEST_P(EveryPlant, drives_exert_no_more_than_their_limits) {
  const Model model = load_robot("panda").model;
  const auto robot = make(GetParam(), model);
  robot->set_state(neutral(model), VectorXd::Zero(7));
  ASSERT_EQ(robot->hold(VectorXd::Constant(7, 1e4)), SimulationStatus::moved);
  EXPECT_EQ(robot->tau(), model.effort_limit());
  VectorXd torque = VectorXd::Zero(7);
  torque(3) = std::nan("");
  EXPECT_EQ(robot->hold(torque), SimulationStatus::torque_not_finite);
  EXPECT_EQ(robot->hold(VectorXd::Zero(6)), SimulationStatus::bad_argument);
  EXPECT_EQ(robot->tau(), model.effort_limit());
}

TEST(BothPlants, fall_alike) {
  if (!has_mujoco()) GTEST_SKIP() << "built without MuJoCo";
  for (const char* name : {"panda", "ur5e"}) {
    const Model model = load_robot(name).model;
    const auto ours = make(PlantKind::ulna, model), theirs = make(PlantKind::mujoco, model);
    const Inertia<double> brick =
        Inertia<double>::about_com(2.0, {0.02, -0.03, 0.08}, 0.003 * Eigen::Matrix3d::Identity());
    // away from the stops
    const VectorXd q0 = 0.5 * (model.lower_limit() + model.upper_limit());
    double largest = 0.0;
    for (TestPlant* robot : {ours.get(), theirs.get()}) {
      robot->change([&](Plant<double>& plant) {
        roughen(plant);
        add_payload(plant, model.frames().back(), brick);
      });
      robot->set_state(q0, VectorXd::Zero(model.nv()));
    }
    for (int i = 0; i < 300; ++i) {
      ASSERT_EQ(ours->step(1e-3), SimulationStatus::moved);
      ASSERT_EQ(theirs->step(1e-3), SimulationStatus::moved);
      largest = std::max(largest, (ours->q() - theirs->q()).lpNorm<Eigen::Infinity>());
    }
    EXPECT_GE((ours->q() - q0).lpNorm<Eigen::Infinity>(), 0.05) << name;
    EXPECT_LE(largest, 2e-3 * (ours->q() - q0).lpNorm<Eigen::Infinity>()) << name;
  }
}

TEST(MujocoPlant, says_what_it_cannot_simulate) {
  if (!has_mujoco()) {
    try {
      make_mujoco_plant(load_robot("panda").model);
      FAIL() << "there is no MuJoCo";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("libmujoco-dev"), std::string::npos);
    }
    return;
  }
  MujocoOptions options;
  options.step = 0.0;
  EXPECT_THROW(make_mujoco_plant(load_robot("panda").model, options), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::rig
