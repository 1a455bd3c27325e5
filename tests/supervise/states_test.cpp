#include "supervised.hpp"

/// What the supervisor does: states, reactions, faults and the way back.
namespace ulna::test {
namespace {

Vector home() {
  Vector q(7);
  q << 0.0, -0.4, 0.0, -1.8, 0.0, 1.8, 0.5;
  return q;
}

/// A Panda at rest or in motion.
struct Arm : Supervised {
  explicit Arm(const supervise::Options& options = {}, double speed = 0.0)
      : Supervised(load_robot("panda").model, options) {
    robot.set_state(home(), Vector::Constant(7, speed));
  }
  void run(double seconds, const Vector& place) {
    for (const double end = robot.time() + seconds - 1e-9; robot.time() < end;) step(toward(place));
  }
  /// Without readings.
  void run_blindly(double seconds) {
    const Vector nothing = Vector::Constant(7, std::nan(""));
    for (const double end = robot.time() + seconds - 1e-9; robot.time() < end;)
      step(robot.time(), nothing, nothing, nothing, toward(home()));
  }
  /// Somebody pushes the flange, N in the world.
  void push(const Vec3<double>& force) {
    const std::array wrenches{ExternalWrench<double>{
        &robot.model().frame("panda_link8"), {Vec3<double>::Zero(), force}, Axes::aligned}};
    robot.set_wrenches(wrenches);
  }
  double speed() const { return robot.v().cwiseAbs().maxCoeff(); }
};

TEST(SupervisorStates, every_state_cause_severity_and_reaction_has_a_name_of_its_own) {
  std::vector<std::string> names;
  for (int i = 0; i < supervise::cause_count; ++i)
    names.emplace_back(to_string(static_cast<Cause>(i)));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_STREQ(to_string(Cause::blind), "blind");
  EXPECT_STREQ(to_string(Cause::collision), "collision");
  EXPECT_STREQ(to_string(State::fault), "fault");
  EXPECT_STREQ(to_string(Reaction::retreat), "retreat");
  EXPECT_STREQ(to_string(severity(Cause::collision)), "latch");
  EXPECT_STREQ(to_string(severity(Cause::position_frozen)), "fault");
  EXPECT_STREQ(to_string(severity(Cause::speed_limit)), "note");
  EXPECT_STREQ(to_string(severity(Cause::position_jump)), "stop");
}

TEST(SupervisorStates, it_runs_from_the_first_plausible_reading_on) {
  Arm arm;
  EXPECT_EQ(arm.supervisor.state(), State::hold);
  EXPECT_TRUE(arm.supervisor.brake());
  const Vector wanted = arm.toward(home());
  EXPECT_EQ(arm.step(wanted), wanted);
  EXPECT_EQ(arm.supervisor.state(), State::run);
  EXPECT_FALSE(arm.supervisor.brake());
}

TEST(SupervisorStates, before_the_first_plausible_reading_it_sends_nothing_and_asks_for_brakes) {
  Arm arm;
  const Vector nothing = Vector::Constant(7, std::nan("")), wanted = arm.toward(home());
  for (int k = 0; k < 1000; ++k) {
    const Vector& tau =
        arm.supervisor.filter(0.001 * k, 0.001 * k, nothing, nothing, nothing, wanted);
    ASSERT_EQ(tau, Vector::Zero(7));
    ASSERT_TRUE(arm.supervisor.brake());
  }
  EXPECT_EQ(arm.supervisor.state(), State::hold);
  EXPECT_FALSE(arm.supervisor.known());
  // the brakes have held it
  for (int k = 1000; k < 1300; ++k)
    arm.supervisor.filter(0.001 * k, 0.001 * k, home(), Vector::Zero(7), wanted, wanted);
  EXPECT_EQ(arm.supervisor.state(), State::run) << arm.supervisor.report();
}

TEST(SupervisorStates, commands_that_are_no_torques_stop_the_robot_until_they_are) {
  Arm arm({}, 0.8);
  arm.step(arm.toward(home()));
  for (int k = 0; k < 600; ++k) arm.step(Vector::Constant(7, std::nan("")));
  EXPECT_EQ(arm.supervisor.state(), State::hold) << arm.supervisor.report();
  EXPECT_EQ(arm.supervisor.cause(), Cause::command_not_finite);
  EXPECT_LT(arm.speed(), 1e-2);
  arm.run(0.3, arm.robot.q());
  EXPECT_EQ(arm.supervisor.state(), State::run);
}

TEST(SupervisorStates, a_hold_on_request_brakes_holds_and_goes_on) {
  Arm arm({}, 0.8);
  arm.step(arm.toward(home()));
  arm.supervisor.request_hold(true);
  arm.step(arm.toward(home()));
  EXPECT_EQ(arm.supervisor.state(), State::stop);
  arm.run(0.6, home());
  EXPECT_EQ(arm.supervisor.state(), State::hold);
  const Vector place = arm.robot.q();
  arm.run(2.0, home());
  EXPECT_LT((arm.robot.q() - place).cwiseAbs().maxCoeff(), 5e-3);
  arm.supervisor.request_hold(false);
  arm.run(2.0, home());
  EXPECT_EQ(arm.supervisor.state(), State::run);
  EXPECT_LT((arm.robot.q() - home()).cwiseAbs().maxCoeff(), 1e-2);
}

TEST(SupervisorStates, a_robot_is_held_with_a_payload_that_nobody_knows) {
  Arm arm;
  add_payload(arm.robot.plant, 2.0, {0.0, 0.0, 0.1});
  arm.run(1.0, home());
  arm.supervisor.request_hold(true);
  arm.run(1.0, home());
  EXPECT_EQ(arm.supervisor.state(), State::hold) << arm.supervisor.report();
  const Vector place = arm.robot.q();
  arm.run(2.0, home());
  EXPECT_LT((arm.robot.q() - place).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_LT(arm.speed(), 1e-3);
}

TEST(SupervisorStates, without_readings_it_brakes_by_its_model_and_goes_on_when_they_come_back) {
  Arm arm({}, 0.5);
  arm.step(arm.toward(home()));
  const Vector before = arm.robot.q();
  arm.run_blindly(0.2);
  EXPECT_EQ(arm.supervisor.state(), State::stop);
  EXPECT_TRUE(arm.supervisor.brake());
  EXPECT_LT(arm.speed(), 0.02);
  EXPECT_LT((arm.robot.q() - before).cwiseAbs().maxCoeff(), 0.06);
  arm.run(0.5, home());
  EXPECT_EQ(arm.supervisor.state(), State::run) << arm.supervisor.report();
  EXPECT_FALSE(arm.supervisor.brake());
}

TEST(SupervisorStates, without_readings_for_long_it_releases_the_drives_and_needs_a_reset) {
  Arm arm;
  arm.run(0.1, home());
  arm.run_blindly(0.9);
  EXPECT_EQ(arm.supervisor.state(), State::fault);
  EXPECT_EQ(arm.supervisor.cause(), Cause::blind);
  EXPECT_TRUE(arm.supervisor.brake());
  EXPECT_EQ(arm.tau_sent, Vector::Zero(7));
  EXPECT_EQ(arm.supervisor.reset(), Cause::reading_not_finite) << "its cause lasts";
  EXPECT_NE(std::string(arm.supervisor.report()).find("reset() is needed"), std::string::npos)
      << arm.supervisor.report();
  // the brakes hold it meanwhile
  arm.robot.set_state(arm.robot.q(), Vector::Zero(7), arm.robot.time());
  arm.run(1.0, home());
  EXPECT_EQ(arm.supervisor.state(), State::fault) << "it goes on by itself";
  EXPECT_LT(arm.speed(), 0.1);
  EXPECT_EQ(arm.supervisor.reset(), Cause::none);
  EXPECT_EQ(arm.supervisor.state(), State::hold);
  arm.run(0.3, home());
  EXPECT_EQ(arm.supervisor.state(), State::run) << arm.supervisor.report();
}

TEST(SupervisorStates, no_reset_is_accepted_while_readings_do_not_come) {
  Arm arm;
  arm.run(0.1, home());
  const Vector q = arm.robot.q(), v = arm.robot.v();
  for (int k = 0; k < 1000; ++k) arm.step(0.099, q, v, arm.robot.tau(), arm.toward(home()));
  EXPECT_EQ(arm.supervisor.state(), State::fault);
  EXPECT_EQ(arm.supervisor.reset(), Cause::reading_stale);
  EXPECT_EQ(arm.supervisor.state(), State::fault);
}

TEST(SupervisorStates, a_position_that_has_jumped_for_good_is_taken_by_reset) {
  Arm arm;
  arm.run(0.1, home());
  const Vector slip = Vector::Unit(7, 3) * 0.3;
  const auto run = [&](double seconds) {
    for (int k = 0; k < 1000 * seconds; ++k)
      arm.step(arm.robot.q() + slip, arm.robot.v(), arm.robot.tau(), arm.toward(home()));
  };
  run(0.3);
  EXPECT_EQ(arm.supervisor.cause(), Cause::position_jump);
  run(0.5);
  EXPECT_EQ(arm.supervisor.state(), State::fault) << arm.supervisor.report();
  EXPECT_EQ(arm.supervisor.reset(), Cause::none);
  run(0.5);
  EXPECT_TRUE(arm.supervisor.known());
}

TEST(SupervisorStates, what_is_pushed_hard_is_a_collision_and_what_is_pushed_softly_is_not) {
  Arm arm;
  arm.run(0.2, home());
  arm.push({0.0, 0.0, -20.0});
  arm.run(0.5, home());
  EXPECT_EQ(arm.supervisor.state(), State::run) << arm.supervisor.report();
  arm.push({0.0, 0.0, -90.0});
  const double begin = arm.robot.time();
  for (int k = 0; k < 100 && arm.supervisor.state() == State::run; ++k)
    arm.step(arm.toward(home()));
  EXPECT_EQ(arm.supervisor.cause(), Cause::collision) << arm.supervisor.report();
  EXPECT_LT(arm.robot.time() - begin, 0.05);
  const Vector excess =
      arm.supervisor.external_torque().cwiseAbs() - arm.supervisor.collision_torque();
  EXPECT_GT(excess.maxCoeff(), 0.0);
  arm.run(0.3, home());
  EXPECT_EQ(arm.supervisor.reset(), Cause::collision) << "it lasts";
  arm.push(Vec3<double>::Zero());
  arm.run(0.5, home());
  EXPECT_EQ(arm.supervisor.state(), State::hold) << arm.supervisor.report();
  EXPECT_EQ(arm.supervisor.reset(), Cause::none);
  arm.run(0.3, home());
  EXPECT_EQ(arm.supervisor.state(), State::run) << arm.supervisor.report();
}

/// How far the flange has gone 0.4 s after it was pushed with 70 N for 0.1 s.
double pushed_down(Reaction reaction) {
  Arm arm({.reaction = reaction});
  Kinematics<double> at(arm.robot.model());
  const Frame& flange = arm.robot.model().frame("panda_link8");
  const auto height = [&] {
    at.set(arm.robot.q());
    return at.pose(flange).translation().z();
  };
  arm.run(0.2, home());
  const double before = height();
  arm.push({0.0, 0.0, -70.0});
  arm.run(0.1, home());
  EXPECT_GT(arm.supervisor.count(Cause::collision), 0);
  arm.push(Vec3<double>::Zero());
  arm.run(0.3, home());
  EXPECT_EQ(arm.supervisor.state() == State::run, reaction == Reaction::report);
  return before - height();
}

TEST(SupervisorStates, reactions_to_a_collision_differ_in_how_far_the_robot_yields) {
  const double report = pushed_down(Reaction::report), stop = pushed_down(Reaction::stop);
  const double comply = pushed_down(Reaction::compliant), retreat = pushed_down(Reaction::retreat);
  EXPECT_LT(report, 0.05);
  EXPECT_LT(stop, 0.05);
  EXPECT_GT(comply, stop + 0.005);
  EXPECT_GT(retreat, stop + 0.005);
}

TEST(SupervisorStates, a_robot_that_was_held_fast_is_not_fast_when_it_is_set_free) {
  Arm arm;
  arm.run(0.1, home());
  Vector away = home();
  away.array() += 0.5;
  double integral = 0.0;
  // all joints are held while the controller pushes harder and harder
  for (int k = 0; k < 1000; ++k) {
    integral += 0.02;
    arm.robot.set_state(home(), Vector::Zero(7), arm.robot.time());
    const Vector wanted = arm.toward(away) + integral * arm.limits().torque;
    arm.tau_sent = arm.supervisor.filter(arm.robot.time(), arm.robot.time(), home(),
                                         Vector::Zero(7), arm.tau_sent, wanted);
    arm.robot.set_state(home(), Vector::Zero(7), arm.robot.time() + 0.001);
  }
  EXPECT_EQ(arm.supervisor.cause(), Cause::collision) << arm.supervisor.report();
  const Vector net = (arm.tau_sent - arm.weight()).cwiseAbs();
  EXPECT_TRUE(((net - arm.supervisor.collision_torque()).array() <= 0.0).all()) << net.transpose();
  double fastest = 0.0;
  for (int k = 0; k < 500; ++k) {
    arm.step(arm.toward(home()));
    fastest =
        std::max(fastest, arm.robot.v().cwiseQuotient(arm.limits().speed).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(fastest, 1.0);
}

TEST(SupervisorStates, a_plant_that_is_none_is_replaced_by_the_model) {
  Arm arm;
  arm.run(0.1, home());
  arm.known.damping.setConstant(std::nan(""));
  const Vector& tau = arm.supervisor.filter(arm.known, 0.1, 0.1, arm.robot.q(), arm.robot.v(),
                                            arm.robot.tau(), arm.tau_sent);
  EXPECT_TRUE(tau.allFinite());
  EXPECT_EQ(arm.supervisor.state(), State::run);
  EXPECT_TRUE(arm.supervisor.active(Cause::plant_not_physical));
  const Plant<double> other(load_robot("ur5e").model);
  EXPECT_TRUE(
      arm.supervisor
          .filter(other, 0.101, 0.101, arm.robot.q(), arm.robot.v(), arm.robot.tau(), arm.tau_sent)
          .allFinite());
}

TEST(SupervisorStates, events_have_begin_and_end_and_the_ring_keeps_the_last) {
  supervise::EventLog log;
  for (int k = 0; k < 1000; ++k)
    log.add({static_cast<double>(k), Cause::collision, false, 0, 0, 0});
  EXPECT_EQ(log.total(), 1000);
  EXPECT_EQ(log.size(), supervise::EventLog::capacity);
  EXPECT_EQ(log.last().time, 999.0);
  EXPECT_EQ(log[0].time, 1000.0 - supervise::EventLog::capacity);

  Arm arm;
  arm.run(0.1, home());
  arm.run_blindly(0.01);
  arm.run(0.5, home());
  const auto& events = arm.supervisor.events();
  ASSERT_EQ(events.total(), 2);
  EXPECT_EQ(events[0].cause, Cause::reading_not_finite);
  EXPECT_FALSE(events[0].ended);
  EXPECT_EQ(events[0].joint, 0);
  EXPECT_TRUE(events[1].ended);
  EXPECT_NEAR(events[1].time - events[0].time, 0.11, 0.002);
  EXPECT_EQ(arm.supervisor.state(), State::run);
}

TEST(SupervisorStates, a_report_is_one_line_with_cause_and_joint) {
  Arm arm;
  arm.run(0.2, home());
  EXPECT_EQ(arm.supervisor.report(), "0.1990 s: run");
  arm.push({0.0, 0.0, -150.0});
  arm.run(0.1, home());
  const std::string report(arm.supervisor.report());
  EXPECT_NE(report.find("collision at joint 'panda_joint"), std::string::npos) << report;
  EXPECT_EQ(report.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
