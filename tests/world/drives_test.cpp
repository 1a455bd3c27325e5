#include "support/drives.hpp"
#include "support/allocations.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/simulation.hpp"
#include "ulna/world/posture.hpp"
#include "world/bodies.hpp"

// Springs and coupled motors of robots that may touch things.
namespace ulna::test {
namespace {

constexpr double link_inertia = 0.3, rotor_inertia = 0.5;

/// A link on a vertical axis, so that gravity does nothing, and a rotor behind a spring; and, if asked for, a second link that lies on the
/// ground.
Model one_link(double stiffness, bool with_foot = false, double motor_friction = 0.0) {
  Builder builder("one link");
  const Inertial body(1.0, Vec3<double>::Zero(), link_inertia * Mat3<double>::Identity());
  builder.link("base").link("arm", body);
  builder.joint("turn", JointType::continuous, "base", "arm");
  builder.last_joint().spring = Spring{stiffness};
  if (with_foot) {
    LinkDescription foot{"foot", body};
    foot.collisions.push_back({"sole", {}, Sphere{0.1}, {}});
    builder.link(foot).joint("slide", JointType::prismatic, "base", "foot", Pose({1.0, 0.0, 0.1}));
  }
  return builder.motor({"motor", {{"turn", 50.0}}, 2e-4, 0.0, motor_friction, motor_friction})
      .build();
}
double stiffness_for(double steps_a_period) {
  const double w = 2.0 * std::numbers::pi / (steps_a_period * 1e-3);
  return w * w / (1.0 / link_inertia + 1.0 / rotor_inertia);
}

TEST(ElasticJointsInWorld, vibrate_without_loss_at_ten_steps_a_period_and_two) {
  for (const double steps : {40.0, 10.0, 2.2}) {
    World world;
    const Model model = one_link(stiffness_for(steps));
    const int robot = world.add_robot(model, neutral(model));
    world.set_motors(robot, Eigen::VectorXd::Constant(1, 1e-3), Eigen::VectorXd::Zero(1));
    const double begin = world.energy();
    run_world(world, 20.0);
    EXPECT_NEAR(world.energy() / begin, 1.0, 1e-9) << steps << " steps a period";
  }
}

/// Where something touches, links move by the velocity at the end of a step; springs are deflected by the mean of the two all the same.
TEST(ElasticJointsInWorld, vibrate_without_loss_where_the_robot_touches_the_ground) {
  for (const double steps : {40.0, 10.0, 2.2, 0.1}) {
    World world;
    world.add_fixed("ground", Plane{});
    const Model model = one_link(stiffness_for(steps), true);
    const int robot = world.add_robot(model, neutral(model));
    world.set_motors(robot, Eigen::VectorXd::Constant(2, 1e-3), Eigen::VectorXd::Zero(2));
    const auto vibration = [&] {
      const double e = world.theta(robot)(0) - world.q(robot)(0);
      return 0.5 * (stiffness_for(steps) * e * e + link_inertia * std::pow(world.v(robot)(0), 2) +
                    rotor_inertia * std::pow(world.omega(robot)(0), 2));
    };
    const double begin = vibration();
    int touched = 0;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(world.step(), WorldStatus::moved);
      touched += world.contact_wrench(robot).force.z() > 9.0;
    }
    EXPECT_EQ(touched, 5000);
    EXPECT_NEAR(vibration() / begin, 1.0, 1e-9) << steps << " steps a period";
  }
}

TEST(ElasticJointsInWorld, of_any_stiffness_stay_stable_through_impacts) {
  const Model given = load_robot("iiwa14_elastic").model;
  for (const double factor : {1.0, 1e2, 1e4}) {
    Description d = given.description();
    for (JointDescription& joint : d.joints) joint.spring->stiffness *= factor;
    const Model model = Builder(std::move(d)).build();
    World world;
    world.add_fixed("ground", Plane{});
    world.add_robot(model, Eigen::VectorXd{{0.0, 0.6, 0.0, -1.2, 0.0, 0.8, 0.0}});
    const double before = world.energy();
    run_world(world, 3.0);
    EXPECT_LT(world.energy(), before);
    EXPECT_GT(world.report().contacts, 0) << factor << ": the arm lies on the ground";
    EXPECT_NEAR(world.energy() - before, world.work().balance(), 0.02 * before) << factor;
  }
}

/// A motor that its dry friction holds is a wall to its spring.
TEST(ElasticJointsInWorld, whose_motor_its_friction_holds_vibrate_against_it) {
  const double K = 800.0;
  World world;
  const Model model = one_link(K, false, 1.0);
  const int robot = world.add_robot(model, neutral(model));
  world.set_state(robot, Eigen::VectorXd::Constant(1, 0.05), Eigen::VectorXd::Zero(1));
  world.set_motors(robot, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1));
  run_world(world, std::round(std::numbers::pi / std::sqrt(K / link_inertia) / 1e-3) * 1e-3);
  EXPECT_NEAR(world.theta(robot)(0), 0.0, 1e-9) << "40 Nm of the spring, 50 of friction";
  EXPECT_NEAR(world.q(robot)(0), -0.05, 1e-3);
}

TEST(DrivesInWorld, of_a_robot_that_touches_nothing_move_it_as_in_simulation) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    // coupled motors of rigid, mixed and elastic robots, and rotors that links carry
    const auto kind = seed % 4;
    const bool carried = kind == 3, friction = seed % 3 == 0;
    const RandomModelOptions tree{.joints = 5, .mimic = 0.0, .limits = false, .dynamics = friction};
    const Model model = with_random_drives(random_model(seed, tree), random,
                                           {.elastic = carried ? 0.8 : 0.5 * double(kind),
                                            .damped = 0.5,
                                            .coupled = carried ? 0.0 : 0.8,
                                            .mounted = carried ? 0.8 : 0.0,
                                            .friction = friction});
    const Eigen::VectorXd q = random_q(model, random), v = 0.1 * random_v(model, random),
                          tau = random_v(model, random, 2.0);
    SimulationOptions options;
    options.substep = 2e-5;
    Simulation alone(model, options);
    alone.set_state(q, v);
    ASSERT_EQ(alone.step(tau, 0.1), SimulationStatus::moved);
    const auto error = [&](double step) {
      World world({.step = step, .gravity = model.gravity()});
      const int robot = world.add_robot(model, q, {.contact = false});
      world.set_state(robot, q, v);
      world.set_torque(robot, tau);
      const double before = world.energy();
      run_world(world, 0.1);
      const WorldWork& work = world.work();
      const double size = std::abs(work.torques) + work.damping + work.joint_friction;
      EXPECT_NEAR(world.energy() - before, work.balance(), 50.0 * step * size);
      return difference(model, alone.q(), world.q(robot)).cwiseAbs().maxCoeff() +
             (alone.theta() - world.theta(robot)).cwiseAbs().maxCoeff();
    };
    const double coarse = error(2e-4), fine = error(1e-4);
    EXPECT_LT(fine, 1e-3);
    // when a joint that rubs comes to rest is as exact as a step is short
    if (!friction) {
      EXPECT_LT(fine, 0.6 * coarse + 1e-7) << coarse;
    }
  }
}

/// Two joints about vertical axes; the second motor turns by both, and its friction holds what it turns by.
TEST(DrivesInWorld, of_a_coupled_motor_that_its_friction_holds_let_joints_move_together_only) {
  Builder builder("wrist");
  const Inertial body(1.0, V3::Zero(), 0.1 * Mat3<double>::Identity());
  builder.link("base").link("first", body).link("second", body);
  builder.joint("one", JointType::continuous, "base", "first");
  builder.joint("two", JointType::continuous, "first", "second");
  const Model model = builder.motor({"m1", {{"one", 20.0}}, 1e-4})
                          .motor({"m2", {{"one", 10.0}, {"two", 30.0}}, 1e-4, 0.0, 0.5, 0.5})
                          .build();
  World world;
  const int robot = world.add_robot(model, neutral(model));
  world.set_torque(robot, Eigen::VectorXd{{0.9, 0.0}});
  run_world(world, 0.3);
  const Eigen::VectorXd q = world.q(robot);
  EXPECT_GT(q(0), 0.05);
  EXPECT_NEAR(10.0 * q(0) + 30.0 * q(1), 0.0, 1e-7);
  EXPECT_NEAR(world.energy(), world.work().torques, 1e-7);
}

TEST(DrivesInWorld, hold_postures_by_their_motors) {
  for (const char* name : {"iiwa14_elastic", "tx40_like"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    World world;
    world.add_fixed("ground", Plane{}, at_place(0.0, 0.0, -1.0));
    const Eigen::VectorXd target = Eigen::VectorXd::Constant(model.nq(), 0.3);
    const int robot = world.add_robot(model, target);
    world.set_state(robot, target, Eigen::VectorXd::Constant(model.nv(), 0.2));
    Posture posture(world, robot, target);
    Eigen::VectorXd tau;
    for (int i = 0; i < 3000; ++i) {
      posture.torque(world, tau);
      world.set_torque(robot, tau);
      ASSERT_EQ(world.step(), WorldStatus::moved);
    }
    EXPECT_LT((world.q(robot) - target).cwiseAbs().maxCoeff(), 0.02);
    EXPECT_LT(world.v(robot).cwiseAbs().maxCoeff(), 1e-3);
  }
}

TEST(DrivesInWorld, allocate_nothing_once_they_lie_on_the_ground) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  World world;
  world.add_fixed("ground", Plane{});
  for (const char* name : {"iiwa14_elastic", "tx40_like"}) {
    const Model model = load_robot(name).model;
    world.add_robot(model, Eigen::VectorXd::Constant(model.nq(), 0.5));
  }
  run_world(world, 3.0);
  long allocated = 0;
  for (int i = 0; i < 1000; ++i)
    allocated += allocations_of([&] { ASSERT_EQ(world.step(), WorldStatus::moved); });
  EXPECT_EQ(allocated, 0);
}

TEST(DrivesInWorld, are_refused_by_adaptive_steps_by_the_name_of_the_robot) {
  const Model model = load_robot("iiwa14_elastic").model;
  World world;
  world.add_robot(model, neutral(model), {.name = "arm"});
  EXPECT_EQ(world.refused_by_adaptive(),
            "'arm' has springs or coupled motors, which only fixed steps model");
  EXPECT_THROW((void)world.advance(0.1), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
