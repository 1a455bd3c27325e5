#include <gtest/gtest.h>

// The listings of docs/robots.md, as tests/robots/extract.py takes them from the page.
#include "fri.cpp"
#include "kortex.cpp"
#include "libfranka.cpp"
#include "ros2_control.cpp"
#include "unitree.cpp"
#include "ur.cpp"

// Each drives a simulated robot to a goal through stand-ins of the vendors' interfaces, with their units, signs and
// compensations: a wrong one is far off or falls.
namespace {

struct Driven {
  Driven(const char* name, double rate_hz, ulna_torque_side side, double rate = 1000.0)
      : truth(name), goal(truth.q), torque_rate(truth.q.size(), rate) {
    EXPECT_EQ(arm_open(&driven, name, rate_hz, torque_rate.data(), side), ULNA_OK)
        << ulna_last_error();
    for (double& x : goal) x += &x - goal.data() == 3 ? -0.15 : 0.15;
    driven.goal = goal.data();
  }
  ~Driven() { arm_close(&driven); }

  void expect_there() {
    ASSERT_GT(truth.time, 1.0);
    for (std::size_t i = 0; i < goal.size(); ++i)
      EXPECT_NEAR(truth.q[i], goal[i], 0.01) << "joint " << i;
    ulna_supervisor_state state;
    ASSERT_EQ(ulna_supervisor_get_state(driven.supervisor, &state, sizeof state), ULNA_OK);
    EXPECT_EQ(state.state, ULNA_RUN) << ulna_supervisor_report(driven.supervisor);
    EXPECT_EQ(driven.goal, nullptr);
    // a controller corrects much: of a robot that is as described there is nothing to correct, if units and gravity are right
    std::vector<double> unexplained(goal.size());
    ASSERT_EQ(ulna_controller_disturbance(driven.controller, truth.n, unexplained.data()), ULNA_OK);
    for (const double x : unexplained) EXPECT_LT(std::fabs(x), 0.5);
    // and sensors that agree with what is sent
    for (std::int64_t k = 0; k < state.events; ++k) {
      ulna_event event;
      if (ulna_supervisor_event(driven.supervisor, k, &event) != ULNA_OK) continue;
      const std::string cause = event.cause;
      EXPECT_FALSE(cause.starts_with("torque") && cause.find("limit") == std::string::npos)
          << cause << " at " << event.time;
    }
  }

  SimulatedArm truth;
  std::vector<double> goal, torque_rate;
  arm driven;
};

constexpr double seconds = 1.6;

TEST(Listings, libfranka) {
  Driven panda("panda", 1000.0, ULNA_TORQUE_OF_LINK);
  franka::Robot robot(panda.truth);
  EXPECT_EQ(drive(robot, &panda.driven, seconds), 0) << ulna_last_error();
  panda.expect_there();
  EXPECT_LT(panda.truth.fastest_change, 1100.0);  // gravity changes meanwhile, too
}

TEST(Listings, universal_robots) {
  Driven ur("ur5e", 500.0, ULNA_TORQUE_OF_MOTOR, 2000.0);
  urcl::UrDriver robot(ur.truth);
  EXPECT_EQ(drive(robot, &ur.driven, seconds), 0) << ulna_last_error();
  ur.expect_there();
  // a quantity that is not sent ends it
  robot.recipe.pop_back();
  EXPECT_EQ(drive(robot, &ur.driven, seconds), ULNA_ERROR_ORDER);
}

TEST(Listings, ros2_control) {
  UlnaController controller;
  Driven panda("panda", 500.0, ULNA_TORQUE_OF_MOTOR);
  controller.robot = panda.driven;
  std::vector<double> tau(7);
  const auto states = controller.state_interface_configuration().names;
  ASSERT_EQ(states.size(), 21u);
  EXPECT_EQ(states[4], "panda_joint2/velocity");
  EXPECT_EQ(controller.command_interface_configuration().names[6], "panda_joint7/effort");
  for (std::size_t i = 0; i < 7; ++i) {
    for (auto* x : {&panda.truth.q[i], &panda.truth.v[i], &panda.truth.tau[i]})
      controller.state_interfaces_.push_back({x});
    controller.command_interfaces_.push_back({&tau[i]});
  }
  while (panda.truth.time < seconds) {
    ASSERT_EQ(controller.update({panda.truth.time}, {}), controller_interface::return_type::OK)
        << ulna_last_error();
    panda.truth.move(tau.data(), 0.002, false);
  }
  panda.driven.goal = controller.robot.goal;
  panda.expect_there();
  // an interface that another thread has for a moment is a sensor that fails for a moment; torques that cannot be set are an error
  controller.state_interfaces_[1].busy = true;
  EXPECT_EQ(controller.update({panda.truth.time}, {}), controller_interface::return_type::OK);
  controller.command_interfaces_[1].busy = true;
  EXPECT_EQ(controller.update({panda.truth.time + 0.002}, {}),
            controller_interface::return_type::ERROR);
}

TEST(Listings, kuka_fri) {
  Driven iiwa("iiwa14", 500.0, ULNA_TORQUE_OF_LINK);
  Client client(&iiwa.driven);
  client.state.arm = &iiwa.truth;
  client.waitForCommand();
  ASSERT_TRUE(client.answer.has_position && client.answer.has_torque);
  client.answer = {};
  while (iiwa.truth.time < seconds) {
    client.command();
    ASSERT_EQ(client.status, 0) << ulna_last_error();
    ASSERT_TRUE(client.answer.has_position && client.answer.has_torque);
    iiwa.truth.move(client.answer.torques, client.state.period, true);
  }
  iiwa.expect_there();
}

TEST(Listings, kinova_kortex) {
  Driven stand_in("panda", 500.0, ULNA_TORQUE_OF_LINK);
  Kinova::Api::BaseCyclic::BaseCyclicClient robot(stand_in.truth, 0.002);
  EXPECT_EQ(drive(robot, &stand_in.driven, 0.002, seconds), 0) << ulna_last_error();
  EXPECT_EQ(robot.wrong_ids, 0);
  stand_in.expect_there();
}

TEST(Listings, unitree) {
  Driven stand_in("panda", 500.0, ULNA_TORQUE_OF_MOTOR);
  unitree_go::msg::dds_::LowState_ state;
  unitree_go::msg::dds_::LowCmd_ command;
  std::vector<double> tau(7);
  const int motor[] = {3, 4, 5, 0, 1, 2, 9};
  while (stand_in.truth.time < seconds) {
    for (std::size_t i = 0; i < 7; ++i)
      state.motors[std::size_t(motor[i])] = {float(stand_in.truth.q[i]), float(stand_in.truth.v[i]),
                                             float(stand_in.truth.tau[i])};
    ASSERT_EQ(step(state, command, &stand_in.driven, motor, stand_in.truth.time), 0)
        << ulna_last_error();
    for (std::size_t i = 0; i < 7; ++i) {
      auto& m = command.motors[std::size_t(motor[i])];
      ASSERT_EQ(m.mode_, 1);
      tau[i] = double(m.tau_) + double(m.kp_) * (double(m.q_) - stand_in.truth.q[i]) +
               double(m.kd_) * (double(m.dq_) - stand_in.truth.v[i]);
    }
    stand_in.truth.move(tau.data(), 0.002, false);
  }
  stand_in.expect_there();
}

TEST(Listings, end_control_where_the_supervisor_wants_the_brakes) {
  Driven panda("panda", 500.0, ULNA_TORQUE_OF_MOTOR);
  unitree_go::msg::dds_::LowState_ state;
  unitree_go::msg::dds_::LowCmd_ command;
  const int motor[] = {0, 1, 2, 3, 4, 5, 6};
  int status = 0, steps = 0;
  for (; steps < 2000 && status == 0; ++steps) {
    for (std::size_t i = 0; i < 7; ++i)
      state.motors[i] = {steps < 100 ? float(panda.truth.q[i]) : NAN, 0.0F, 0.0F};
    status = step(state, command, &panda.driven, motor, 0.002 * steps);
  }
  EXPECT_EQ(status, ARM_BRAKE);
  EXPECT_GT(steps, 100);
}

TEST(Listings, end_control_of_another_robot_than_theirs) {
  Driven ur("ur5e", 500.0, ULNA_TORQUE_OF_MOTOR), panda("panda", 500.0, ULNA_TORQUE_OF_MOTOR);
  franka::Robot franka(panda.truth);
  EXPECT_EQ(drive(franka, &ur.driven, seconds), ULNA_ERROR_ARGUMENT);
  urcl::UrDriver universal(ur.truth);
  EXPECT_EQ(drive(universal, &panda.driven, seconds), ULNA_ERROR_ARGUMENT);
  Kinova::Api::BaseCyclic::BaseCyclicClient kinova(panda.truth, 0.002);
  EXPECT_EQ(drive(kinova, &ur.driven, 0.002, seconds), ULNA_ERROR_ARGUMENT);
  Client kuka(&ur.driven);
  kuka.state.arm = &panda.truth;
  kuka.command();
  EXPECT_EQ(kuka.status, ULNA_ERROR_ARGUMENT);
  EXPECT_FALSE(kuka.answer.has_torque);
  arm chain;
  EXPECT_EQ(arm_open(&chain, "chain:33", 500.0, nullptr, ULNA_TORQUE_OF_LINK), ULNA_ERROR_ARGUMENT);
  arm_close(&chain);
}

}  // namespace
