#include "mpc/model_watch.hpp"

#include <gtest/gtest.h>

#include <random>

#include "mpc/robot_scale.hpp"
#include "supervise/response_estimator.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/changes.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::test {
namespace {

using namespace mpc;
using Eigen::VectorXd;

constexpr double period = 1e-3;

/// A Panda under torques that swing about those of gravity at 30 Hz, by shares of the efforts; an observer with parameters in use,
/// and the watch with those of the model.
struct Watched {
  Model model = load_robot("panda").model;
  Plant<double> in_use = without_dry_friction(Plant<double>(model));
  Simulation robot{model, {.substep = 1e-4}};
  VectorXd rate = 0.3 * scale_of(in_use).torque;
  StateObserver observer{model, period, rate};
  ModelWatch watch{Plant<double>(model), period, rate};
  Motion<double> at{model};
  Workspace<double> ws{model};
  VectorXd tau = VectorXd::Zero(7), still = tau;
  std::mt19937_64 random{3};
  double lag = 0.0, assumed_lag = 0.0;  ///< s, of the drives
  supervise::LaggingDrives drives{7}, assumed_drives{7};

  Watched() {
    robot.plant = in_use;
    robot.set_state(0.5 * (model.lower_limit() + model.upper_limit()), still);
    observer.start(robot.q(), robot.v());
    watch.start(observer);
  }

  void step(double swing) {
    at.set(robot.q());
    gravity_torque<double>(robot.plant, at, ws, tau);
    tau += swing * std::sin(190.0 * robot.time()) * model.effort_limit() - 2.0 * robot.v();
    const VectorXd acted = drives.send(tau, lag, period);
    ASSERT_EQ(robot.step(acted, period), SimulationStatus::moved);
    const VectorXd assumed = assumed_drives.send(tau, assumed_lag, period);
    ASSERT_TRUE(observer.predict(in_use, assumed) && watch.predict(tau, assumed, still));
    std::normal_distribution<double> normal;
    VectorXd q = robot.q(), v = robot.v();
    for (double& x : q) x += 1e-5 * normal(random);
    for (double& x : v) x += 2e-3 * normal(random);
    observer.correct(q, v);
    watch.correct(q, v, 0, observer);
  }
  /// Periods until the model is preferred, at most `most`.
  int periods_until_model(double swing, int most) {
    for (int k = 0; k < most; ++k) {
      if (watch.prefers_model()) return k;
      step(swing);
    }
    return most;
  }
};

TEST(ModelWatch, prefers_the_model_within_milliseconds_where_an_inertia_in_use_is_far_too_large) {
  Watched panda;
  panda.in_use.armature(3) += 5.0;
  EXPECT_EQ(panda.periods_until_model(0.0, 500), 500) << "where nothing moves, nothing shows";
  EXPECT_LE(panda.periods_until_model(0.3, 500), 50);
}

TEST(ModelWatch, never_prefers_a_model_that_is_wrong_where_parameters_in_use_are_right) {
  Watched panda;
  add_payload(
      panda.robot.plant, panda.model.frames().back(),
      Inertia<double>::about_com(2.0, {0.02, -0.03, 0.08}, 0.003 * Eigen::Matrix3d::Identity()));
  panda.in_use = panda.robot.plant;
  EXPECT_EQ(panda.periods_until_model(0.3, 1000), 1000);
}

TEST(ModelWatch, never_prefers_a_model_to_parameters_that_are_the_same) {
  Watched panda;
  panda.robot.plant.armature.array() += 0.3;
  EXPECT_EQ(panda.periods_until_model(0.3, 1000), 1000);
}

TEST(ModelWatch, keeps_a_lag_of_drives_that_is_right_and_not_one_that_is_none) {
  for (const double lag : {0.0, 0.015}) {
    Watched panda;
    panda.in_use.armature(3) += 5.0;
    panda.lag = lag, panda.assumed_lag = 0.015;
    for (int k = 0; k < 200; ++k) panda.step(0.3);
    EXPECT_EQ(panda.watch.prefers_no_lag(), lag == 0.0) << lag;
  }
}

TEST(ModelWatch, its_observer_goes_on_as_if_it_had_always_been_the_controllers) {
  Watched panda;
  panda.in_use.armature(3) += 5.0;
  for (int k = 0; k < 300; ++k) panda.step(0.05);
  StateObserver other(panda.model, period, panda.rate);
  other.take_over(panda.watch.observer());
  EXPECT_EQ(other.q(), panda.watch.observer().q());
  EXPECT_EQ(other.disturbance(), panda.watch.observer().disturbance());
  EXPECT_TRUE(other.started());
}

}  // namespace
}  // namespace ulna::test
