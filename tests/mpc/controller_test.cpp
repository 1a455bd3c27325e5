#include "ulna/mpc/controller.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {

using namespace control;
using namespace mpc;
namespace {

using Eigen::VectorXd;

/// A Panda that stands where it should, and a reference that `failure` may spoil.
struct StandingRobot {
  static constexpr double rate_hz = 100.0;
  Model model = load_robot("panda").model;
  VectorXd q = VectorXd{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}}, v = VectorXd::Zero(7);
  MotionReference failure;
  IdentifyingController controller;
  int period = 0;

  StandingRobot()
      : controller(model, {.rate_hz = rate_hz,
                           .problem = {.transcription = Transcription::inverse_dynamics,
                                       .steps = 5,
                                       .duration = 0.02}}) {
    controller.follow([this](double time, VectorXd& q_to, VectorXd& v_to) {
      q_to = q, v_to.setZero();
      if (failure) failure(time, q_to, v_to);
    });
  }
  void step() {
    const double time = period++ / rate_hz;
    const VectorXd tau = controller.act(time, q, v);
    for (int i = 0; i < 7; ++i) EXPECT_LE(std::abs(tau(i)), model.effort_limit()(i)) << i;
    controller.update(time, q, v, tau);
  }
  void expect(ActionKind kind, ActionFault fault) {
    step();
    EXPECT_EQ(controller.kind(), kind) << to_string(controller.kind());
    EXPECT_EQ(controller.fault(), fault) << to_string(controller.fault());
  }
};

const std::vector<std::pair<const char*, MotionReference>>& failures() {
  static const std::vector<std::pair<const char*, MotionReference>> all{
      {"throws an exception",
       [](double, VectorXd&, VectorXd&) { throw std::runtime_error("no motion"); }},
      {"throws something else", [](double, VectorXd&, VectorXd&) { throw 3; }},
      {"NaN in a position",
       [](double, VectorXd& q, VectorXd&) { q(3) = std::numeric_limits<double>::quiet_NaN(); }},
      {"infinity in a velocity",
       [](double, VectorXd&, VectorXd& v) { v(6) = std::numeric_limits<double>::infinity(); }},
      {"too few positions", [](double, VectorXd& q, VectorXd&) { q = VectorXd::Zero(3); }},
      {"too many velocities", [](double, VectorXd&, VectorXd& v) { v = VectorXd::Zero(8); }}};
  return all;
}

TEST(Controller, a_reference_that_fails_is_a_fault_that_is_recovered_from) {
  for (const auto& [name, failure] : failures()) {
    SCOPED_TRACE(name);
    StandingRobot robot;
    for (int k = 0; k < 5; ++k) robot.expect(ActionKind::planned, ActionFault::none);
    robot.failure = failure;
    // the next action was prepared before it failed; then the last plan goes on for 0.1 s
    robot.expect(ActionKind::planned, ActionFault::none);
    for (int k = 0; k < 10; ++k) robot.expect(ActionKind::older, ActionFault::no_reference);
    for (int k = 0; k < 5; ++k) robot.expect(ActionKind::safe, ActionFault::no_reference);
    robot.failure = {};
    robot.expect(ActionKind::planned, ActionFault::no_reference);
    for (int k = 0; k < 5; ++k) robot.expect(ActionKind::planned, ActionFault::none);
  }
}

TEST(Controller, a_reference_that_fails_at_first_leaves_the_robot_held_against_gravity) {
  for (const auto& [name, failure] : failures()) {
    SCOPED_TRACE(name);
    StandingRobot robot;
    robot.failure = failure;
    for (int k = 0; k < 3; ++k) robot.expect(ActionKind::safe, ActionFault::no_reference);
    robot.failure = {};
    for (int k = 0; k < 3; ++k) robot.expect(ActionKind::planned, ActionFault::none);
  }
}

TEST(Controller, a_reference_that_throws_once_is_reported_once_and_costs_no_plan) {
  StandingRobot robot;
  for (int k = 0; k < 3; ++k) robot.expect(ActionKind::planned, ActionFault::none);
  int calls = 0;
  robot.failure = [&calls](double, VectorXd&, VectorXd&) {
    if (++calls == 4) throw std::runtime_error("once, in the middle of a horizon");
  };
  robot.expect(ActionKind::planned, ActionFault::none);
  robot.expect(ActionKind::planned, ActionFault::no_reference);
  for (int k = 0; k < 3; ++k) robot.expect(ActionKind::planned, ActionFault::none);
}

TEST(Controller, a_reference_that_fails_in_part_of_the_horizon_changes_no_node) {
  StandingRobot robot;
  for (int k = 0; k < 3; ++k) robot.expect(ActionKind::planned, ActionFault::none);
  const Trajectory before = robot.controller.plan();
  const double last = robot.period / StandingRobot::rate_hz + 0.05;
  robot.failure = [last](double time, VectorXd& q, VectorXd&) {
    q(0) += 1.0;
    if (time > last) q(1) = std::numeric_limits<double>::quiet_NaN();
  };
  for (int k = 0; k < 4; ++k) robot.step();
  EXPECT_EQ(robot.controller.kind(), ActionKind::older);
  for (std::size_t k = 0; k < before.x.size(); ++k)
    EXPECT_LE((robot.controller.plan().x[k] - before.x[k]).norm(), 1e-3) << k;
}

TEST(Controller, references_that_no_robot_can_have_are_a_fault) {
  StandingRobot robot;
  robot.failure = [](double, VectorXd& q, VectorXd&) { q(2) = 1e200; };
  for (int k = 0; k < 3; ++k) robot.expect(ActionKind::safe, ActionFault::no_reference);
}

TEST(Controller, of_a_robot_that_was_never_seen_no_torque_is_sent) {
  StandingRobot robot;
  robot.v(3) = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < 20; ++k) {
    robot.expect(ActionKind::safe, ActionFault::not_measured);
    EXPECT_EQ(robot.controller.act(0.01 * k, robot.q, robot.v), VectorXd::Zero(7));
  }
}

TEST(Controller, readings_that_stop_are_bridged_for_a_while_and_then_the_robot_is_stopped) {
  StandingRobot robot;
  for (int k = 0; k < 5; ++k) robot.expect(ActionKind::planned, ActionFault::none);
  robot.v(3) = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < 10; ++k) robot.expect(ActionKind::planned, ActionFault::not_measured);
  for (int k = 0; k < 30; ++k) robot.expect(ActionKind::safe, ActionFault::not_measured);
  robot.v(3) = 0.0;
  robot.expect(ActionKind::planned, ActionFault::none);
}

TEST(Controller, a_reading_that_comes_again_from_a_robot_that_moves_is_stale) {
  StandingRobot robot;
  robot.v.setConstant(0.3);
  const VectorXd moved = robot.v / StandingRobot::rate_hz;
  for (int k = 0; k < 5; ++k, robot.q += moved)
    robot.expect(ActionKind::planned, ActionFault::none);
  const long learned = robot.controller.estimator().samples();
  robot.q -= moved;
  robot.expect(ActionKind::planned, ActionFault::stale);
  EXPECT_EQ(robot.controller.estimator().samples(), learned);
  robot.q += moved;
  robot.expect(ActionKind::planned, ActionFault::none);
}

TEST(Controller, learns_only_while_it_may) {
  StandingRobot robot;
  robot.v.setConstant(0.1);
  const auto learned = [&](int periods) {
    const long before = robot.controller.estimator().samples();
    for (int k = 0; k < periods; ++k, robot.q += robot.v / StandingRobot::rate_hz) robot.step();
    return robot.controller.estimator().samples() - before;
  };
  EXPECT_GT(learned(60), 0);
  robot.controller.learn(false);
  EXPECT_EQ(learned(20), 0);
  robot.controller.learn(true);
  EXPECT_GT(learned(60), 0);
}

TEST(Controller, after_a_reset_it_plans_from_where_the_robot_is_and_knows_what_it_knew) {
  StandingRobot robot;
  for (int k = 0; k < 30; ++k) robot.expect(ActionKind::planned, ActionFault::none);
  const VectorXd z = robot.controller.estimator().z();
  robot.q(0) += 0.5;
  robot.controller.reset();
  robot.expect(ActionKind::planned, ActionFault::none);
  EXPECT_NEAR(robot.controller.plan().x[0](0), robot.q(0), 1e-9);
  EXPECT_EQ(robot.controller.estimator().z(), z);
}

// A robot that its drives do not move while they are told to: if other torques were sent, nothing is unexplained.
TEST(Controller, disturbances_are_what_the_torques_that_were_sent_do_not_explain) {
  StandingRobot robot;
  robot.controller.follow([&](double, VectorXd& q, VectorXd& v) {
    q = robot.q + VectorXd::Constant(7, 0.2), v.setZero();
  });
  Motion<double> at(robot.model);
  Workspace<double> ws(robot.model);
  VectorXd holding(7);
  at.set(robot.q);
  gravity_torque<double>(Plant<double>(robot.model), at, ws, holding);
  StandingRobot told;
  told.controller.follow([&](double, VectorXd& q, VectorXd& v) {
    q = told.q + VectorXd::Constant(7, 0.2), v.setZero();
  });
  for (int k = 0; k < 20; ++k) {
    const double time = k / StandingRobot::rate_hz;
    (void)robot.controller.act(time, robot.q, robot.v);
    (void)told.controller.act(time, told.q, told.v);
    told.controller.sent(holding);
  }
  EXPECT_GT(robot.controller.disturbance().norm(), 1.0);
  EXPECT_LE(told.controller.disturbance().norm(), 1e-6);
}

TEST(Controller, without_a_reference_the_robot_is_held_against_gravity) {
  StandingRobot robot;
  robot.controller.follow({});
  for (int k = 0; k < 3; ++k) robot.expect(ActionKind::safe, ActionFault::no_reference);
}

}  // namespace
}  // namespace ulna::test
