#include "ulna/supervise/limits.hpp"

#include "supervised.hpp"
#include "support/told.hpp"
#include "ulna/model/edit.hpp"

namespace ulna::test {
namespace {

/// A link that turns or slides, with a counterweight so that gravity does not matter.
Description one_joint(JointType type) {
  Description d;
  d.name = "one";
  d.gravity.setZero();
  d.links = {{"base", {}, {}, {}, 0},
             {"link", Inertial(2.0, {0.0, 0.0, 0.3}, 0.01 * Mat3<double>::Identity()), {}, {}, 0}};
  JointDescription j;
  j.name = "j", j.type = type, j.parent = "base", j.child = "link";
  d.joints = {j};
  return d;
}

/// Pushes as hard as it can for a while; where and how fast the joint gets.
struct Pushed {
  double furthest = 0.0, fastest = 0.0;
};
Pushed push(Supervised& s, double torque, int samples) {
  Pushed result;
  for (int k = 0; k < samples; ++k) {
    s.step(Vector::Constant(s.nv(), torque));
    result.furthest = std::max(result.furthest, s.robot.q()(0));
    result.fastest = std::max(result.fastest, std::abs(s.robot.v()(0)));
  }
  return result;
}

TEST(SupervisorLimits, what_is_within_all_limits_passes_bit_for_bit) {
  for (const char* name : {"panda", "ur5e", "iiwa14", "scara"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    Supervised s(model);
    Vector q0 = neutral(model);
    for (int i = 0; i < q0.size(); ++i)
      if (std::isfinite(s.limits().upper(i)))
        q0(i) = 0.5 * (s.limits().upper(i) + s.limits().lower(i));
    s.robot.set_state(q0, Vector::Zero(model.nv()));
    const Vector size = (0.1 * (s.limits().upper - s.limits().lower))
                            .cwiseMin(0.2)
                            .cwiseMin(0.2 * s.limits().speed);
    for (int k = 0; k < 2000; ++k) {
      const double t = s.robot.time();
      const Vector off = q0 + (1.0 - std::cos(2.0 * t)) * size - s.robot.q();
      const Vector v_off = 2.0 * std::sin(2.0 * t) * size - s.robot.v();
      const Vector wanted =
          s.accelerated(4.0 * std::cos(2.0 * t) * size + 100.0 * off + 20.0 * v_off);
      const Vector& tau = s.step(wanted);
      ASSERT_EQ(tau, wanted) << "sample " << k << ": " << s.supervisor.report();
      ASSERT_TRUE(s.supervisor.unchanged());
    }
    EXPECT_EQ(s.supervisor.state(), State::run);
    EXPECT_EQ(s.supervisor.events().total(), 0);
  }
}

TEST(SupervisorLimits, a_joint_stops_before_its_limit_and_keeps_its_speed_limit) {
  for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::helical}) {
    SCOPED_TRACE(to_string(type));
    Description d = one_joint(type);
    d.joints[0].pitch = 0.1;
    d.joints[0].limits = {-1.0, 1.0, 2.0, 50.0};
    Supervised s(Builder(d).build());
    const Pushed pushed = push(s, 1e9, 3000);
    EXPECT_GT(pushed.fastest, 1.9);
    EXPECT_LT(pushed.fastest, 2.02);
    EXPECT_GT(pushed.furthest, 0.99) << "the range cannot be used";
    EXPECT_LT(pushed.furthest, 1.001);
    EXPECT_GT(s.supervisor.count(Cause::speed_limit), 0);
    EXPECT_GT(s.supervisor.count(Cause::position_limit), 0);
    EXPECT_EQ(s.supervisor.state(), State::run);
  }
}

TEST(SupervisorLimits, continuous_joints_turn_as_far_as_they_like) {
  Description d = one_joint(JointType::continuous);
  d.joints[0].limits.velocity = 2.0, d.joints[0].limits.effort = 50.0;
  Supervised s(Builder(d).build());
  const Pushed pushed = push(s, 50.0, 10'000);
  EXPECT_GT(pushed.furthest, 18.0);
  EXPECT_LT(pushed.fastest, 2.02);
  EXPECT_EQ(s.supervisor.count(Cause::position_limit), 0);
}

TEST(SupervisorLimits, what_a_model_lacks_has_stated_defaults) {
  Description d = one_joint(JointType::revolute);
  d.gravity = {0.0, 0.0, -9.81};
  const Limits limits(Builder(d).build());
  EXPECT_EQ(limits.lower(0), -infinity);
  EXPECT_EQ(limits.speed(0), 2.0);
  EXPECT_DOUBLE_EQ(limits.acceleration(0), 20.0);
  const double inertia = 0.01 + 2.0 * 0.09;
  EXPECT_NEAR(limits.weight(0), 2.0 * 9.81 * 0.3, 0.1);
  EXPECT_NEAR(limits.torque(0), 2.0 * limits.weight(0) + inertia * 20.0, 1e-9);
  EXPECT_DOUBLE_EQ(limits.torque_rate(0), limits.torque(0) / 0.01);

  d = one_joint(JointType::prismatic);
  EXPECT_EQ(Limits(Builder(d).build()).speed(0), 1.0);
}

TEST(SupervisorLimits, robots_without_effort_limits_are_supervised) {
  Description d = load_robot("panda").model.description();
  for (JointDescription& j : d.joints) j.limits.effort = infinity;
  Supervised s(Builder(d).build());
  s.robot.set_state(neutral(s.robot.model()), Vector::Zero(7));
  for (int k = 0; k < 1000; ++k) {
    const Vector& tau = s.step(Vector::Constant(7, 1e6));
    ASSERT_TRUE(((tau.cwiseAbs() - s.limits().torque).array() <= 0.0).all());
    ASSERT_TRUE(((s.robot.v().cwiseAbs() - 1.02 * s.limits().speed).array() <= 0.0).all());
  }
}

TEST(SupervisorLimits, a_joint_that_is_mimicked_keeps_the_limits_of_its_followers) {
  Description d = one_joint(JointType::revolute);
  d.joints[0].limits = {-3.0, 3.0, 4.0, 50.0};
  d.links.push_back(d.links[1]);
  d.links[2].name = "follower";
  JointDescription j = d.joints[0];
  j.name = "k", j.child = "follower", j.mimic = Mimic{"j", -2.0, 0.5};
  j.limits = {-1.5, 2.5, 2.0, 10.0};
  d.joints.push_back(j);
  const Limits limits(Builder(d).build());
  EXPECT_DOUBLE_EQ(limits.upper(0), 1.0);   // -2 q + 0.5 = -1.5
  EXPECT_DOUBLE_EQ(limits.lower(0), -1.0);  // -2 q + 0.5 = 2.5
  EXPECT_DOUBLE_EQ(limits.speed(0), 1.0);
  Supervised s(Builder(d).build());
  const Pushed pushed = push(s, 1e3, 3000);
  EXPECT_LT(pushed.furthest, 1.001);
  EXPECT_LT(pushed.fastest, 1.02);
}

TEST(SupervisorLimits, robots_it_cannot_supervise_are_refused_by_joint) {
  EXPECT_NE(told([] { Supervisor(load_robot("quadruped").model); }).find("floating"),
            std::string::npos);
  const std::string ball = told([] { Supervisor(load_robot("ball_wrist").model); });
  EXPECT_NE(ball.find("ball"), std::string::npos) << ball;
  EXPECT_NE(ball.find("lock_joints"), std::string::npos) << ball;
  for (const char* name : {"twolink_elastic", "tx40_like"}) {
    const std::string drives = told([&] { Supervisor(load_robot(name).model); });
    EXPECT_NE(drives.find("with_plain_drives(model) leaves them out"), std::string::npos) << drives;
  }
}

TEST(SupervisorLimits, options_that_make_no_sense_are_refused) {
  const Model model = load_robot("panda").model;
  EXPECT_THROW(Supervisor(model, {.rate_hz = 0.0}), std::invalid_argument);
  EXPECT_THROW(Supervisor(model, {.blind_after = 0.001}), std::invalid_argument);
  EXPECT_THROW(Supervisor(model, {.collision_torque = Vector::Ones(3)}), std::invalid_argument);
  Limits limits(model);
  limits.speed(2) = 0.0;
  EXPECT_THROW(Supervisor(model, {.limits = limits}), std::invalid_argument);
  limits = Limits(load_robot("ur5e").model);
  EXPECT_THROW(Supervisor(model, {.limits = limits}), std::invalid_argument);
}

TEST(SupervisorLimits, a_joint_that_begins_beyond_its_limit_may_only_return) {
  Description d = one_joint(JointType::revolute);
  d.joints[0].limits = {-1.0, 1.0, 2.0, 50.0};
  Supervised s(Builder(d).build());
  s.robot.set_state(Vector::Constant(1, 1.2), Vector::Zero(1));
  EXPECT_LT(push(s, 50.0, 500).furthest, 1.201);
  for (int k = 0; k < 500; ++k) s.step(Vector::Constant(1, -5.0));
  EXPECT_LT(s.robot.q()(0), 1.0);
}

TEST(SupervisorLimits, light_joints_with_much_friction_can_be_moved) {
  Description d = one_joint(JointType::revolute);
  d.links[1].inertial = Inertial(0.01, {0.0, 0.0, 0.02}, 1e-6 * Mat3<double>::Identity());
  d.joints[0].limits = {-1.0, 1.0, 2.0, 10.0};
  d.joints[0].dynamics = {1.0, 1.0, 1.0, 0.0};
  Supervised s(Builder(d).build());
  for (int k = 0; k < 500; ++k) s.step(Vector::Constant(1, 2.0));
  EXPECT_NEAR(s.robot.v()(0), 1.0, 0.01);  // 2 = friction 1 + damping 1
  EXPECT_EQ(s.supervisor.state(), State::run);
}

/// The fastest joint of a Panda over its limit, whose drives lag, under a controller that is too stiff for that.
double fastest_with_lag(double lag, double& found) {
  const Model model = load_robot("panda").model;
  Supervised s(model, {.limits = Limits(model, {.trusted_planner = true})});
  Vector home(7);
  home << 0.0, -0.4, 0.0, -1.8, 0.0, 1.8, 0.5;
  s.robot.set_state(home, Vector::Zero(7));
  Vector driven = s.weight();
  double fastest = 0.0;
  for (int k = 0; k < 3000; ++k) {
    const Vector place = home.array() + 0.2 * std::sin(0.003 * k);
    const Vector sent = s.supervisor.filter(s.robot.time(), s.robot.time(), s.robot.q(),
                                            s.robot.v(), driven, s.toward(place, 15.0));
    driven += (1.0 - std::exp(-s.period / lag)) * (sent - driven);
    EXPECT_EQ(s.robot.step(driven, s.period), SimulationStatus::moved);
    fastest = std::max(fastest, s.robot.v().cwiseQuotient(s.limits().speed).cwiseAbs().maxCoeff());
  }
  found = s.supervisor.drive_lag();
  return fastest;
}

TEST(SupervisorLimits, drives_that_lag_do_not_carry_the_robot_away) {
  for (const double lag : {0.01, 0.02}) {
    double found = 0.0;
    // until the lag is found: 2.4 times at 20 ms
    EXPECT_LT(fastest_with_lag(lag, found), lag > 0.01 ? 3.0 : 1.5) << lag;
    EXPECT_GE(found, 0.5 * lag);
    EXPECT_LE(found, 2.0 * lag);
  }
}

}  // namespace
}  // namespace ulna::test
