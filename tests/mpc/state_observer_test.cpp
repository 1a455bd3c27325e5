#include "mpc/state_observer.hpp"

#include <gtest/gtest.h>

#include <random>

#include "mpc/friction_compensator.hpp"
#include "mpc/robot_scale.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::test {
namespace {

using namespace mpc;
using Eigen::VectorXd;

constexpr double period = 1e-3;

/// A robot under torques that swing about those of gravity, and an observer of it.
struct Observed {
  Model model;
  Plant<double> believed;  ///< what the observer computes with
  Simulation robot;
  StateObserver observer;
  Motion<double> at;
  Workspace<double> ws;
  VectorXd tau;
  std::mt19937_64 random{7};
  double position_noise = 0.0, velocity_noise = 0.0;
  double braking = 2.0;  ///< Nm s/rad, by the drives

  explicit Observed(const char* name, double damping = 0.5)
      : model(load_robot(name).model),
        believed(without_dry_friction(Plant<double>(model))),
        robot(model, {.substep = damping > 1.0 ? 1e-5 : 1e-4}),
        observer(model, period, 0.3 * scale_of(believed).torque),
        at(model),
        ws(model),
        tau(model.nv()) {
    believed.damping.setConstant(damping);
    robot.plant = believed;
    robot.set_state(start(), VectorXd::Zero(model.nv()));
    observer.start(robot.q(), robot.v());
  }

  VectorXd start() const { return 0.5 * (model.lower_limit() + model.upper_limit()); }

  /// A period: the robot moves under `extra` beside its drives, and is read, or not.
  void step(const VectorXd& extra, bool read = true) {
    at.set(robot.q());
    gravity_torque<double>(believed, at, ws, tau);
    const double swing = 0.02 * std::sin(6.0 * robot.time());
    tau += swing * scale_of_robot().cwiseProduct(VectorXd::LinSpaced(model.nv(), 1.0, 2.0));
    tau -= braking * robot.v();
    ASSERT_EQ(robot.step(tau + extra, period), SimulationStatus::moved);
    ASSERT_TRUE(observer.predict(believed, tau));
    if (!read) return;
    std::normal_distribution<double> normal;
    VectorXd q = robot.q(), v = robot.v();
    for (double& x : q) x += position_noise * normal(random);
    for (double& x : v) x += velocity_noise * normal(random);
    observer.correct(q, v);
  }
  void steps(int count, const VectorXd& extra, bool read = true) {
    for (int k = 0; k < count; ++k) step(extra, read);
  }
  VectorXd nothing() const { return VectorXd::Zero(model.nv()); }
  const VectorXd& scale_of_robot() {
    if (scale_.size() == 0) scale_ = scale_of(believed).torque;
    return scale_;
  }

 private:
  VectorXd scale_;
};

TEST(StateObserver, follows_a_robot_that_its_plant_explains_without_a_disturbance) {
  Observed panda("panda");
  panda.steps(500, panda.nothing());
  EXPECT_GT(panda.robot.v().norm(), 0.01);
  EXPECT_LE((panda.observer.q() - panda.robot.q()).norm(), 1e-5);
  EXPECT_LE((panda.observer.v() - panda.robot.v()).norm(), 1e-3);
  EXPECT_LE(panda.observer.disturbance().lpNorm<Eigen::Infinity>(), 0.05);
}

TEST(StateObserver, finds_the_torque_that_its_plant_does_not_explain) {
  Observed panda("panda");
  panda.steps(100, panda.nothing());
  VectorXd extra(7);
  extra << 3.0, -4.0, 2.0, 3.0, 0.3, -0.4, 0.1;
  panda.steps(200, extra);
  // the drives need less where the extra torque helps
  EXPECT_LE((panda.observer.disturbance() + extra).norm(), 0.05 * extra.norm());
}

TEST(StateObserver, learns_the_noise_of_its_readings) {
  Observed panda("panda");
  panda.position_noise = 5e-5, panda.velocity_noise = 0.03;
  panda.steps(3000, panda.nothing());
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(panda.observer.position_noise(i), 5e-5, 1e-5) << i;
    EXPECT_NEAR(panda.observer.velocity_noise(i), 0.03, 0.006) << i;
  }
}

TEST(StateObserver, positions_make_up_for_noisy_velocities) {
  Observed panda("panda");
  panda.position_noise = 1e-5, panda.velocity_noise = 0.03;
  panda.steps(2000, panda.nothing());
  double sum = 0.0;
  for (int k = 0; k < 500; ++k) {
    panda.step(panda.nothing());
    sum += (panda.observer.v() - panda.robot.v()).squaredNorm() / 7.0;
  }
  EXPECT_LE(std::sqrt(sum / 500.0), 0.03 / 5.0);
}

TEST(StateObserver, goes_on_by_the_torques_that_were_sent_where_no_reading_comes) {
  Observed panda("panda");
  panda.steps(300, panda.nothing());
  const VectorXd before = panda.robot.q();
  panda.steps(100, panda.nothing(), false);
  const double moved = (panda.robot.q() - before).norm();
  EXPECT_GT(moved, 1e-3);
  EXPECT_LE((panda.observer.q() - panda.robot.q()).norm(), 0.1 * moved);
}

TEST(StateObserver, late_readings_show_where_the_robot_is_now) {
  for (const int late : {1, 5, 20}) {
    Observed panda("panda");
    std::vector<VectorXd> q, v;
    double error = 0.0, moved = 0.0;
    for (int k = 0; k < 600; ++k) {
      panda.step(panda.nothing(), false);
      q.push_back(panda.robot.q()), v.push_back(panda.robot.v());
      if (k < late) continue;
      panda.observer.correct(q[k - late], v[k - late], late);
      if (k < 200) continue;
      error = std::max(error, (panda.observer.q() - q[k]).norm());
      moved = std::max(moved, (q[k] - q[k - late]).norm());
    }
    EXPECT_GT(moved, 1e-4 * late) << late;
    EXPECT_LE(error, 0.05 * moved) << late;
  }
}

// Of the last link of a UR5e, damping and inertia give a time constant far below a period.
TEST(StateObserver, is_stable_where_viscous_friction_acts_faster_than_a_period) {
  for (const double damping : {0.3, 1.0, 10.0}) {
    Observed ur5e("ur5e", damping);
    ur5e.braking = 0.0;
    ur5e.steps(1000, ur5e.nothing());
    EXPECT_LE((ur5e.observer.q() - ur5e.robot.q()).norm(), 1e-4) << damping;
    EXPECT_LE(ur5e.observer.disturbance().lpNorm<Eigen::Infinity>(), 0.5) << damping;
  }
}

TEST(StateObserver, keeps_what_torques_a_robot_needs_when_its_plant_explains_more) {
  Observed panda("panda");
  const VectorXd extra = VectorXd::Constant(7, 0.2);
  panda.steps(200, extra);
  const VectorXd before = panda.observer.disturbance();
  panda.observer.shift(-before);
  EXPECT_EQ(panda.observer.disturbance(), panda.nothing());
}

TEST(RobotScale, is_of_the_efforts_where_a_robot_has_them_and_of_its_own_weight_elsewhere) {
  const Model panda = load_robot("panda").model, pendulum = load_robot("double_pendulum").model;
  EXPECT_EQ(scale_of(Plant<double>(panda)).torque, panda.effort_limit());
  const RobotScale scale = scale_of(Plant<double>(pendulum));
  EXPECT_TRUE(scale.torque.allFinite());
  if (!pendulum.effort_limit().allFinite()) {
    EXPECT_LE((scale.torque - scale.gravity - 10.0 * scale.inertia).norm(), 1e-12);
  }
  EXPECT_GT(scale.torque.minCoeff(), 0.0);
}

}  // namespace
}  // namespace ulna::test
