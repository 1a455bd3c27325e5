#include "ulna/drive/first_contact.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/mpc/trial.hpp"

namespace ulna::drive {
namespace {

using Eigen::VectorXd;
using rig::Wiring;

struct Robot {
  Model model;
  VectorXd q0;
};

Robot panda() {
  return {load_robot("panda").model,
          (VectorXd(7) << 0.3, -0.6, 0.4, -1.9, 0.5, 1.7, 0.6).finished()};
}
Robot ur5e() {
  return {load_robot("ur5e").model, (VectorXd(6) << 0.3, -1.0, 1.2, -0.8, 0.7, 0.4).finished()};
}

/// Noise and friction as of a usual robot.
rig::TestRigOptions usual(std::uint64_t seed) {
  rig::TestRigOptions o;
  o.sensors.position.noise = 1e-5, o.sensors.velocity.noise = 1e-3, o.sensors.torque.noise = 0.1;
  o.sensors.seed = seed;
  return o;
}

ContactReport contact(const Robot& r, const Wiring& wrong, rig::TestRigOptions options = usual(1)) {
  rig::SimulatedRobot robot(r.model, options);
  robot.truth().change([&](Plant<double>& plant) {
    plant.friction = plant.friction_negative = 0.01 * rig::nominal_efforts(r.model);
    plant.damping = 0.005 * rig::nominal_efforts(r.model);
  });
  robot.start(r.q0);
  rig::WiredRig rig(robot, wrong);
  SimulatedClock clock(robot);
  const ContactReport report = first_contact(rig, {}, clock);
  EXPECT_TRUE(report.complete) << report.ended;
  EXPECT_TRUE(robot.holds());
  // it was moved a little
  EXPECT_LT((robot.truth().q() - r.q0).lpNorm<Eigen::Infinity>(), 0.25);
  return report;
}

std::string words(const ContactReport& r) {
  std::string text =
      "misfit " + std::to_string(r.misfit_before) + " -> " + std::to_string(r.misfit) + '\n';
  for (const JointContact& j : r.joints)
    text += "friction " + std::to_string(j.friction) + ", breakaway " +
            std::to_string(j.breakaway) + ", response " + std::to_string(j.response) + ", gain " +
            std::to_string(j.sensor_gain) + ", deficit " + std::to_string(j.sensor_deficit) + '\n';
  for (const ContactFinding& f : r.findings) text += f.name + ": " + f.text + '\n';
  return text;
}

/// Whether a wiring undoes another, with scales to 3 %.
void expect_undone(const Wiring& wrong, const Wiring& found, const ContactReport& report) {
  const Wiring right = wrong.inverse();
  EXPECT_EQ(found.reading, right.reading) << words(report);
  EXPECT_EQ(found.command, right.command) << words(report);
  EXPECT_TRUE(found.position.isApprox(right.position, 0.03))
      << words(report) << found.position.transpose();
  EXPECT_TRUE(found.velocity.isApprox(right.velocity, 0.03))
      << words(report) << found.velocity.transpose();
  EXPECT_TRUE(found.torque.isApprox(right.torque, 0.03))
      << words(report) << found.torque.transpose();
  EXPECT_TRUE(found.drive.isApprox(right.drive, 0.03)) << words(report) << found.drive.transpose();
}

TEST(FirstContact, finds_nothing_wrong_with_a_robot_that_is_as_its_model_says) {
  for (const Robot& r : {panda(), ur5e()}) {
    const ContactReport report = contact(r, Wiring(r.model.nv()));
    EXPECT_TRUE(report.findings.empty()) << r.model.name() << '\n' << words(report);
    EXPECT_TRUE(report.wiring.is_plain());
    EXPECT_LT(report.misfit, 0.7);
    EXPECT_LT(report.gravity_error, 1.0);
    EXPECT_LT(report.drift, 0.02);
    EXPECT_LT(report.delay, 1e-3);
    EXPECT_EQ(report.sensors, link::TorqueSensors::motor_side);
    EXPECT_NEAR(report.period, 1e-3, 1e-6);
    for (Eigen::Index i = 0; i < r.model.nv(); ++i) {
      const JointContact& joint = report.joints[std::size_t(i)];
      const double friction = 0.01 * r.model.effort_limit()(i);
      EXPECT_NEAR(joint.friction, friction, 0.35 * friction + 0.05) << i;
      EXPECT_NEAR(joint.response, 1.0, 0.15) << i;
      EXPECT_NEAR(joint.position_noise, 1e-5, 3e-6);
      EXPECT_NEAR(joint.velocity_noise, 1e-3, 3e-4);
    }
  }
}

TEST(FirstContact, finds_two_joints_exchanged) {
  for (const auto& [i, k] : {std::pair{1, 3}, {0, 5}})
    for (const int what : {0, 1, 2}) {
      const Robot r = panda();
      Wiring wrong(7);
      if (what != 2) std::swap(wrong.reading[std::size_t(i)], wrong.reading[std::size_t(k)]);
      if (what != 1) std::swap(wrong.command[std::size_t(i)], wrong.command[std::size_t(k)]);
      const ContactReport report = contact(r, wrong);
      EXPECT_TRUE(report.found("joints-exchanged")) << i << k << what << '\n' << words(report);
      expect_undone(wrong, report.wiring, report);
    }
}

TEST(FirstContact, finds_a_flipped_sign) {
  for (const int joint : {1, 5})
    for (const int what : {1, 2, 4, 8, 15}) {
      if (joint == 5 && what != 1 && what != 15) continue;
      const Robot r = panda();
      Wiring wrong(7);
      if (what & 1) wrong.position(joint) = -1.0;
      if (what & 2) wrong.velocity(joint) = -1.0;
      if (what & 4) wrong.torque(joint) = -1.0;
      if (what & 8) wrong.drive(joint) = -1.0;
      const ContactReport report = contact(r, wrong);
      EXPECT_TRUE(report.found("sign")) << joint << ' ' << what << '\n' << words(report);
      expect_undone(wrong, report.wiring, report);
    }
}

TEST(FirstContact, finds_degrees) {
  for (const Robot& r : {panda(), ur5e()}) {
    Wiring wrong(r.model.nv());
    wrong.position *= 180.0 / std::numbers::pi, wrong.velocity *= 180.0 / std::numbers::pi;
    const ContactReport report = contact(r, wrong);
    EXPECT_TRUE(report.found("degrees")) << words(report);
    expect_undone(wrong, report.wiring, report);
  }
}

TEST(FirstContact, finds_sensors_behind_the_gear) {
  for (const Robot& r : {panda(), ur5e()}) {
    rig::TestRigOptions options = usual(2);
    options.reality.link_side_torque = true;
    const ContactReport report = contact(r, Wiring(r.model.nv()), options);
    EXPECT_TRUE(report.found("torque-side")) << words(report);
    EXPECT_EQ(report.findings.size(), 1u) << words(report);
    EXPECT_EQ(report.sensors, link::TorqueSensors::link_side);
  }
}

TEST(FirstContact, finds_a_delay_of_3_ms) {
  for (const int of_sensors : {0, 1}) {
    rig::TestRigOptions options = usual(3);
    if (of_sensors) {
      for (SensorOptions* s :
           {&options.sensors.position, &options.sensors.velocity, &options.sensors.torque})
        s->delay = 3;
    } else {
      options.reality.action_delay = 3e-3;
    }
    const ContactReport report = contact(panda(), Wiring(7), options);
    EXPECT_TRUE(report.found("delay")) << words(report);
    EXPECT_EQ(report.findings.size(), 1u) << words(report);
    EXPECT_NEAR(report.delay, 3e-3, 1e-3);
  }
}

TEST(FirstContact, finds_a_wrong_gear_ratio) {
  for (const int joint : {1, 5})
    for (const double r : {0.5, 1.5}) {
      Wiring wrong(7);
      wrong.position(joint) = wrong.velocity(joint) = wrong.drive(joint) = r;
      wrong.torque(joint) = 1.0 / r;
      const ContactReport report = contact(panda(), wrong);
      EXPECT_TRUE(report.found("gear-ratio")) << joint << ' ' << r << '\n' << words(report);
      EXPECT_NEAR(report.wiring.position(joint), 1.0 / r, 0.06 / r) << words(report);
    }
}

/// A rig that watches what is done to the robot, and may spoil readings.
class WatchedRig final : public rig::Rig {
 public:
  explicit WatchedRig(rig::SimulatedRobot& robot) : robot_(robot) {}
  const Model& model() const noexcept override { return robot_.model(); }
  bool read(rig::Reading& reading) noexcept override {
    const bool any = robot_.read(reading);
    const double time = robot_.now();
    if (!robot_.holds()) fastest = std::max(fastest, robot_.truth().v().lpNorm<Eigen::Infinity>());
    if (time > nan_from) reading.q(1) = std::nan("");
    if (time > silent_from && !robot_.holds()) reading.fresh = false;
    if (time > far_from && !robot_.holds()) reading.q(2) += 1.0;
    return any;
  }
  bool write(const Eigen::Ref<const VectorXd>& tau) noexcept override {
    if (robot_.holds()) begun_ = robot_.now(), q0_ = robot_.truth().q();
    longest = std::max(longest, robot_.now() - begun_);
    farthest = std::max(farthest, (robot_.truth().q() - q0_).lpNorm<Eigen::Infinity>());
    hardest = std::max(
        hardest, (tau - base).cwiseAbs().cwiseQuotient(rig::nominal_efforts(model())).maxCoeff());
    return robot_.write(tau);
  }
  bool hold() noexcept override {
    if (!robot_.holds()) held_at_ = robot_.now();
    return robot_.hold();
  }
  bool holds() const noexcept override {
    return robot_.holds() && robot_.now() - held_at_ >= says_after;
  }
  double now() const noexcept override { return robot_.now(); }

  VectorXd base;
  double nan_from = 1e9, silent_from = 1e9, far_from = 1e9, says_after = 0.0;
  double longest = 0.0, fastest = 0.0, farthest = 0.0, hardest = 0.0;

 private:
  rig::SimulatedRobot& robot_;
  VectorXd q0_;
  double begun_ = 0.0, held_at_ = -1e9;
};

struct Watched {
  Robot r = panda();
  rig::SimulatedRobot robot{r.model, usual(5)};
  WatchedRig rig{robot};
  SimulatedClock clock{robot};

  explicit Watched(double friction = 0.01) {
    robot.truth().change([&](Plant<double>& plant) {
      plant.friction = plant.friction_negative = friction * rig::nominal_efforts(r.model);
    });
    robot.start(r.q0);
    rig.base = r.q0;
    Motion<double> at(r.model);
    Workspace<double> ws(r.model);
    at.set(r.q0);
    gravity_torque<double>(Plant<double>(r.model), at, ws, rig.base);
  }
};

TEST(FirstContact, keeps_to_its_limits) {
  // friction, as a share of the efforts: from a little to more than may be pushed against
  for (const double friction : {0.002, 0.01, 0.05, 0.2, 0.5}) {
    Watched w(friction);
    const ContactReport report = first_contact(w.rig, {}, w.clock);
    if (friction <= 0.01 || friction >= 0.5) {
      EXPECT_EQ(report.complete, friction <= 0.01) << friction << report.ended;
    }
    EXPECT_LT(w.rig.longest, 0.201) << friction;
    // the first reading beyond 0.5 rad/s ends a push, and a light joint may gain 150 rad/s² in a period
    EXPECT_LT(w.rig.fastest, 0.65) << friction;
    EXPECT_LT(w.rig.farthest, 0.07) << friction;
    EXPECT_LT(w.rig.hardest, 0.45) << friction;
    EXPECT_TRUE(w.robot.holds());
  }
}

TEST(FirstContact, keeps_to_its_limits_where_it_has_to_touch_joints_first) {
  for (const int joint : {1, 3, 5}) {
    Watched w;
    Wiring wrong(7);
    wrong.drive(joint) = -1.0;
    rig::WiredRig rig(w.rig, wrong);
    const ContactReport report = first_contact(rig, {}, w.clock);
    EXPECT_TRUE(report.found("sign")) << joint << words(report);
    // torques that hold it in the wrong direction are beyond 0.5 rad/s for a period at most
    EXPECT_LT(w.rig.fastest, 0.8) << joint;
    EXPECT_LT(w.rig.farthest, 0.07) << joint;
    EXPECT_TRUE(w.robot.holds());
  }
}

TEST(FirstContact, does_not_push_a_robot_that_is_late_to_hold_itself) {
  for (const double after : {0.02, 0.1, 1e9}) {
    Watched w;
    w.rig.says_after = after;
    const ContactReport report = first_contact(w.rig, {}, w.clock);
    EXPECT_EQ(report.complete, after < 0.03) << report.ended;
    if (report.complete) continue;
    EXPECT_NE(report.ended.find("does not say"), std::string::npos) << report.ended;
    EXPECT_LT(w.rig.hardest, 0.01);  // it was only held
    EXPECT_LT(w.rig.farthest, 1e-3);
  }
}

TEST(FirstContact, ends_where_readings_are_not_finite_or_missing_or_too_far) {
  for (const double from : {0.3, 1.0, 2.0}) {
    Watched nan;
    nan.rig.nan_from = from;
    const ContactReport report = first_contact(nan.rig, {}, nan.clock);
    EXPECT_FALSE(report.complete) << from;
    EXPECT_TRUE(nan.robot.holds());
    EXPECT_LT(nan.robot.now(), from + 0.5);
  }
  for (const bool far : {false, true}) {
    Watched w;
    (far ? w.rig.far_from : w.rig.silent_from) = 1.0;
    const ContactReport report = first_contact(w.rig, {}, w.clock);
    EXPECT_FALSE(report.complete);
    EXPECT_NE(report.ended.find("fewer than"), std::string::npos) << report.ended;
    EXPECT_LT(w.rig.longest, 0.021);
    EXPECT_TRUE(w.robot.holds());
  }
}

TEST(FirstContact, a_callback_that_throws_leaves_a_robot_that_holds_itself) {
  Watched w;
  int calls = 0;
  ContactOptions options;
  options.go_on = [&]() -> bool {
    if (++calls > 700 && !w.robot.holds()) throw std::runtime_error("no idea");
    return true;
  };
  EXPECT_THROW((void)first_contact(w.rig, options, w.clock), std::runtime_error);
  EXPECT_TRUE(w.robot.holds());
}

TEST(FirstContact, a_robot_that_cannot_hold_itself_is_not_pushed) {
  const Robot r = panda();
  rig::TestRig rig(r.model);
  rig.start(r.q0);
  SimulatedClock clock(rig);
  const ContactReport report = first_contact(rig, {}, clock);
  EXPECT_FALSE(report.complete);
  EXPECT_NE(report.ended.find("hold"), std::string::npos);
  EXPECT_EQ(rig.tau().norm(), 0.0);
}

}  // namespace
}  // namespace ulna::drive
