#include "supervised.hpp"

/// What is noticed about sensors: by name, and within a tenth of a second.
namespace ulna::test {
namespace {

using supervise::TorqueSide;

/// A Panda that waves about, with sensors that a test spoils from `fault_at` on.
class Waving {
 public:
  static constexpr double fault_at = 1.0;

  explicit Waving(const supervise::Options& options = {})
      : s(load_robot("panda").model, options), q0_(7), random_(11) {
    q0_ << 0.0, -0.4, 0.0, -1.8, 0.0, 1.8, 0.5;
    s.robot.set_state(q0_, Vector::Zero(7));
    noise = 0.0;
  }

  Supervised s;
  double noise;        ///< rad/s and 100 Nm
  double size = 0.25;  ///< rad
  double shake = 0.0;  ///< rad, at 20 rad/s

  /// Runs with what `spoil(time, reading_time, q, v, tau)` makes of the readings. Until when `seconds` are over.
  template <class Spoil>
  void run(double seconds, Spoil spoil) {
    const double end = s.robot.time() + seconds - 1e-9;
    while (s.robot.time() < end) {
      const double t = s.robot.time();
      Vector place(7);
      for (int i = 0; i < 7; ++i)
        place(i) =
            q0_(i) + size * (std::sin(3.0 * t + i) - std::sin(i)) + shake * std::sin(20.0 * t);
      Vector q = s.robot.q(), v = s.robot.v(), tau = acting();
      for (int i = 0; i < 7; ++i) {
        q(i) += 1e-2 * noise * random_.real();
        v(i) += noise * random_.real();
        tau(i) += 1e2 * noise * random_.real();
      }
      double reading_time = t;
      const Vector wanted = s.toward(place, 3.0);
      if (t >= fault_at - 1e-9) spoil(t, reading_time, q, v, tau);
      s.step(reading_time, q, v, tau, wanted);
    }
  }
  void run(double seconds) {
    run(seconds, [](double, double&, Vector&, Vector&, Vector&) {});
  }
  /// What the sensors are to read of torques.
  virtual Vector acting() { return s.robot.tau(); }
  virtual ~Waving() = default;

  /// When a cause was first noticed, from the fault on; infinite if never.
  double noticed_after(Cause cause) const {
    const auto& log = s.supervisor.events();
    for (int i = 0; i < log.size(); ++i)
      if (log[i].cause == cause && !log[i].ended && log[i].time >= fault_at)
        return log[i].time - fault_at;
    return infinity;
  }

 private:
  Vector q0_;
  Random random_;
};

template <class Spoil>
void expect_noticed(Cause cause, State state, Spoil spoil, const supervise::Options& options = {}) {
  for (const double noise : {0.0, 1e-3}) {
    SCOPED_TRACE(to_string(cause) + std::string(noise > 0.0 ? ", with noise" : ""));
    Waving robot(options);
    robot.noise = noise;
    robot.run(Waving::fault_at);
    EXPECT_EQ(robot.s.supervisor.events().total(), 0) << robot.s.supervisor.report();
    robot.run(0.15, spoil);
    EXPECT_LE(robot.noticed_after(cause), 0.1) << robot.s.supervisor.report();
    EXPECT_EQ(robot.s.supervisor.state(), state) << robot.s.supervisor.report();
  }
}

TEST(SupervisorSensors, healthy_ones_raise_nothing) {
  for (const double noise : {0.0, 1e-4, 1e-3, 5e-3}) {
    Waving robot;
    robot.noise = noise;
    robot.run(5.0);
    EXPECT_EQ(robot.s.supervisor.state(), State::run) << noise;
    EXPECT_EQ(robot.s.supervisor.events().total(), 0)
        << noise << ": " << to_string(robot.s.supervisor.events()[0].cause);
  }
}

TEST(SupervisorSensors, readings_that_are_not_finite_are_named) {
  expect_noticed(Cause::reading_not_finite, State::stop,
                 [](double, double&, Vector& q, Vector&, Vector&) { q(3) = std::nan(""); });
  expect_noticed(Cause::reading_not_finite, State::stop,
                 [](double, double&, Vector&, Vector& v, Vector&) { v(2) = -infinity; });
}

TEST(SupervisorSensors, readings_that_do_not_come_are_named) {
  expect_noticed(Cause::reading_stale, State::stop,
                 [](double, double& at, auto&, auto&, auto&) { at = Waving::fault_at - 0.001; });
}

TEST(SupervisorSensors, readings_that_come_late_are_named) {
  expect_noticed(Cause::reading_late, State::stop, [](double now, double& at, auto&, auto&, auto&) {
    at = std::max(now - 0.04, Waving::fault_at);
  });
}

TEST(SupervisorSensors, readings_of_five_milliseconds_ago_are_no_fault) {
  Waving robot;
  robot.run(Waving::fault_at);
  std::vector<std::array<Vector, 3>> late;
  robot.run(2.0, [&](double now, double& at, Vector& q, Vector& v, Vector& tau) {
    late.push_back({q, v, tau});
    if (late.size() < 6) return;
    const auto& then = late[late.size() - 6];
    q = then[0], v = then[1], tau = then[2], at = now - 0.005;
  });
  EXPECT_EQ(robot.s.supervisor.state(), State::run) << robot.s.supervisor.report();
}

TEST(SupervisorSensors, clocks_that_run_backwards_are_named) {
  expect_noticed(Cause::reading_clock, State::stop,
                 [](double now, double& at, auto&, auto&, auto&) {
                   at = 2.0 * Waving::fault_at - now - 0.01;
                 });
}

TEST(SupervisorSensors, a_state_that_repeats_while_the_robot_moves_is_named) {
  Vector held_q, held_v, held_tau;
  expect_noticed(Cause::state_frozen, State::stop,
                 [&](double now, double&, Vector& q, Vector& v, Vector& tau) {
                   if (now < Waving::fault_at + 1e-9) held_q = q, held_v = v, held_tau = tau;
                   q = held_q, v = held_v, tau = held_tau;
                 });
}

TEST(SupervisorSensors, one_position_that_freezes_is_named) {
  double held = 0.0;
  expect_noticed(Cause::position_frozen, State::fault,
                 [&](double now, double&, Vector& q, Vector&, Vector&) {
                   if (now < Waving::fault_at + 1e-9) held = q(3);
                   q(3) = held;
                 });
}

TEST(SupervisorSensors, one_velocity_that_freezes_or_lies_is_named) {
  double held = 0.0;
  expect_noticed(Cause::velocity_frozen, State::fault,
                 [&](double now, double&, Vector&, Vector& v, Vector&) {
                   if (now < Waving::fault_at + 1e-9) held = 0.0 * v(3);
                   v(3) = held;
                 });
  expect_noticed(Cause::velocity_inconsistent, State::fault,
                 [&](double, double&, Vector&, Vector& v, Vector&) { v(3) = -v(3); });
}

TEST(SupervisorSensors, a_position_that_jumps_is_named) {
  expect_noticed(Cause::position_jump, State::stop,
                 [](double, double&, Vector& q, Vector&, Vector&) { q(4) += 0.05; });
}

TEST(SupervisorSensors, single_bad_readings_are_bridged) {
  Waving robot;
  robot.run(Waving::fault_at);
  int count = 0;
  robot.run(2.0, [&](double, double&, Vector& q, Vector& v, Vector& tau) {
    switch (++count % 50) {
      case 1:
        q(1) = std::nan("");
        break;
      case 11:
        q(2) += 0.5;
        break;
      case 21:
        v(3) = infinity;
        break;
      case 31:
        q.resize(3);
        break;
      case 41:
        tau(0) = std::nan("");
        break;
      default:
        break;
    }
  });
  EXPECT_EQ(robot.s.supervisor.state(), State::run) << robot.s.supervisor.report();
  EXPECT_GT(robot.s.supervisor.count(Cause::position_jump), 0);
  EXPECT_GT(robot.s.supervisor.count(Cause::reading_not_finite), 0);
  EXPECT_GT(robot.s.supervisor.count(Cause::reading_size), 0);
}

// --- torque sensors: the robot goes on by commanded torques ---

template <class Spoil>
void expect_torque_fault(Cause cause, Spoil spoil, const supervise::Options& options = {}) {
  for (const double noise : {0.0, 1e-3}) {
    SCOPED_TRACE(to_string(cause) + std::string(noise > 0.0 ? ", with noise" : ""));
    Waving robot(options);
    robot.noise = noise;
    robot.run(Waving::fault_at);
    EXPECT_EQ(robot.s.supervisor.events().total(), 0);
    EXPECT_TRUE(robot.s.supervisor.uses_torque_sensor(1));
    robot.run(1.0, spoil);
    EXPECT_LE(robot.noticed_after(cause), 0.1);
    EXPECT_FALSE(robot.s.supervisor.uses_torque_sensor(1));
    EXPECT_EQ(robot.s.supervisor.state(), State::run) << robot.s.supervisor.report();
    EXPECT_EQ(robot.s.supervisor.count(Cause::collision), 0);
    const double fault_over = robot.s.robot.time();
    robot.run(1.0 - 1e-6, [](double, double&, Vector&, Vector&, Vector&) {});
    EXPECT_TRUE(robot.s.supervisor.uses_torque_sensor(1)) << "since " << fault_over;
  }
}

TEST(SupervisorSensors, torque_sensors_that_are_dead_are_named) {
  expect_torque_fault(Cause::torque_dead,
                      [](double, double&, Vector&, Vector&, Vector& tau) { tau.setZero(); });
}

TEST(SupervisorSensors, torque_sensors_that_freeze_are_named) {
  Vector held;
  expect_torque_fault(Cause::torque_frozen,
                      [&](double now, double&, Vector&, Vector&, Vector& tau) {
                        if (now < Waving::fault_at + 1e-9) held = 0.3 * tau;
                        tau = held;
                      });
}

TEST(SupervisorSensors, torque_sensors_of_the_wrong_sign_are_named) {
  expect_torque_fault(Cause::torque_sign,
                      [](double, double&, Vector&, Vector&, Vector& tau) { tau = -tau; });
}

TEST(SupervisorSensors,
     torque_sensors_that_repeat_themselves_are_named_though_torques_hardly_change) {
  for (const bool dead : {false, true}) {
    SCOPED_TRACE(dead ? "dead" : "frozen");
    Waving robot;
    robot.noise = 1e-4, robot.size = 0.02;
    robot.run(Waving::fault_at);
    Vector held;
    robot.run(0.15, [&](double now, double&, Vector&, Vector&, Vector& tau) {
      if (now < Waving::fault_at + 1e-9) held = dead ? Vector(Vector::Zero(7)) : Vector(tau);
      tau = held;
    });
    EXPECT_LE(robot.noticed_after(dead ? Cause::torque_dead : Cause::torque_frozen), 0.1);
    EXPECT_EQ(robot.s.supervisor.state(), State::run) << robot.s.supervisor.report();
  }
}

/// Torques that a slow filter or bus delivers long after they acted, of a robot that shakes.
TEST(SupervisorSensors, torque_sensors_that_are_late_are_named) {
  for (const int late : {20, 40}) {
    SCOPED_TRACE(late);
    Waving robot;
    robot.noise = 1e-4, robot.shake = 0.02;
    robot.run(Waving::fault_at);
    EXPECT_EQ(robot.s.supervisor.events().total(), 0) << robot.s.supervisor.report();
    std::vector<Vector> past;
    robot.run(1.0, [&](double, double&, Vector&, Vector&, Vector& tau) {
      past.push_back(tau);
      tau = past[past.size() - std::min<std::size_t>(past.size(), std::size_t(late) + 1)];
    });
    if (late == 20) {
      EXPECT_EQ(robot.s.supervisor.count(Cause::torque_late), 0) << "is what drives may need";
    } else {
      EXPECT_LE(robot.noticed_after(Cause::torque_late), 0.3);
      EXPECT_EQ(robot.s.supervisor.count(Cause::torque_sign), 0);
    }
    EXPECT_EQ(robot.s.supervisor.state(), State::run) << robot.s.supervisor.report();
  }
}

TEST(SupervisorSensors, torque_sensors_that_read_nonsense_are_named) {
  expect_torque_fault(Cause::torque_implausible,
                      [](double now, double&, auto&, auto&, Vector& tau) {
                        tau(1) += 60.0 * std::sin(40.0 * now) + 30.0;
                      });
  expect_torque_fault(Cause::torque_not_finite,
                      [](double, double&, auto&, auto&, Vector& tau) { tau(1) = std::nan(""); });
}

TEST(SupervisorSensors, offsets_gains_and_lags_of_healthy_torque_sensors_pass) {
  for (const int kind : {0, 1, 2}) {
    Waving robot;
    robot.noise = 1e-3;
    robot.run(Waving::fault_at);
    Vector lagged;
    robot.run(3.0, [&](double, double&, Vector&, Vector&, Vector& tau) {
      if (kind == 0) tau += 0.05 * robot.s.limits().torque;
      if (kind == 1) tau *= 0.8;
      if (lagged.size() == 0) lagged = tau;
      lagged += 0.05 * (tau - lagged);  // 20 ms
      if (kind == 2) tau = lagged;
    });
    EXPECT_EQ(robot.s.supervisor.state(), State::run) << kind << robot.s.supervisor.report();
    for (int i = 0; i < 7; ++i)
      EXPECT_TRUE(robot.s.supervisor.uses_torque_sensor(i)) << "kind " << kind << ", joint " << i;
  }
}

/// Behind a gear with friction that the model does not know.
class BehindGears : public Waving {
 public:
  explicit BehindGears(double friction)
      : Waving({.torque_side = TorqueSide::link}), friction_(friction) {
    s.robot.plant.friction = s.robot.plant.friction_negative = friction * s.limits().torque;
  }
  Vector acting() override {
    Vector tau = s.robot.tau();
    for (int i = 0; i < 7; ++i) {
      const double v = s.robot.v()(i), level = friction_ * s.limits().torque(i);
      tau(i) -= std::abs(v) < 1e-3 ? std::clamp(tau(i) - s.weight()(i), -level, level)
                                   : std::copysign(level, v);
    }
    return tau;
  }

 private:
  double friction_;
};

TEST(SupervisorSensors, friction_before_the_sensor_is_no_fault) {
  for (const double friction : {0.02, 0.05, 0.1}) {
    BehindGears robot(friction);
    robot.noise = 1e-4;
    robot.run(4.0);
    for (int i = 0; i < 7; ++i)
      EXPECT_TRUE(robot.s.supervisor.uses_torque_sensor(i)) << friction << ", joint " << i;
    EXPECT_EQ(robot.s.supervisor.state(), State::run) << friction << robot.s.supervisor.report();
  }
}

}  // namespace
}  // namespace ulna::test
