#include <gtest/gtest.h>

#include "ulna/constraints/contact_inverse_dynamics.hpp"
#include "ulna/constraints/loops.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/simulate/simulation.hpp"
#include "world/bodies.hpp"

// Robots that touch the ground, and robots that touch nothing.
namespace ulna::test {
namespace {

/// The quadruped on the ground, held by the torques of standing and a proportional and derivative controller.
class StandingWorld {
 public:
  explicit StandingWorld(double step) : world({.step = step}) {
    world.add_fixed("ground", Plane{});
    q(6) = 0.438;
    for (const char* leg : {"FL", "FR", "RL", "RR"}) {
      const std::string name(leg);
      q(model.joint(model.joint_index(name + "_thigh_joint")).q) = 0.8;
      q(model.joint(model.joint_index(name + "_knee_joint")).q) = -1.6;
    }
    // on the ground, to the last bit
    Kinematics<double> at(model);
    Workspace<double> ws(model);
    at.set(q);
    const double low = at.pose(model.frame("FL_foot")).translation().z() - 0.02;
    q(6) -= low;
    at.set(q);
    std::vector<Support> feet;
    for (const char* leg : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}) {
      const Frame& foot = model.frame(leg);
      const V3 p = at.pose(foot).translation();
      feet.push_back({foot.body, V3(p.x(), p.y(), 0.0)});
    }
    std::vector<V3> forces(4);
    ContactInverseDynamics stand(model);
    EXPECT_TRUE(stand(Plant<double>(model), at, ws, feet, hold, forces));
    robot = world.add_robot(model, q);
  }

  void step() {
    const Eigen::VectorXd now = world.q(robot), v = world.v(robot);
    Eigen::VectorXd tau = hold;
    for (int i = 6; i < model.nv(); ++i) tau(i) += 150.0 * (q(i + 1) - now(i + 1)) - 4.0 * v(i);
    world.set_torque(robot, tau);
    ASSERT_EQ(world.step(), WorldStatus::moved);
  }
  void run(double seconds) {
    for (long i = std::lround(seconds / world.options().step); i > 0; --i) step();
  }
  V3 trunk() const { return world.pose(robot, 1).translation(); }

  Model model = load_robot("quadruped").model;
  Eigen::VectorXd q = neutral(model), hold = Eigen::VectorXd::Zero(model.nv());
  World world;
  int robot = -1;
};

TEST(Quadruped, stands_for_a_minute_within_a_millimetre) {
  for (const double step : {1e-3, 2e-3}) {
    StandingWorld scene(step);
    scene.run(1.0);
    const V3 settled = scene.trunk();
    scene.run(59.0);
    EXPECT_LT((scene.trunk() - settled).norm(), 1e-3) << step;
    EXPECT_LT((scene.trunk() - V3(0.0, 0.0, scene.q(6))).norm(), 5e-3);
    EXPECT_NEAR(scene.world.contact_wrench(0).force.z(), -30.0 * 9.81, 1e-5);
    EXPECT_LE(scene.world.report().worst_residual, 1e-8);
  }
}

TEST(Quadruped, survives_pushes_of_50_newton_from_8_directions) {
  for (int k = 0; k < 8; ++k) {
    StandingWorld scene(1e-3);
    scene.run(0.2);
    const double angle = 0.25 * std::numbers::pi * k;
    for (int i = 0; i < 100; ++i) {
      scene.world.clear_wrenches();
      scene.world.set_wrench(scene.robot, 1, 50.0 * V3(std::cos(angle), std::sin(angle), 0.0),
                             V3::Zero(), scene.trunk());
      scene.step();
    }
    scene.world.clear_wrenches();
    scene.run(2.0);
    EXPECT_NEAR(scene.trunk().z(), scene.q(6), 0.02) << k;
    EXPECT_GT(scene.world.pose(scene.robot, 1).rotation().matrix()(2, 2), 0.99) << k;
    EXPECT_LT(scene.world.v(scene.robot).norm(), 0.05) << k;
  }
}

TEST(Quadruped, dropped_without_torques_comes_to_rest_on_the_ground) {
  World world;
  world.add_fixed("ground", Plane{});
  const Model model = load_robot("quadruped").model;
  Eigen::VectorXd q = neutral(model);
  q(6) = 1.0;
  const int robot = world.add_robot(model, q);
  const double before = world.energy();
  run_world(world, 4.0);
  EXPECT_LT(world.energy(), before);
  EXPECT_LT(world.kinetic_energy(), 1e-12);
  EXPECT_LT(world.report().deepest, 1e-3);
  EXPECT_NEAR(world.contact_wrench(robot).force.z(), 30.0 * 9.81, 1e-5);
  EXPECT_NEAR(world.energy() - before, world.work().balance(), 0.02 * before);
}

TEST(RobotInWorld, one_that_touches_nothing_moves_as_in_simulation) {
  for (const char* name : {"panda", "double_pendulum", "quadruped"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    World world({.step = 1e-4, .gravity = model.gravity()});
    Simulation alone(model);
    Eigen::VectorXd q = neutral(model), v = Eigen::VectorXd::Constant(model.nv(), 0.3);
    const int robot = world.add_robot(model, q, {.contact = false});
    world.plant(robot).remove_friction(), alone.plant.remove_friction();
    world.set_state(robot, q, v), alone.set_state(q, v);
    run_world(world, 0.2);
    ASSERT_EQ(alone.step(0.2), SimulationStatus::moved);
    EXPECT_LT(difference(model, alone.q(), world.q(robot)).cwiseAbs().maxCoeff(), 2e-4);
    EXPECT_LT((alone.v() - world.v(robot)).cwiseAbs().maxCoeff(), 5e-3);
  }
}

TEST(RobotInWorld, stops_and_dry_friction_hold_it) {
  const Model model = load_robot("panda").model;
  World world;
  const Eigen::VectorXd q = neutral(model);
  const int robot = world.add_robot(model, q);
  run_world(world, 3.0);
  const Eigen::VectorXd end = world.q(robot);
  for (int i = 0; i < model.nq(); ++i) {
    EXPECT_GE(end(i), model.lower_limit()(i) - 2e-5) << i;
    EXPECT_LE(end(i), model.upper_limit()(i) + 2e-5) << i;
  }
}

TEST(RobotInWorld, a_loop_stays_closed) {
  const Model model = load_robot("fourbar").model;
  World world;
  const int robot = world.add_robot(model, neutral(model), {.contact = false});
  const Loops loops(model, model.description().loops, neutral(model));
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
  tau(0) = 0.5;
  double worst = 0.0;
  for (int i = 0; i < 5000; ++i) {
    world.set_torque(robot, i < 500 ? tau : Eigen::VectorXd(0.0 * tau));
    ASSERT_EQ(world.step(), WorldStatus::moved);
    Loops now = loops;
    now.set(world.q(robot));
    worst = std::max(worst, now.gap().cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_GT(world.v(robot).norm(), 0.01);
}

TEST(RobotInWorld, a_torque_that_is_not_a_number_is_refused) {
  const Model model = load_robot("panda").model;
  World world;
  const int robot = world.add_robot(model, neutral(model));
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
  tau(2) = std::nan("");
  world.set_torque(robot, tau);
  const Eigen::VectorXd before = world.q(robot);
  EXPECT_EQ(world.step(), WorldStatus::not_finite);
  EXPECT_EQ(world.q(robot), before);
  EXPECT_THROW(world.set_torque(robot, Eigen::VectorXd::Zero(3)), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
