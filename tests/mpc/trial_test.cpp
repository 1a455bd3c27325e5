#include "ulna/mpc/trial.hpp"

#include <gtest/gtest.h>

#include "driven_robot.hpp"
#include "support/allocations.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {

using namespace control;
using namespace mpc;
namespace {

using Eigen::VectorXd;

/// A trial that reaches and waves within the robot's ranges, at a rate that tests can afford.
struct ArmTrial {
  Model model;
  VectorXd start, goal, amplitude, hz;
  TrialOptions options;

  /// Of a robot with six or seven joints.
  explicit ArmTrial(const char* name) : model(load_robot(name).model) {
    const int n = model.nv();
    start = VectorXd{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}}.head(n);
    goal = VectorXd{{0.3, -0.6, -0.3, -2.0, 0.2, 1.6, 1.0}}.head(n);
    amplitude = VectorXd{{0.3, 0.25, 0.3, 0.3, 0.4, 0.4, 0.5}}.head(n);
    hz = VectorXd{{0.31, 0.23, 0.37, 0.29, 0.43, 0.41, 0.47}}.head(n);
    options.duration = 4.0;
    options.count_from = {2.0, 3.0};
    options.record_hz = 50.0;
    ControllerOptions& control = options.control;
    control.rate_hz = 250.0;
    control.problem.steps = 10, control.problem.duration = 0.02;
    MotionWeights weights(model);
    weights.position.setConstant(5000.0), weights.velocity.setConstant(1.0);
    weights.torque.setConstant(1e-4), weights.terminal = 0.1;
    control.problem.weights = weights;
    MotionLimits limits(model);
    limits.price = limits.price_squared = 1e3;
    control.problem.limits = limits;
    control.online.prior.deviation = 0.1;
    options.sensors.position.noise = 1e-5, options.sensors.velocity.noise = 2e-3;
    options.sensors.torque.noise = 0.05;
    // friction that the model does not know
    options.changes.at(0.0, [](Plant<double>& plant) {
      plant.damping.setConstant(0.3);
      plant.friction = plant.friction_negative = 0.005 * plant.model().effort_limit();
    });
  }
  TrialResult run(Knowledge knowledge) {
    options.knowledge = knowledge;
    return run_trial(model, reach_and_wave(start, goal, 1.0, amplitude, hz), options);
  }
};

struct PandaTrial : ArmTrial {
  PandaTrial() : ArmTrial("panda") {}
};

void expect_sound(const TrialResult& r) {
  EXPECT_TRUE(r.finished) << to_string(r.status);
  EXPECT_EQ(r.torque_breaches, 0);
  EXPECT_TRUE(r.consistent_always);
}

TEST(ReachAndWave, velocity_is_the_rate_of_position) {
  const PandaTrial panda;
  const MotionReference reference =
      reach_and_wave(panda.start, panda.goal, 1.0, panda.amplitude, panda.hz);
  VectorXd q(7), v(7), before(7), after(7), unused(7);
  for (const double t : {0.0, 0.3, 0.99, 1.0, 1.2, 3.7}) {
    const double h = 1e-6;
    reference(t, q, v), reference(t - h, before, unused), reference(t + h, after, unused);
    EXPECT_LE((0.5 / h * (after - before) - v).norm(), 1e-6) << t;
  }
  reference(0.0, q, v);
  EXPECT_LE((q - panda.start).norm() + v.norm(), 1e-15);
}

TEST(Trial, learning_makes_up_for_a_payload_that_the_model_does_not_have) {
  PandaTrial panda;
  const Frame& hand = panda.model.frame("panda_link8");
  const auto load =
      Inertia<double>::about_com(2.0, {0.02, -0.03, 0.08}, 0.004 * Eigen::Matrix3d::Identity());
  panda.options.changes.at(2.0, [&](Plant<double>& plant) { add_payload(plant, hand, load); });
  const TrialResult identified = panda.run(Knowledge::identified),
                    observed = panda.run(Knowledge::offset_free),
                    fixed = panda.run(Knowledge::fixed), perfect = panda.run(Knowledge::perfect);
  for (const TrialResult* r : {&identified, &observed, &fixed, &perfect}) {
    expect_sound(*r);
    EXPECT_EQ(r->steps, 1000);
  }
  // an observer takes away most of the steady error, and none of what changes with the motion
  EXPECT_LT(observed.error.rms_from[1], 0.3 * fixed.error.rms_from[1]);
  EXPECT_LT(identified.error.rms_from[1], observed.error.rms_from[1]);
  EXPECT_LT(identified.error.rms_from[0], 0.2 * fixed.error.rms_from[0]);
  EXPECT_LT(identified.error.rms_from[1], 0.05 * fixed.error.rms_from[1]);
  EXPECT_LT(identified.error.rms_from[1], 1e-3);
  EXPECT_LT(perfect.error.rms_from[1], identified.error.rms_from[1]);
  EXPECT_GE(identified.changes_noticed, 1);
  const double found = identified.estimated.body(7).mass - Plant<double>(panda.model).body(7).mass;
  EXPECT_NEAR(found, 2.0, 0.3);
}

// The UR5e's last link is so light that no plan without friction asks for a torque that would move it.
TEST(Trial, a_joint_that_its_friction_holds_is_set_free_and_learned) {
  ArmTrial ur5e("ur5e");
  ur5e.options.changes.at(0.0, [](Plant<double>& plant) {
    plant.friction = plant.friction_negative = 0.02 * plant.model().effort_limit();
  });
  const TrialResult identified = ur5e.run(Knowledge::identified),
                    fixed = ur5e.run(Knowledge::fixed), perfect = ur5e.run(Knowledge::perfect);
  for (const TrialResult* r : {&identified, &fixed, &perfect}) {
    expect_sound(*r);
    EXPECT_EQ(r->count(ActionKind::planned), r->steps);
  }
  EXPECT_LT(identified.error.rms_from[1], 0.05 * fixed.error.rms_from[1]);
  EXPECT_LT(identified.error.rms_from[1], 0.01);
  EXPECT_LT(identified.error.rms_from[1], 1.5 * perfect.error.rms_from[1]);
  const double dry = 0.02 * ur5e.model.effort_limit()(5);
  EXPECT_NEAR(identified.estimated.friction(5), dry, 0.3 * dry);
}

TEST(Trial, a_wrench_sensor_in_the_wrist_finds_a_payload_sooner) {
  PandaTrial panda;
  const Frame& hand = panda.model.frame("panda_link8");
  const auto load =
      Inertia<double>::about_com(2.0, {0.02, -0.03, 0.08}, 0.004 * Eigen::Matrix3d::Identity());
  panda.options.changes.at(2.0, [&](Plant<double>& plant) { add_payload(plant, hand, load); });
  panda.options.duration = 2.5;
  const TrialResult without = panda.run(Knowledge::identified);
  panda.options.wrench_sensors = {{.body = 7}};
  panda.options.sensors.acceleration.noise = 0.05;
  const TrialResult with = panda.run(Knowledge::identified);
  expect_sound(without), expect_sound(with);
  EXPECT_GE(with.changes_noticed, 1);
  EXPECT_LT(with.error.rms_from[0], without.error.rms_from[0]);
  const double found = with.estimated.body(7).mass - Plant<double>(panda.model).body(7).mass;
  EXPECT_NEAR(found, 2.0, 0.05);
  panda.options.wrench_sensors = {{.body = 8}};
  EXPECT_THROW((void)panda.run(Knowledge::identified), std::invalid_argument);
}

TEST(Trial, readings_reach_the_controller_as_late_as_their_delay) {
  for (const int delay : {0, 1, 2, 3}) {
    SCOPED_TRACE(delay);
    PandaTrial panda;
    panda.options.duration = 0.2;
    panda.options.record_hz = panda.options.control.rate_hz;
    panda.options.sensors = {};
    panda.options.sensors.position.delay = panda.options.sensors.velocity.delay = delay;
    panda.options.sensors.torque.delay = delay;
    const TrialRecord r = panda.run(Knowledge::fixed).record;
    ASSERT_EQ(r.q.cols(), 50);
    for (Eigen::Index k = delay + 1; k < r.q.cols(); ++k) {
      EXPECT_EQ(r.q_measured.col(k), r.q.col(k - delay)) << k;
      // of the period before, whose torque acts until the reading
      EXPECT_EQ(r.tau_measured.col(k), r.tau.col(k - delay - 1)) << k;
      // dry friction holds the robot at first
      if (k > 10) {
        EXPECT_NE(r.q.col(k), r.q.col(k - 1)) << k;
      }
      EXPECT_NE(r.tau.col(k), r.tau.col(k - 1)) << k;
    }
  }
}

TEST(Trial, a_robot_at_rest_is_held_before_its_first_action) {
  PandaTrial panda;
  panda.options.duration = 0.02;
  panda.options.record_hz = panda.options.control.rate_hz;
  panda.options.sensors = {};
  const TrialRecord r = panda.run(Knowledge::fixed).record;
  Workspace<double> ws(panda.model);
  VectorXd gravity(7);
  Motion<double> at(panda.model);
  at.set(panda.start);
  gravity_torque<double>(Plant<double>(panda.model), at, ws, gravity);
  EXPECT_LE((r.tau_measured.col(0) - gravity).norm(), 1e-12);
}

TEST(Trial, a_step_allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  PandaTrial panda;
  panda.options.wrench_sensors = {{.body = 7}};
  panda.options.duration = 2.5;
  panda.options.allocations = [] { return allocations.load(); };
  const TrialResult r = panda.run(Knowledge::identified);
  expect_sound(r);
  EXPECT_EQ(r.allocations, 0);
}

TEST(Trial, the_same_seed_gives_the_same_motion) {
  PandaTrial panda;
  panda.options.duration = 0.5;
  EXPECT_EQ(panda.run(Knowledge::identified).record.q, panda.run(Knowledge::identified).record.q);
}

TEST(Trial, every_fault_is_reported_leaves_torques_bounded_and_is_recovered_from) {
  for (const auto kind : {TrialFault::Kind::sensor_nan, TrialFault::Kind::sensor_dropped,
                          TrialFault::Kind::deadline_missed, TrialFault::Kind::solver_failed}) {
    SCOPED_TRACE(to_string(kind));
    PandaTrial panda;
    panda.options.duration = 3.0;
    panda.options.count_from = {2.0};
    const double most = kind == TrialFault::Kind::sensor_dropped ? 1.04 : 1.4;
    panda.options.faults = {{kind, 1.0, most}};
    const TrialResult hit = panda.run(Knowledge::identified);
    panda.options.faults.clear();
    const TrialResult well = panda.run(Knowledge::identified);
    expect_sound(hit), expect_sound(well);
    EXPECT_TRUE(hit.record.tau.allFinite());
    switch (kind) {
      case TrialFault::Kind::sensor_nan:
        EXPECT_EQ(hit.count(ActionFault::not_measured), 100);
        break;
      case TrialFault::Kind::deadline_missed:
        // the plan is then the best found so far
        EXPECT_GE(hit.count(ActionFault::late), 100);
        EXPECT_EQ(hit.count(ActionKind::safe), 0);
        break;
      case TrialFault::Kind::solver_failed:
        EXPECT_GE(hit.count(ActionFault::not_solved), 100);
        EXPECT_GT(hit.count(ActionKind::older), 0);
        EXPECT_GT(hit.count(ActionKind::safe), 0);
        break;
      case TrialFault::Kind::sensor_dropped:
        break;
    }
    EXPECT_LT(hit.error.rms_from[0], 2.0 * well.error.rms_from[0] + 1e-3);
  }
}

TEST(Trial, other_laws_follow_too) {
  for (const ControlLaw law : {ControlLaw::computed_torque, ControlLaw::gravity_pd}) {
    PandaTrial panda;
    panda.options.duration = 2.0;
    panda.options.law = law;
    const TrialResult r = panda.run(Knowledge::perfect);
    expect_sound(r);
    EXPECT_LT(r.error.largest, law == ControlLaw::computed_torque ? 0.02 : 0.5) << to_string(law);
  }
}

TEST(Trial, refuses_what_cannot_be_run) {
  PandaTrial panda;
  panda.options.duration = -1.0;
  EXPECT_THROW(panda.run(Knowledge::fixed), std::invalid_argument);
  panda.options.duration = 1.0;
  EXPECT_THROW(run_trial(panda.model, {}, panda.options), std::invalid_argument);
  panda.options.control.torque_noise = VectorXd::Ones(3);
  EXPECT_THROW(panda.run(Knowledge::fixed), std::invalid_argument);
  const Model quadruped = load_robot("quadruped").model;
  EXPECT_THROW(IdentifyingController{quadruped}, std::invalid_argument);
  // as many velocities as coordinates, but they are not their rates
  const Model planar = load_robot("planar_cart").model;
  ASSERT_EQ(planar.nq(), planar.nv());
  EXPECT_THROW(IdentifyingController{planar}, std::invalid_argument);
}

/// MuJoCo is a plant that nobody here wrote.
TEST(Trial, both_plants_move_alike_under_the_same_controller) {
  if (!rig::has_mujoco()) GTEST_SKIP() << "built without MuJoCo";
  PandaTrial panda;
  panda.options.control.rate_hz = 1000.0;
  panda.options.changes.at(1.5, [&](Plant<double>& plant) {
    add_payload(
        plant, panda.model.frames().back(),
        Inertia<double>::about_com(2.0, {0.02, -0.03, 0.08}, 0.003 * Eigen::Matrix3d::Identity()));
  });
  for (const Knowledge knowledge : {Knowledge::perfect, Knowledge::identified}) {
    panda.options.plant = rig::PlantKind::ulna;
    const TrialResult ours = panda.run(knowledge);
    panda.options.plant = rig::PlantKind::mujoco;
    const TrialResult theirs = panda.run(knowledge);
    expect_sound(ours), expect_sound(theirs);
    EXPECT_NEAR(theirs.error.rms, ours.error.rms, 0.05 * ours.error.rms) << to_string(knowledge);
    const Eigen::MatrixXd difference = theirs.record.tau - ours.record.tau;
    EXPECT_LE(difference.norm(), 0.02 * ours.record.tau.norm()) << to_string(knowledge);
    if (knowledge == Knowledge::identified) {
      EXPECT_NEAR(theirs.payload.mass, 2.0, 0.1);
    }
    EXPECT_NEAR(theirs.largest_speed, ours.largest_speed, 0.01);
  }
}

TEST(Trial,
     a_robot_that_is_held_fast_is_stopped_and_goes_on_within_its_limits_when_it_is_set_free) {
  PandaTrial panda;
  panda.options.duration = 5.0;
  panda.options.count_from = {4.5};
  panda.options.reality.grips = {{-1, {1.2, 1.6}}};
  panda.options.reset_after = 0.3;
  const TrialResult alone = panda.run(Knowledge::identified);
  panda.options.supervision.emplace();
  const TrialResult supervised = panda.run(Knowledge::identified);
  EXPECT_GT(alone.largest_speed, 1.2);
  EXPECT_LE(supervised.largest_speed, 1.06);
  EXPECT_GT(supervised.causes[int(supervise::Cause::collision)], 0);
  EXPECT_GT(supervised.supervised[int(supervise::State::run)], 500);
  EXPECT_LE(supervised.error.rms_from[0], 0.002);
}

TEST(Trial, an_update_that_is_left_out_is_not_made) {
  PandaTrial panda;
  panda.options.duration = 1.0;
  const TrialResult all = panda.run(Knowledge::identified);
  panda.options.skipped_updates = 1.0;
  const TrialResult none = panda.run(Knowledge::identified);
  EXPECT_NE(all.estimated.friction, Plant<double>(panda.model).friction);
  EXPECT_EQ(none.estimated.friction, Plant<double>(panda.model).friction);
}

/// The robots that are large: a chain that hangs, and a tree of 30 joints.
std::vector<Model> large_robots() {
  std::vector<Model> robots{load_robot("chain:16").model.with_gravity({0.0, 0.0, 9.81})};
  robots.push_back(lock_joints(load_robot("humanoid").model,
                               {{"floating_base", {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0}}}));
  return robots;
}

TEST(Controller, allocates_nothing_however_many_joints_a_robot_has) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for (const Model& model : large_robots()) {
    SCOPED_TRACE(model.name());
    const VectorXd at = neutral(model);
    DrivenRobot robot(model, at, {.rate_hz = 500.0});
    robot.controller.follow([&](double t, VectorXd& q, VectorXd& v) {
      q = at.array() + 0.01 * (1.0 - std::cos(6.0 * t));
      v.setConstant(0.06 * std::sin(6.0 * t));
    });
    long count = 0;
    for (int k = 0; k < 150; ++k) {
      robot.read();
      // the first plan is solved to convergence, from a guess
      const long all = allocations_of([&] { robot.act(); });
      if (k > 0) count += all;
      robot.move();
    }
    EXPECT_EQ(count, 0);
    EXPECT_GE(robot.planned, robot.actions - 1);
    EXPECT_GT(robot.controller.estimator().samples(), 20);
  }
}

TEST(Controller, what_is_changed_while_it_runs_allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const PandaTrial panda;
  ControllerOptions options = panda.options.control;
  options.problem.frames = {FrameTask{.frame = "panda_link8"}};
  options.problem.collisions =
      Capsules::Options{.self = false, .obstacles = {{{2.0, 2.0, 2.0}, {2.0, 2.0, 2.0}, 0.05}}};
  options.problem.collision_price = 1e3, options.problem.collision_price_squared = 1e3;
  options.deadline = 0.0002;
  DrivenRobot robot(panda.model, panda.start, options);
  robot.step();
  MotionWeights weights = robot.controller.weights();
  MotionLimits limits = robot.controller.limits();
  limits.torque_rate.setConstant(500.0);
  const GoalLimits goal_limits{VectorXd::Ones(7), VectorXd::Ones(7)};
  const auto X = Transform<double>::from_translation({0.4, 0.0, 0.5});
  robot.read();
  const long count = allocations_of([&] {
    robot.controller.set_weights(weights);
    robot.controller.set_limits(limits);
    robot.controller.set_target(0, X);
    robot.controller.go_to(panda.goal, goal_limits);
    robot.act();
    robot.controller.go_to_target(0, X);
    robot.controller.set_obstacle(0, {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.5}, 0.1});
    robot.act();
    robot.controller.clear_target(0);
    robot.act();
  });
  EXPECT_EQ(count, 0);
  EXPECT_EQ(robot.safe, 0);
}

TEST(Trial, of_robots_with_loops_allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  for (const char* name : {"fivebar", "delta"}) {
    const Model model = load_robot(name).model;
    const int n = model.nv();
    TrialOptions options;
    options.duration = 1.5, options.control.rate_hz = 250.0;
    options.allocations = [] { return allocations.load(); };
    const MotionReference reference =
        reach_and_wave(VectorXd::Zero(n), VectorXd::Constant(n, 0.1), 0.5,
                       VectorXd::Constant(n, 0.1), VectorXd::Constant(n, 0.8));
    const TrialResult r = run_trial(model, reference, options);
    EXPECT_TRUE(r.finished);
    EXPECT_EQ(r.allocations, 0) << name;
  }
}

TEST(Trial, of_elastic_joints_allocates_nothing_while_it_identifies) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Model model = load_robot("iiwa14_elastic").model;
  const VectorXd from = VectorXd::Zero(7), to = VectorXd::Constant(7, 0.3);
  for (const DriveControl drives :
       {DriveControl::plan, DriveControl::feedforward, DriveControl::ignore}) {
    TrialOptions options;
    options.duration = 0.3, options.drives = drives;
    options.allocations = [] { return allocations.load(); };
    const TrialResult r =
        run_elastic_trial(model, smooth_reach_and_wave(from, to, 1.0, from, from), options);
    EXPECT_TRUE(r.finished);
    EXPECT_EQ(r.allocations, 0) << to_string(drives);
    EXPECT_EQ(r.count(ActionKind::planned), r.steps) << to_string(drives);
  }
}

}  // namespace
}  // namespace ulna::test
