#include "ulna/supervise/momentum_observer.hpp"

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::test {
namespace {

using supervise::MomentumObserver;
using supervise::TorqueSide;
using Vector = Eigen::VectorXd;

constexpr double gain = 50.0;

/// A robot that swings under torques, gravity and a torque of the surroundings, without limits.
struct Swinging {
  Model model;
  Plant<double> plant;
  Step<double> step;
  Vector q, v, tau, external, sum;
  double t = 0.0;

  Swinging(const Model& robot, Random& random)
      : model(robot),
        plant(robot),
        step(robot, Integrator::rk4),
        q(random_q(robot, random)),
        v(random_v(robot, random, 0.3)),
        tau(Vector::Zero(robot.nv())),
        external(tau),
        sum(tau) {
    hold();
  }
  /// Slow changes about what gravity needs, so that the robot neither falls nor races.
  void hold() {
    Workspace<double> ws(model);
    Motion<double> motion(model);
    motion.set(q);
    gravity_torque<double>(plant, motion, ws, tau);
    tau -= 2.0 * v;
  }
  /// On for a period, in steps that leave no error of their own.
  void go(double period, int steps = 20) {
    sum = tau + external;
    for (int k = 0; k < steps; ++k) {
      ASSERT_TRUE(step(plant, q, v, sum, period / steps));
      q = step.q_next, v = step.v_next;
    }
    t += period;
  }
};

/// Trees of all kinds of joints, with armature and damping; dry friction has tests of its own.
template <class Law>
void for_each_smooth_robot(Law law) {
  for_each_model(
      [&](const Model& model, Random& random) {
        Swinging robot(model, random);
        robot.plant.friction.setZero(), robot.plant.friction_negative.setZero();
        law(robot, random);
      },
      {.joints = 7}, 10);
}

TEST(MomentumObserver, finds_nothing_where_nothing_is) {
  for_each_smooth_robot([](Swinging& robot, Random&) {
    MomentumObserver observer(robot.model, {.gain = gain});
    observer.update(robot.plant, robot.q, robot.v, robot.tau, 1e-3);
    for (int k = 0; k < 300; ++k) {
      robot.hold();
      robot.go(1e-3);
      observer.update(robot.plant, robot.q, robot.v, robot.tau, 1e-3);
    }
    EXPECT_LT(observer.torque().lpNorm<Eigen::Infinity>(),
              1e-4 * (1.0 + robot.tau.lpNorm<Eigen::Infinity>()));
  });
}

TEST(MomentumObserver, follows_a_constant_torque_with_the_time_constant_of_its_gain) {
  for_each_smooth_robot([](Swinging& robot, Random& random) {
    MomentumObserver observer(robot.model, {.gain = gain});
    observer.update(robot.plant, robot.q, robot.v, robot.tau, 1e-3);
    robot.external = random_v(robot.model, random, 2.0);
    for (int k = 1; k <= 200; ++k) {
      robot.hold();
      robot.go(1e-3);
      observer.update(robot.plant, robot.q, robot.v, robot.tau, 1e-3);
      const Vector expected = (1.0 - std::exp(-gain * 1e-3 * k)) * robot.external;
      ASSERT_LT((observer.torque() - expected).lpNorm<Eigen::Infinity>(),
                1e-3 * (1.0 + robot.tau.lpNorm<Eigen::Infinity>()))
          << "sample " << k;
    }
    // positive where the surroundings push in the positive direction: they do work on the robot
    EXPECT_GT(observer.torque().dot(robot.external), 0.9 * robot.external.squaredNorm());
  });
}

TEST(MomentumObserver, does_not_depend_on_the_period) {
  for_each_smooth_robot([](Swinging& robot, Random& random) {
    robot.external = random_v(robot.model, random, 2.0);
    const Swinging begin = robot;
    Vector found[2];
    for (const int fine : {0, 1}) {
      Swinging at = begin;
      const double period = fine ? 0.5e-3 : 2e-3;
      MomentumObserver observer(at.model, {.gain = gain});
      observer.update(at.plant, at.q, at.v, at.tau, period);
      for (int k = 0; k < (fine ? 100 : 25); ++k) {
        at.go(period, fine ? 10 : 40);
        observer.update(at.plant, at.q, at.v, at.tau, period);
      }
      found[fine] = observer.torque();
    }
    EXPECT_LT((found[0] - found[1]).lpNorm<Eigen::Infinity>(),
              2e-3 * (1.0 + robot.tau.lpNorm<Eigen::Infinity>()));
  });
}

TEST(MomentumObserver, takes_a_new_plant_for_no_push) {
  for_each_smooth_robot([](Swinging& robot, Random&) {
    Plant<double> wrong = robot.plant;
    Vector pi(wrong.inertial_size());
    wrong.get_inertial(pi);
    wrong.set_inertial(1.2 * pi);
    MomentumObserver observer(robot.model, {.gain = gain});
    observer.update(wrong, robot.q, robot.v, robot.tau, 1e-3);
    robot.hold();
    robot.go(1e-3);
    observer.update(robot.plant, robot.q, robot.v, robot.tau, 1e-3);
    EXPECT_LT(observer.torque().lpNorm<Eigen::Infinity>(),
              1e-4 * (1.0 + robot.tau.lpNorm<Eigen::Infinity>()));
  });
}

TEST(MomentumObserver, knows_dry_friction_of_joints_that_move_rest_and_turn_round) {
  const Model model = load_robot("panda").model;
  Simulation robot(model);
  robot.plant.friction.setConstant(3.0), robot.plant.friction_negative.setConstant(2.0);
  robot.plant.damping.setConstant(1.0), robot.plant.armature.setConstant(0.1);
  Vector q(7);
  q << 0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.0;
  robot.set_state(q, Vector::Zero(7));
  MomentumObserver observer(model, {.gain = gain, .rest_speed = 0.0});
  observer.update(robot.plant, robot.q(), robot.v(), robot.tau(), 1e-3);
  Motion<double> motion(model);
  Workspace<double> ws(model);
  Vector tau(7);
  long resting = 0, moving = 0, rested = 0;
  double worst = 0.0;
  for (int k = 0; k < 3000; ++k) {
    motion.set(robot.q());
    gravity_torque<double>(robot.plant, motion, ws, tau);
    tau.array() += 6.0 * std::sin(6.0 * robot.time());
    tau -= 5.0 * robot.v();
    ASSERT_EQ(robot.step(tau, 1e-3), SimulationStatus::moved);
    observer.update(robot.plant, robot.q(), robot.v(), robot.tau(), 1e-3);
    worst = std::max(worst, observer.torque().lpNorm<Eigen::Infinity>());
    for (const double v : robot.v()) ++(v == 0.0 ? resting : moving);
    rested += robot.v()(0) == 0.0;
  }
  EXPECT_GT(resting, 1000);
  EXPECT_GT(moving, 1000);
  EXPECT_GT(rested, 100);
  EXPECT_LT(worst, 0.05);
}

TEST(MomentumObserver, needs_neither_friction_nor_rotors_behind_the_gear) {
  const Model model = load_robot("panda").model;
  Random random(5);
  Swinging robot(model, random);
  robot.plant.damping.setConstant(2.0), robot.plant.armature.setConstant(0.3);
  MomentumObserver observer(model, {.gain = gain, .side = TorqueSide::link});
  Motion<double> motion(model);
  Workspace<double> ws(model);
  observer.update(robot.plant, robot.q, robot.v, robot.tau, 1e-3);
  Vector a(7), link(7), before(7);
  for (int k = 0; k < 200; ++k) {
    before = robot.v;
    robot.hold();
    robot.tau(3) += 5.0 * std::sin(20.0 * robot.t);
    robot.go(1e-3);
    // what a sensor behind the gear reads on average
    a = (robot.v - before) / 1e-3;
    link = robot.tau - robot.plant.armature.cwiseProduct(a) -
           robot.plant.damping.cwiseProduct(0.5 * (before + robot.v));
    observer.update(robot.plant, robot.q, robot.v, link, 1e-3);
  }
  EXPECT_LT(observer.torque().lpNorm<Eigen::Infinity>(), 1e-3);
}

TEST(MomentumObserver, refuses_what_is_no_sample_and_goes_on) {
  const Model model = load_robot("panda").model;
  EXPECT_THROW(MomentumObserver(model, {.gain = 0.0}), std::invalid_argument);
  EXPECT_THROW(MomentumObserver(model, {.rest_speed = -1.0}), std::invalid_argument);
  const Plant<double> plant(model);
  MomentumObserver observer(model);
  const Vector q = neutral(model), zero = Vector::Zero(7);
  Vector wrong = zero;
  wrong(3) = std::nan("");
  Motion<double> motion(model);
  Workspace<double> ws(model);
  Vector tau(7);
  motion.set(q);
  gravity_torque<double>(plant, motion, ws, tau);
  observer.update(plant, q, zero, tau, 1e-3);
  EXPECT_THROW(observer.update(plant, q, wrong, tau, 1e-3), std::invalid_argument);
  EXPECT_THROW(observer.update(plant, q, zero, wrong, 1e-3), std::invalid_argument);
  EXPECT_THROW(observer.update(plant, q, zero, tau, 0.0), std::invalid_argument);
  EXPECT_THROW(observer.update(plant, q, zero, Vector::Zero(6), 1e-3), std::invalid_argument);
  observer.update(plant, q, zero, tau, 1e-3);
  EXPECT_LT(observer.torque().lpNorm<Eigen::Infinity>(), 1e-9);
}

}  // namespace
}  // namespace ulna::test
