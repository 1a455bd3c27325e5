#include <gtest/gtest.h>

#include "mpc/drive_plants.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/mpc/trial.hpp"

// Predictive control of robots with springs between motors and links.

namespace ulna::test {
namespace {

using namespace mpc;
using Vector = Eigen::VectorXd;

Model two_link() { return load_robot("twolink_elastic").model; }

/// The same robot with springs that are so many times as stiff.
Model stiffer(const Model& model, double factor) {
  Description d = model.description();
  for (JointDescription& j : d.joints)
    if (j.spring) j.spring->stiffness *= factor;
  return Builder(std::move(d)).build();
}

Vector two(double x, double y) { return Eigen::Vector2d(x, y); }

/// From rest to rest in a second.
SmoothReference fast_move() {
  return smooth_reach_and_wave(two(-0.5, 0.4), two(0.7, -0.6), 1.0, two(0, 0), two(0, 0));
}

TrialResult move_two_link(DriveControl drives, TrialOptions options = {}) {
  options.duration = 2.5, options.rests_from = 1.0;
  options.drives = drives;
  return run_elastic_trial(two_link(), fast_move(), options);
}

TEST(SmoothReference, has_four_derivatives_without_jumps) {
  const SmoothReference reference =
      smooth_reach_and_wave(two(0.1, -0.2), two(0.9, 0.3), 1.2, two(0.2, 0.1), two(0.7, 0.4));
  constexpr double h = 1e-4;
  SmoothMotion before(2), here(2), after(2);
  for (double time = -0.05; time < 3.0; time += 0.01) {
    SCOPED_TRACE(time);
    reference(time - h, before), reference(time, here), reference(time + h, after);
    const auto follows = [&](Vector SmoothMotion::*x, Vector SmoothMotion::*rate, double size) {
      const Vector difference = (after.*x - before.*x) / (2.0 * h);
      EXPECT_LT((difference - here.*rate).cwiseAbs().maxCoeff(), 1e-4 * size);
    };
    follows(&SmoothMotion::q, &SmoothMotion::v, 1.0);
    follows(&SmoothMotion::v, &SmoothMotion::a, 10.0);
    follows(&SmoothMotion::a, &SmoothMotion::jerk, 100.0);
    follows(&SmoothMotion::jerk, &SmoothMotion::snap, 1e4);
  }
}

/// How far the links leave a smooth motion, in rad, under torques of inverse dynamics alone, in steps of h.
double error_without_feedback(const Model& model, double h) {
  Plant<double> plant(model);
  const SmoothReference reference = fast_move();
  SmoothMotion m(2);
  DriveMotion<double> motion(model);
  DriveWorkspace<double> ws(model);
  DriveTorques<double> torques(model);
  Simulation robot(model);
  reference(0.0, m);
  robot.set_state(m.q, m.v);
  double largest = 0.0;
  for (long k = 0; k < std::lround(1.0 / h); ++k) {
    reference((double(k) + 0.5) * h, m);
    motion.set(m.q, m.v, m.a, m.jerk, m.snap);
    drive_inverse_dynamics<double>(plant, motion, ws, torques);
    EXPECT_EQ(robot.step(torques.motor, h), SimulationStatus::moved);
    reference(double(k + 1) * h, m);
    largest = std::max(largest, (robot.q() - m.q).cwiseAbs().maxCoeff());
  }
  return largest;
}

TEST(ElasticRobots, follow_a_smooth_motion_by_the_torques_of_inverse_dynamics) {
  Description d = two_link().description();
  for (JointDescription& j : d.joints)
    if (j.spring) j.spring->damping = 0.0;
  const Model undamped = Builder(std::move(d)).build();
  // exact but for the steps, which are of second order
  const double coarse = error_without_feedback(undamped, 1e-3),
               fine = error_without_feedback(undamped, 5e-4);
  EXPECT_LT(fine, 1e-6);
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);
  // of damped springs, the past of the deflection is taken to second order
  EXPECT_LT(error_without_feedback(two_link(), 1e-4), 5e-4);
}

TEST(ElasticRobots, vibrate_a_tenth_as_much_where_the_controller_knows_their_springs) {
  for (const Knowledge knowledge : {Knowledge::perfect, Knowledge::identified}) {
    SCOPED_TRACE(to_string(knowledge));
    TrialOptions options;
    options.knowledge = knowledge;
    const TrialResult ignored = move_two_link(DriveControl::ignore, options);
    ASSERT_TRUE(ignored.finished && ignored.vibration);
    EXPECT_GT(ignored.vibration->tip, 1e-3);
    for (const DriveControl drives : {DriveControl::plan, DriveControl::feedforward}) {
      SCOPED_TRACE(to_string(drives));
      const TrialResult known = move_two_link(drives, options);
      ASSERT_TRUE(known.finished && known.vibration);
      EXPECT_LT(known.vibration->tip, 0.1 * ignored.vibration->tip);
      EXPECT_LT(known.vibration->joints, 0.1 * ignored.vibration->joints);
    }
  }
}

/// Drives the motors of a robot at rest somewhere, and compares torques of two controllers.
double difference_from_rigid(double stiffer_by) {
  const Model model = stiffer(two_link(), stiffer_by), rigid = with_plain_drives(model);
  ControllerOptions control;
  control.identify = false;
  ElasticController elastic(model, {control, DriveControl::feedforward});
  IdentifyingController plain(rigid, control);
  elastic.follow(fast_move());
  plain.follow(without_derivatives(rigid, fast_move()));
  Simulation robot(rigid);
  SmoothMotion m(2);
  fast_move()(0.0, m);
  robot.set_state(m.q, m.v);
  DriveReading reading(model);
  double largest = 0.0;
  for (int k = 0; k < 400; ++k) {
    const double time = 1e-3 * k;
    reading.q = reading.theta = robot.q(), reading.v = reading.omega = robot.v();
    const Vector tau = plain.act(time, robot.q(), robot.v());
    largest = std::max(largest, (elastic.act(time, reading) - tau).cwiseAbs().maxCoeff());
    plain.update(time, robot.q(), robot.v(), tau), elastic.update(time, reading);
    EXPECT_EQ(robot.step(tau, 1e-3), SimulationStatus::moved);
  }
  return largest;
}

TEST(ElasticController, that_feeds_forward_is_the_rigid_one_where_springs_are_stiff) {
  const double stiff = difference_from_rigid(1e5), stiffer = difference_from_rigid(1e6);
  EXPECT_LT(stiffer, 1e-2);
  EXPECT_NEAR(stiff / stiffer, 10.0, 1.0);
}

// --- motors that move several joints ---

/// The wrist of tx40_like turns to and fro, without noise.
TrialResult wave_wrist(DriveControl drives, Knowledge knowledge, double effort = 1.0) {
  Description d = load_robot("tx40_like").model.description();
  for (JointDescription& j : d.joints)
    if (j.name == "joint5" || j.name == "joint6") j.limits.effort *= effort;
  const Model model = Builder(std::move(d)).build();
  Vector from = Vector::Zero(6), to = from, amplitude = from, hz = Vector::Constant(6, 1.0);
  from << 0.1, -0.3, 1.2, 0.0, 0.4, 0.0;
  to << 0.5, 0.1, 0.9, 0.3, -0.4, 0.6;
  amplitude(4) = 0.3, amplitude(5) = 0.5, hz(5) = 1.3;
  TrialOptions options;
  options.duration = 3.0, options.drives = drives, options.knowledge = knowledge;
  return run_elastic_trial(model, smooth_reach_and_wave(from, to, 1.0, amplitude, hz), options);
}

TEST(CoupledMotors, are_followed_better_by_a_controller_that_knows_their_coupling) {
  // identification mends part of what is left out
  for (const auto& [knowledge, share] :
       {std::pair{Knowledge::fixed, 0.5}, {Knowledge::identified, 0.7}}) {
    SCOPED_TRACE(to_string(knowledge));
    const TrialResult known = wave_wrist(DriveControl::feedforward, knowledge),
                      ignored = wave_wrist(DriveControl::ignore, knowledge);
    ASSERT_TRUE(known.finished && ignored.finished);
    EXPECT_LT(known.error.rms, share * ignored.error.rms);
    EXPECT_EQ(known.torque_breaches, 0);
  }
}

TEST(CoupledMotors, keep_their_limits_where_those_of_joints_would_not_do) {
  const TrialResult weak = wave_wrist(DriveControl::feedforward, Knowledge::fixed, 0.3);
  EXPECT_EQ(weak.torque_breaches, 0);
  EXPECT_GT(weak.saturated, 0) << "a limit acts";
}

/// The first joint's motor turns with the second, too: what both joints need at once may be more than it has.
TEST(CoupledMotors, keep_their_own_limits_in_a_plan) {
  const Model model = with_plain_drives(two_link()).with_gravity(Vec3<double>::Zero());
  const Eigen::MatrixXd coupling = (Eigen::MatrixXd(2, 2) << 1.0, 1.0, 0.0, 1.0).finished();
  const Vector zero = two(0, 0);
  control::RobotProblemOptions options;
  options.transcription = control::Transcription::inverse_dynamics;
  options.steps = 30;
  control::MotionLimits& limits = options.limits.emplace(model);
  // the largest torques of the motors along the plan
  const auto torques = [&] {
    control::RobotProblem problem(Plant<double>(model), options);
    problem.set_goal(two(0.4, 0.5));
    control::Sqp sqp(problem);
    sqp.trajectory = problem.guess(zero, zero);
    EXPECT_EQ(sqp.solve(problem.state(zero, zero)).status, control::SqpStatus::solved)
        << sqp.report().str();
    Motion<double> motion(model);
    Workspace<double> ws(model);
    Vector tau(2), largest = zero;
    for (int k = 0; k < problem.steps(); ++k) {
      const Vector& x = sqp.trajectory.x[std::size_t(k)];
      motion.set(x.head(2), x.tail(2), sqp.trajectory.u[std::size_t(k)]);
      inverse_dynamics<double>(problem.plant(), motion, ws, tau);
      largest = largest.cwiseMax(Vector(coupling * tau).cwiseAbs());
    }
    return largest;
  };
  limits.torque.setConstant(control::infinity);
  const double most = 0.5 * torques()(0);
  limits.torque(0) = most;
  EXPECT_GT(torques()(0), 1.1 * most) << "the limit of a joint is another";
  options.motors = coupling;
  EXPECT_NEAR(torques()(0), most, 1e-6 * most);
  options.motors.resize(3, 2);
  EXPECT_THROW(control::RobotProblem(Plant<double>(model), options), std::invalid_argument);
}

TEST(CoupledMotors, are_rigid_numbers_as_those_of_the_plain_robot) {
  for (const char* name : {"tx40_like", "puma560_coupled", "iiwa14_elastic"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model, plain = with_plain_drives(model);
    Plant<double> rigid(plain);
    const Plant<double> right(plain);
    rigid.armature.setZero(), rigid.damping.setZero(), rigid.friction.setZero();
    write_rigid(Plant<double>(model), rigid);
    const auto close = [](const Vector& a, const Vector& b) {
      return (a - b).cwiseAbs().maxCoeff() <= 1e-14 * b.cwiseAbs().maxCoeff();
    };
    EXPECT_TRUE(close(rigid.armature, right.armature));
    EXPECT_TRUE(close(rigid.damping, right.damping));
    EXPECT_TRUE(close(rigid.friction, right.friction));
    EXPECT_TRUE(close(rigid.friction_negative, right.friction_negative));
  }
}

TEST(ElasticController, refuses_what_it_does_not_plan_for_and_plain_ones_are_no_elastic_trial) {
  const auto told = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(told([] {
              ElasticController(load_robot("puma560_coupled").model);
            }).find("are coupled, for which nothing is planned: take DriveControl::feedforward"),
            std::string::npos);
  EXPECT_NE(told([] {
              (void)run_elastic_trial(load_robot("twolink_overview").model, fast_move(),
                                      TrialOptions{});
            }).find("has neither elastic joints nor coupled motors"),
            std::string::npos);
}

TEST(ElasticProblem, keeps_torques_of_motors_within_their_limits) {
  const Model model = two_link();
  control::ElasticProblemOptions options;
  control::MotionLimits& limits = options.limits.emplace(model);
  limits.torque = two(22.0, 6.0);
  limits.price = 1e3;
  control::ElasticProblem problem(Plant<double>(model), options);
  SmoothMotion goal(2);
  for (int k = 0; k <= problem.steps(); ++k) problem.set_reference(k, goal);
  const Vector zero = two(0, 0);
  Vector x(8);
  // 0.1 rad away: without limits it would be there within 0.1 s
  problem.state(two(0.1, -0.1), zero, zero, zero, x);
  control::Sqp sqp(problem);
  sqp.trajectory = problem.guess();
  ASSERT_EQ(sqp.solve(x).status, control::SqpStatus::solved) << sqp.report().str();
  double largest = 0.0;
  const double w = options.bandwidth;
  for (int k = 0; k < problem.steps(); ++k) {
    const Vector& s = sqp.trajectory.x[std::size_t(k)];
    SmoothMotion m(2);
    m.q = s.head(2), m.v = w * s.segment(2, 2), m.a = w * w * s.segment(4, 2);
    m.jerk = w * w * w * s.tail(2);
    problem.snap(sqp.trajectory.u[std::size_t(k)], m.snap);
    Vector tau(2);
    problem.motor_torque(m, tau);
    largest = std::max(largest, tau.cwiseAbs().cwiseQuotient(limits.torque).maxCoeff());
  }
  EXPECT_NEAR(largest, 1.0, 1e-5) << "a limit acts, and is kept";
}

}  // namespace
}  // namespace ulna::test
