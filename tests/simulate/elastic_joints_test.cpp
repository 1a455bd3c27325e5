#include "support/drives.hpp"
#include "ulna/simulate/simulation.hpp"

// Springs between motors and links.

namespace ulna::test {
namespace {

/// A link on a vertical axis, so that gravity does nothing, and a rotor behind a spring.
Model one_link(double stiffness, double damping = 0.0, double hardening = 0.0) {
  Builder builder("one link");
  builder.link("base").link("arm",
                            Inertial(1.0, Vec3<double>::Zero(), 0.3 * Mat3<double>::Identity()));
  builder.joint("turn", JointType::continuous, "base", "arm");
  builder.last_joint().spring = Spring{stiffness, hardening, damping};
  return builder.motor({"motor", {{"turn", 50.0}}, 2e-4}).build();
}
constexpr double link_inertia = 0.3, rotor_inertia = 0.5;

/// The simulation with its spring stretched, at rest.
Simulation stretched(const Model& model, double by, double substep = 1e-3) {
  SimulationOptions options;
  options.substep = substep;
  Simulation robot(model, options);
  robot.set_motors(Eigen::VectorXd::Constant(1, by), Eigen::VectorXd::Zero(1));
  return robot;
}

const Eigen::VectorXd no_torque = Eigen::VectorXd::Zero(1);

TEST(ElasticJoints, vibrate_without_loss_at_ten_steps_a_period_and_two) {
  for (const double steps : {40.0, 10.0, 2.2}) {
    const double w = 2.0 * std::numbers::pi / (steps * 1e-3);
    const double K = w * w / (1.0 / link_inertia + 1.0 / rotor_inertia);
    Simulation robot = stretched(one_link(K), 1e-3);
    const double begin = robot.energy();
    for (int i = 0; i < 20000; ++i) ASSERT_EQ(robot.step(no_torque, 1e-3), SimulationStatus::moved);
    // some thousand periods: nothing is lost, nothing comes in
    EXPECT_NEAR(robot.energy() / begin, 1.0, 1e-9) << steps << " steps a period";
  }
}

TEST(ElasticJoints, follow_the_closed_form_to_second_order) {
  const double K = 800.0, w = std::sqrt(K * (1.0 / link_inertia + 1.0 / rotor_inertia));
  const double share = rotor_inertia / (link_inertia + rotor_inertia);
  const auto error = [&](double h) {
    Simulation robot = stretched(one_link(K), 0.1, h);
    for (int i = 0; i < std::lround(0.5 / h); ++i)
      EXPECT_EQ(robot.step(no_torque, h), SimulationStatus::moved);
    // the link moves by its share of the stretch, about where both would meet
    const double expected = share * 0.1 * (1.0 - std::cos(w * 0.5));
    return std::abs(robot.q()(0) - expected);
  };
  const double coarse = error(1e-3), fine = error(5e-4);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 0.3);
}

TEST(ElasticJoints, of_any_stiffness_stay_stable_and_go_where_rigid_ones_do) {
  const Model rigid = with_plain_drives(one_link(1e3));
  for (const double K : {1e3, 1e4, 1e5, 1e6, 1e9}) {
    Simulation robot(one_link(K, 0.01 * std::sqrt(K))), plain(rigid);
    const Eigen::VectorXd tau = Eigen::VectorXd::Constant(1, 0.4);
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(robot.step(tau, 1e-3), SimulationStatus::moved);
      ASSERT_EQ(plain.step(tau, 1e-3), SimulationStatus::moved);
    }
    // the spring carries what the link needs; beyond 1e6 it vibrates on, too fast for steps of 1 ms to damp
    EXPECT_NEAR(robot.q()(0), plain.q()(0), 2.0 / K + 1e-9) << K;
    if (K > 1e6) continue;
    EXPECT_NEAR(robot.theta()(0) - robot.q()(0), 0.15 / K, 0.02 / K) << K;
  }
}

TEST(ElasticJoints, account_for_their_energy) {
  Random random(5);
  const Model model = with_random_drives(
      random_model(5, {.joints = 6, .kinds = single_kinds, .mimic = 0.0, .limits = false}), random,
      {.elastic = 1.0, .damped = 1.0, .coupled = 0.0});
  for (const double substep : {2e-4, 1e-4}) {
    SimulationOptions options;
    options.substep = substep;
    Simulation robot(model, options);
    robot.set_state(random_q(model, random), 0.1 * random_v(model, random));
    const double begin = robot.energy();
    const Eigen::VectorXd tau = random_v(model, random, 2.0);
    ASSERT_EQ(robot.step(tau, 0.2), SimulationStatus::moved);
    const SimulationWork& work = robot.work();
    EXPECT_GT(work.damping, 0.0);
    EXPECT_GT(work.friction, 0.0);
    const double size = std::abs(work.torques) + work.damping + work.friction;
    EXPECT_NEAR(robot.energy() - begin, work.balance(), 2e-3 * size);
  }
}

TEST(ElasticJoints, accelerate_by_drive_forward_dynamics) {
  Random random(4);
  const Model model = with_random_drives(random_model(4, {.mimic = 0.0, .limits = false}), random,
                                         {.coupled = 0.0, .friction = false});
  DrivenRig<double> rig(model, random);
  Simulation robot(model);
  robot.set_state(rig.q, rig.v);
  DriveState<double> drives(model);
  drives.theta = robot.theta() + random_v(model, random, 0.05);
  drives.omega = random_v(model, random);
  robot.set_motors(drives.theta, drives.omega);
  Eigen::VectorXd a(model.nv()), alpha(model.nv()), tau(model.nv());
  tau.setRandom();
  ASSERT_EQ(robot.hold(tau), SimulationStatus::moved);
  Eigen::VectorXd motor = tau;
  for (const auto& [m, c, share] : model.drives().shares) motor(m) = share * tau(c);
  ASSERT_TRUE(drive_forward_dynamics<double>(rig.plant, rig.state(), drives, motor, rig.drive_ws, a,
                                             alpha));
  expect_close(robot.acceleration(), a, 1e-9);
}

TEST(ElasticJoints, begin_where_springs_hold_the_links) {
  Random random(6);
  const Model model =
      with_random_drives(random_model(6, {.kinds = single_kinds, .mimic = 0.0}), random,
                         {.elastic = 1.0, .coupled = 0.0, .friction = false});
  Simulation robot(model);
  const Eigen::VectorXd q = random_q(model, random);
  robot.set_state(q, Eigen::VectorXd::Zero(model.nv()));
  Rig<double> rig(model, random);
  rig.q = q;
  expect_close(robot.link_torque(), rig.gravity(), 1e-10);
  EXPECT_LT(robot.acceleration().cwiseAbs().maxCoeff(), 1e-7);
}

/// A motor that its dry friction holds is a wall to its spring.
TEST(ElasticJoints, whose_motor_its_friction_holds_vibrate_against_it) {
  const double K = 800.0;
  Builder builder("one link");
  builder.link("base").link("arm",
                            Inertial(1.0, Vec3<double>::Zero(), 0.3 * Mat3<double>::Identity()));
  builder.joint("turn", JointType::continuous, "base", "arm");
  builder.last_joint().spring = Spring{K};
  const Model model = builder.motor({"motor", {{"turn", 50.0}}, 2e-4, 0.0, 1.0, 1.0}).build();
  Simulation robot(model);
  robot.set_state(Eigen::VectorXd::Constant(1, 0.05), Eigen::VectorXd::Zero(1));
  robot.set_motors(Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1));
  const double half = std::numbers::pi / std::sqrt(K / link_inertia);
  for (int i = 0; i < std::lround(half / 1e-3); ++i)
    ASSERT_EQ(robot.step(no_torque, 1e-3), SimulationStatus::moved);
  EXPECT_EQ(robot.theta()(0), 0.0) << "40 Nm of the spring, 50 of friction";
  EXPECT_NEAR(robot.q()(0), -0.05, 1e-3);
}

TEST(ElasticJoints, follow_the_closed_form_with_adaptive_steps) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  SimulationOptions options;
  options.adaptive = AdaptiveOptions{1e-11, 1e-13, 8};
  for (const double K : {800.0, 1e5}) {
    const double w = std::sqrt(K * (1.0 / link_inertia + 1.0 / rotor_inertia)),
                 share = rotor_inertia / (link_inertia + rotor_inertia);
    Simulation robot(one_link(K), options);
    robot.set_motors(Eigen::VectorXd::Constant(1, 0.1), Eigen::VectorXd::Zero(1));
    for (int i = 1; i <= 10; ++i) {
      ASSERT_EQ(robot.step(no_torque, 0.05), SimulationStatus::moved);
      EXPECT_NEAR(robot.q()(0), share * 0.1 * (1.0 - std::cos(w * 0.05 * i)), 1e-9) << K;
    }
  }
}

/// Drives of all kinds, without dry friction, on a tree that moves freely.
Model driven_tree(std::uint64_t seed, Random& random, const RandomDriveOptions& options) {
  return with_random_drives(random_model(seed, {.joints = 6, .mimic = 0.0, .limits = false}),
                            random, options);
}

TEST(Drives, accelerate_by_drive_forward_dynamics_where_motors_are_coupled) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    // all elastic, all rigid, and mixed
    const Model model = driven_tree(
        seed, random,
        {.elastic = 0.5 * double(seed % 3), .damped = 0.5, .coupled = 0.8, .friction = false});
    DrivenRig<double> rig(model, random);
    Simulation robot(model);
    robot.set_state(rig.q, rig.v);
    DriveState<double> drives(model);
    drives.theta = robot.theta() + random_v(model, random, 0.05);
    drives.omega = random_v(model, random);
    robot.set_motors(drives.theta, drives.omega);
    const Eigen::VectorXd motor = random_v(model, random, 3.0);
    Eigen::VectorXd a(model.nv()), alpha(model.nv()), tau = Eigen::VectorXd::Zero(model.nv());
    for (const auto& [m, c, ratio] : model.drives().gears) tau(c) += ratio * motor(m);
    ASSERT_EQ(robot.hold(tau), SimulationStatus::moved);
    ASSERT_TRUE(drive_forward_dynamics<double>(rig.plant, rig.state(), drives, motor, rig.drive_ws,
                                               a, alpha));
    expect_close(robot.acceleration(), a, 1e-8);
  }
}

TEST(Drives, of_coupled_motors_without_inertia_pass_their_torques_on) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Description d = driven_tree(seed, random, {.elastic = 0.0, .coupled = 0.8, .friction = false})
                        .description();
    for (MotorDescription& motor : d.motors) motor.inertia = motor.damping = 0.0;
    const Model model = Builder(std::move(d)).build();
    Simulation coupled(model), plain(with_plain_drives(model));
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random),
                          tau = random_v(model, random, 3.0);
    for (Simulation* robot : {&coupled, &plain}) {
      robot->set_state(q, v);
      ASSERT_EQ(robot->hold(tau), SimulationStatus::moved);
    }
    expect_close(coupled.acceleration(), plain.acceleration(), 1e-8);
    for (Simulation* robot : {&coupled, &plain})
      ASSERT_EQ(robot->step(tau, 0.02), SimulationStatus::moved);
    expect_close(coupled.q(), plain.q(), 1e-8);
  }
}

/// The same with rotors that links carry, in the middle of branches too.
Model carrying_tree(std::uint64_t seed, Random& random, bool friction = false) {
  const Model model = driven_tree(
      seed, random,
      {.elastic = 0.8, .damped = 0.5, .coupled = 0.0, .mounted = 0.8, .friction = friction});
  EXPECT_FALSE(model.drives().mounts.empty()) << seed;
  return model;
}

/// What the balance of energy leaves after 0.3 s with adaptive steps, by what was exchanged.
double energy_left(std::uint64_t seed, bool friction, bool carried = false) {
  Random random(seed);
  const Model model = carried ? carrying_tree(seed, random, friction)
                              : driven_tree(seed, random,
                                            {.elastic = 0.5 * double(seed % 3),
                                             .damped = 0.5,
                                             .coupled = 0.8,
                                             .friction = friction});
  SimulationOptions options;
  options.adaptive = AdaptiveOptions{1e-12, 1e-14, 8};
  Simulation robot(model, options);
  robot.set_state(random_q(model, random), 0.1 * random_v(model, random));
  const double begin = robot.energy();
  const Eigen::VectorXd tau = random_v(model, random, 2.0);
  EXPECT_EQ(robot.step(tau, 0.3), SimulationStatus::moved);
  const SimulationWork& work = robot.work();
  const double size =
      std::abs(work.torques) + work.damping + work.friction + robot.kinetic_energy();
  return std::abs(robot.energy() - begin - work.balance()) / size;
}

TEST(Drives, account_for_their_energy_to_1e_9_with_adaptive_steps) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    EXPECT_LT(energy_left(seed, false), 1e-9) << seed;
    // joints and motors that come to rest and let go: a short fixed step gets past each
    EXPECT_LT(energy_left(seed, true), 1e-8) << seed;
  }
}

TEST(Drives, move_alike_in_fixed_and_adaptive_steps) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Model model = driven_tree(seed, random,
                                    {.elastic = 0.5 * double(seed % 3),
                                     .damped = 0.5,
                                     .coupled = 0.8,
                                     .friction = seed % 2 == 0});
    SimulationOptions options;
    options.substep = 2e-5;
    Simulation fixed(model, options);
    options.adaptive.emplace();
    Simulation adaptive(model, options);
    const Eigen::VectorXd q = random_q(model, random), v = 0.1 * random_v(model, random),
                          tau = random_v(model, random, 2.0);
    for (Simulation* robot : {&fixed, &adaptive}) {
      robot->set_state(q, v);
      ASSERT_EQ(robot->step(tau, 0.1), SimulationStatus::moved);
    }
    expect_close(fixed.q(), adaptive.q(), 1e-5);
    expect_close(fixed.theta(), adaptive.theta(), 1e-5);
  }
}

/// Two joints about vertical axes; the second motor turns by both, and its friction holds what it turns by.
TEST(Drives,
     of_a_coupled_motor_that_its_friction_holds_let_joints_move_along_with_each_other_only) {
  Builder builder("wrist");
  const Inertial body(1.0, Vec3<double>::Zero(), 0.1 * Mat3<double>::Identity());
  builder.link("base").link("first", body).link("second", body);
  builder.joint("one", JointType::continuous, "base", "first");
  builder.joint("two", JointType::continuous, "first", "second");
  const Model model = builder.motor({"m1", {{"one", 20.0}}, 1e-4})
                          .motor({"m2", {{"one", 10.0}, {"two", 30.0}}, 1e-4, 0.0, 0.5, 0.5})
                          .build();
  Simulation robot(model);
  // 9 Nm at the first joint: less than the second motor could hold of it, so it turns the second joint backward
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(robot.step(Eigen::VectorXd{{0.9, 0.0}}, 1e-3), SimulationStatus::moved);
  EXPECT_GT(robot.q()(0), 0.05);
  EXPECT_NEAR(10.0 * robot.q()(0) + 30.0 * robot.q()(1), 0.0, 1e-9);
  EXPECT_EQ(robot.work().friction, 0.0);
  EXPECT_NEAR(robot.energy(), robot.work().balance(), 1e-9);
}

TEST(CarriedRotors, accelerate_by_drive_forward_dynamics) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Model model = carrying_tree(seed, random);
    DrivenRig<double> rig(model, random);
    Simulation robot(model);
    robot.set_state(rig.q, rig.v);
    DriveState<double> drives(model);
    drives.theta = robot.theta() + random_v(model, random, 0.05);
    drives.omega = random_v(model, random);
    robot.set_motors(drives.theta, drives.omega);
    const Eigen::VectorXd motor = random_v(model, random, 3.0);
    Eigen::VectorXd a(model.nv()), alpha(model.nv()), tau = Eigen::VectorXd::Zero(model.nv());
    for (const auto& [m, c, ratio] : model.drives().gears) tau(c) += ratio * motor(m);
    ASSERT_EQ(robot.hold(tau), SimulationStatus::moved);
    ASSERT_TRUE(drive_forward_dynamics<double>(rig.plant, rig.state(), drives, motor, rig.drive_ws,
                                               a, alpha));
    expect_close(robot.acceleration(), a, 1e-8);
  }
}

TEST(CarriedRotors, account_for_their_energy_to_1e_9_with_adaptive_steps) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    EXPECT_LT(energy_left(seed, false, true), 1e-9) << seed;
    EXPECT_LT(energy_left(seed, true, true), 1e-8) << seed;
  }
}

TEST(CarriedRotors, move_alike_in_fixed_and_adaptive_steps) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Model model = carrying_tree(seed, random);
    SimulationOptions options;
    options.substep = 2e-5;
    Simulation fixed(model, options);
    options.adaptive.emplace();
    Simulation adaptive(model, options);
    const Eigen::VectorXd q = random_q(model, random), v = 0.1 * random_v(model, random),
                          tau = random_v(model, random, 2.0);
    for (Simulation* robot : {&fixed, &adaptive}) {
      robot->set_state(q, v);
      ASSERT_EQ(robot->step(tau, 0.1), SimulationStatus::moved);
    }
    expect_close(fixed.q(), adaptive.q(), 1e-5);
    expect_close(fixed.theta(), adaptive.theta(), 1e-5);
  }
}

/// As its carrier turns about the rotor's axis, the rotor is left behind by as much.
TEST(CarriedRotors, that_nothing_drives_do_not_turn_with_their_link) {
  Builder builder("wrist");
  const Inertial body(1.0, Vec3<double>::Zero(), 0.1 * Mat3<double>::Identity());
  builder.link("base").link("first", body).link("second", body);
  builder.joint("one", JointType::continuous, "base", "first");
  builder.joint("two", JointType::continuous, "first", "second", Pose({0.2, 0.0, 0.0}));
  // a spring so soft that it does nothing
  builder.last_joint().spring = Spring{1e-9};
  MotorDescription motor{"motor", {{"two", 50.0}}, 1e-3};
  motor.mount = RotorMount{"first", {0.0, 0.0, 1.0}};
  Simulation robot(builder.motor(motor).build());
  // the second link stays as it is in the world, and so does the rotor
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(robot.step(Eigen::VectorXd{{0.3, 0.0}}, 1e-3), SimulationStatus::moved);
  EXPECT_GT(robot.q()(0), 0.1);
  EXPECT_NEAR(50.0 * robot.theta()(1), -robot.q()(0), 1e-6);
}

}  // namespace
}  // namespace ulna::test
