#include "driven_robot.hpp"
#include "ulna/dynamics/kinematics.hpp"

// What an engineer changes, and what happens, while the robot moves.
namespace ulna::test {

using namespace control;
using namespace mpc;
namespace {

using Eigen::VectorXd;

const VectorXd panda_home{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};

ControllerOptions quick(double rate_hz = 500.0) {
  return {
      .rate_hz = rate_hz,
      .problem = {.transcription = Transcription::inverse_dynamics, .steps = 8, .duration = 0.02}};
}

struct DrivenPanda : DrivenRobot {
  explicit DrivenPanda(const ControllerOptions& options = quick())
      : DrivenRobot(load_robot("panda").model, panda_home, options) {}

  void wave(double amplitude, double hz) {
    controller.follow([=](double t, VectorXd& q_to, VectorXd& v_to) {
      const double w = 2.0 * M_PI * hz;
      q_to = panda_home.array() + amplitude * (1.0 - std::cos(w * t));
      v_to.setConstant(amplitude * w * std::sin(w * t));
    });
  }
  /// Root mean square over a time, of all joints.
  double wave_error(double amplitude, double hz, double seconds) {
    double sum = 0.0;
    const double end = time() + seconds;
    int count = 0;
    for (; time() < end; ++count) {
      step();
      const double w = 2.0 * M_PI * hz;
      const VectorXd off =
          q.array() - panda_home.array() - amplitude * (1.0 - std::cos(w * time()));
      sum += off.squaredNorm() / 7.0;
    }
    return std::sqrt(sum / count);
  }
  Transform<double> pose(const char* frame) const {
    Kinematics<double> at(model);
    at.set(q);
    return at.pose(model.frame(frame));
  }
};

TEST(Deadline, that_is_far_too_short_leaves_a_plan_that_tracks_as_well) {
  double error[3];
  const std::optional<double> deadlines[] = {{}, 0.0002, 0.0};
  for (int k = 0; k < 3; ++k) {
    ControllerOptions options = quick(1000.0);
    options.deadline = deadlines[k];
    DrivenPanda panda(options);
    panda.wave(0.2, 0.5);
    panda.run(0.5);
    error[k] = panda.wave_error(0.2, 0.5, 1.0);
    EXPECT_EQ(panda.safe, 0) << k;
    EXPECT_EQ(panda.planned, panda.actions) << k;
    if (k == 0) {
      EXPECT_EQ(panda.late, 0);
    }
    if (k == 2) {
      EXPECT_GE(panda.late, panda.actions - 1);
    }
  }
  EXPECT_LE(error[1], 1.1 * error[0] + 1e-5);
  EXPECT_LE(error[2], 1.1 * error[0] + 1e-5);
}

TEST(Deadline, of_a_robot_at_its_velocity_limits_leaves_a_plan_within_them) {
  for (const std::optional<double> deadline : {std::optional<double>(), std::optional(0.0)}) {
    ControllerOptions options = quick();
    options.deadline = deadline;
    DrivenPanda panda(options);
    MotionLimits limits(panda.model);
    limits.velocity.setConstant(0.3), limits.price = limits.price_squared = 1e3;
    panda.controller.set_limits(limits);
    panda.wave(0.3, 0.5);
    double fastest = 0.0;
    for (int k = 0; k < 500; ++k)
      panda.step(), fastest = std::max(fastest, panda.v.lpNorm<Eigen::Infinity>());
    EXPECT_EQ(panda.safe, 0);
    EXPECT_GT(fastest, 0.28);
    EXPECT_LT(fastest, 0.33);
  }
}

TEST(SoftLimits, that_are_active_cost_few_iterations) {
  DrivenPanda panda;
  MotionLimits limits(panda.model);
  limits.velocity.setConstant(0.3), limits.price = limits.price_squared = 1e3;
  panda.controller.set_limits(limits);
  panda.wave(0.3, 0.5);
  panda.step();  // the first plan is solved to convergence
  panda.qp_iterations = panda.most_iterations = 0;
  panda.run(2.0);
  EXPECT_LE(double(panda.qp_iterations) / double(panda.actions), 3.0);
  EXPECT_LE(panda.most_iterations, 12);
}

TEST(Weights, change_what_the_robot_holds_to) {
  DrivenPanda panda;
  panda.controller.follow([](double t, VectorXd& q, VectorXd& v) {
    q = panda_home, v.setZero();
    if (t > 0.2) q.array() += 0.2;
  });
  MotionWeights weights = panda.controller.weights();
  weights.position(0) = weights.velocity(0) = 0.0;
  panda.controller.set_weights(weights);
  panda.run(1.5);
  EXPECT_LE(std::abs(panda.q(0) - panda_home(0)), 0.1);
  EXPECT_NEAR(panda.q(3), panda_home(3) + 0.2, 0.01);
  weights.position(0) = weights.position(3), weights.velocity(0) = weights.velocity(3);
  panda.controller.set_weights(weights);
  panda.run(1.0);
  EXPECT_NEAR(panda.q(0), panda_home(0) + 0.2, 0.01);
  weights.position = VectorXd::Ones(3);
  EXPECT_THROW(panda.controller.set_weights(weights), std::invalid_argument);
}

TEST(Limits, may_be_narrowed_while_the_robot_moves) {
  DrivenPanda panda;
  panda.wave(0.3, 0.5);
  panda.run(0.5);
  EXPECT_GT(panda.v.lpNorm<Eigen::Infinity>(), 0.8);
  MotionLimits limits = panda.controller.limits();
  limits.velocity.setConstant(0.3);
  panda.controller.set_limits(limits);
  panda.run(0.3);
  for (int k = 0; k < 200; ++k) {
    panda.step();
    EXPECT_LT(panda.v.lpNorm<Eigen::Infinity>(), 0.33);
  }
  EXPECT_EQ(panda.safe, 0);
}

TEST(TorqueRate, is_kept_by_all_that_is_sent) {
  DrivenPanda panda;
  panda.wave(0.2, 0.5);
  panda.run(0.1);
  MotionLimits limits = panda.controller.limits();
  limits.torque_rate.setConstant(400.0);
  panda.controller.set_limits(limits);
  panda.largest_jump = 0.0;
  EXPECT_LE(panda.wave_error(0.2, 0.5, 0.5), 2e-3);
  // a goal that jumps asks for more than that
  panda.controller.follow(
      [](double, VectorXd& q, VectorXd& v) { q = panda_home.array() + 0.5, v.setZero(); });
  panda.run(1.5);
  EXPECT_GT(panda.largest_jump, 0.5 * 400.0 / panda.rate_hz);
  EXPECT_LE(panda.largest_jump, 400.0 / panda.rate_hz * (1.0 + 1e-9));
  EXPECT_LE((panda.q - panda_home).array().abs().maxCoeff(), 0.55);
  EXPECT_NEAR((panda.q - panda_home).array().mean(), 0.5, 0.01);
}

TEST(Goal, is_reached_without_jumps_when_it_should_be) {
  DrivenPanda panda;
  panda.wave(0.2, 0.5);
  panda.run(0.6);
  const double jump = panda.largest_jump;
  const VectorXd goal = panda_home + VectorXd{{0.3, 0.2, -0.3, 0.4, 0.1, -0.2, 0.5}};
  // changed again on the way
  panda.controller.go_to(panda_home);
  panda.run(0.2);
  const GoalLimits limits{VectorXd::Constant(7, 0.8), VectorXd::Constant(7, 4.0)};
  const double arrives = panda.controller.go_to(goal, limits);
  EXPECT_GT(arrives, panda.time() + 0.5);
  EXPECT_LT(arrives, panda.time() + 3.0);
  while (panda.time() < arrives) panda.step();
  EXPECT_LE((panda.q - goal).lpNorm<Eigen::Infinity>(), 2e-3);
  EXPECT_LE(panda.largest_jump, 2.0 * jump);
  panda.run(0.2);
  EXPECT_LE((panda.q - goal).lpNorm<Eigen::Infinity>(), 1e-3);
  EXPECT_LE(panda.v.lpNorm<Eigen::Infinity>(), 0.01);
}

TEST(Goal, keeps_to_its_limits_and_refuses_what_is_none) {
  DrivenPanda panda;
  EXPECT_THROW(panda.controller.go_to(panda_home), std::logic_error);
  panda.run(0.1);
  const VectorXd goal = panda_home.array() + 0.5;
  const GoalLimits limits{VectorXd::Constant(7, 0.4), VectorXd::Constant(7, 2.0)};
  const double arrives = panda.controller.go_to(goal, limits);
  double fastest = 0.0;
  while (panda.time() < arrives)
    panda.step(), fastest = std::max(fastest, panda.v.lpNorm<Eigen::Infinity>());
  EXPECT_LE(fastest, 0.42);
  EXPECT_GE(fastest, 0.3);
  EXPECT_THROW(panda.controller.go_to(VectorXd::Zero(3)), std::invalid_argument);
  EXPECT_THROW(panda.controller.go_to(goal, {VectorXd::Zero(7), {}}), std::invalid_argument);
  EXPECT_THROW(panda.controller.go_to(goal, {VectorXd::Ones(2), {}}), std::invalid_argument);
}

ControllerOptions with_hand_task() {
  ControllerOptions options = quick();
  options.problem.frames = {FrameTask{"panda_link8", 2e5, 2e4}};
  MotionWeights weights = motion_weights(load_robot("panda").model);
  weights.position.setConstant(1.0), weights.velocity.setConstant(10.0);
  options.problem.weights = weights;
  return options;
}

TEST(FrameTarget, is_held_followed_gone_to_and_let_go) {
  DrivenPanda panda(with_hand_task());
  const Transform<double> home = panda.pose("panda_link8");
  const auto off = [&](const Transform<double>& X) {
    return (panda.pose("panda_link8").translation() - X.translation()).norm();
  };
  panda.run(0.2);
  const double jump_before = panda.largest_jump;

  const Transform<double> aside = Transform<double>::from_translation({0.05, 0.1, -0.05}) * home;
  panda.controller.go_to_target(0, aside);
  panda.run(0.3);
  EXPECT_GT(off(aside), 0.01);  // on its way
  panda.run(1.5);
  EXPECT_LE(off(aside), 5e-3);
  EXPECT_LE(panda.largest_jump, std::max(2.0 * jump_before, 1.0));
  EXPECT_LE((aside.rotation().inverse() * panda.pose("panda_link8").rotation()).log().norm(), 0.02);

  const double begin = panda.time();
  const auto circle = [=](double t) {
    const double w = 2.0, angle = w * (t - begin);
    return Transform<double>::from_translation(
               {0.0, 0.04 * std::sin(angle), 0.04 * (std::cos(angle) - 1.0)}) *
           aside;
  };
  panda.controller.follow_target(0, circle);
  panda.run(1.0);
  for (int k = 0; k < 250; ++k) {
    panda.step();
    EXPECT_LE(off(circle(panda.time())), 8e-3);
  }
  panda.controller.set_target(0, home);
  panda.run(1.5);
  EXPECT_LE(off(home), 5e-3);
  panda.controller.clear_target(0);
  panda.run(0.2);
  EXPECT_EQ(panda.safe, 0);
  EXPECT_THROW(panda.controller.set_target(1, home), std::exception);
}

TEST(FrameTarget, that_fails_is_a_fault_that_is_recovered_from) {
  DrivenPanda panda(with_hand_task());
  panda.run(0.1);
  panda.controller.follow_target(
      0, [](double) -> Transform<double> { throw std::runtime_error("no pose"); });
  panda.step(), panda.step();
  EXPECT_EQ(panda.controller.fault(), ActionFault::no_reference);
  panda.controller.clear_target(0);
  panda.step(), panda.step();
  EXPECT_EQ(panda.controller.fault(), ActionFault::none);
  EXPECT_EQ(panda.controller.kind(), ActionKind::planned);
}

TEST(Obstacle, that_moves_is_given_way_to) {
  ControllerOptions options = quick();
  const PlacedCapsule away{{2.0, 2.0, 2.0}, {2.0, 2.0, 2.0}, 0.05};
  options.problem.collisions = Capsules::Options{.self = false, .obstacles = {away}};
  options.problem.collision_price = 1e4, options.problem.collision_price_squared = 1e6;
  DrivenPanda panda(options);
  panda.run(0.2);
  const Vec3<double> hand = panda.pose("panda_link8").translation();
  Capsules capsules(panda.model, *options.problem.collisions);
  VectorXd distance(capsules.size());
  const auto nearest = [&] {
    capsules.distances(panda.q, distance);
    return distance.minCoeff();
  };
  EXPECT_GT(nearest(), 0.5);
  // by half of the distance that is kept, in a step of the plan, which takes it to stand still
  for (int k = 0; k < 1000; ++k) {
    // until it is where the hand was
    PlacedCapsule comes = away;
    comes.from = comes.to = hand + Vec3<double>(0.5 - 0.0005 * k, 0.0, 0.0);
    panda.controller.set_obstacle(0, comes), capsules.set_obstacle(0, comes);
    panda.step();
    EXPECT_GE(nearest(), 0.0) << k;
  }
  EXPECT_EQ(panda.safe, 0);
  EXPECT_GT((panda.pose("panda_link8").translation() - hand).norm(), 0.05);
  EXPECT_THROW(panda.controller.set_obstacle(1, away), std::out_of_range);
}

// Inertia and friction that motion has not shown yet must not be taken for more than the links can have that give way.
TEST(Identification, of_a_long_chain_that_hangs_costs_no_tracking) {
  for (const int joints : {16, 24}) {
    SCOPED_TRACE(joints);
    const Model chain =
        load_robot("chain:" + std::to_string(joints)).model.with_gravity({0.0, 0.0, 9.81});
    const VectorXd at = neutral(chain);
    const auto largest_error = [&](bool identify) {
      ControllerOptions options{.rate_hz = 500.0};
      options.identify = identify;
      DrivenRobot robot(chain, at, options);
      const auto wave = [&](double t) -> VectorXd {
        return at.array() + 0.01 * (1.0 - std::cos(6.0 * t));
      };
      robot.controller.follow([&](double t, VectorXd& q, VectorXd& v) {
        q = wave(t), v.setConstant(0.06 * std::sin(6.0 * t));
      });
      double largest = 0.0;
      for (int k = 0; k < 200; ++k) {
        robot.step();
        largest = std::max(largest, (robot.q - wave(robot.time())).lpNorm<Eigen::Infinity>());
      }
      return largest;
    };
    EXPECT_LT(largest_error(true), 1.1 * largest_error(false));
  }
}

}  // namespace
}  // namespace ulna::test
