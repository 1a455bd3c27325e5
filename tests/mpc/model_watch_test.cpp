#include "mpc/model_watch.hpp"

#include <gtest/gtest.h>

#include <random>

#include "mpc/robot_scale.hpp"
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
  Plant<double> next = in_use;
  Simulation robot{model, {.substep = 1e-4}};
  VectorXd rate = 0.3 * scale_of(in_use).torque;
  StateObserver observer{model, period, rate};
  ModelWatch watch{Plant<double>(model), period, rate};
  Motion<double> at{model};
  Workspace<double> ws{model};
  VectorXd tau = VectorXd::Zero(7), still = tau;
  std::mt19937_64 random{3};
  double off = 0.0;  ///< rad/s, of the last joint's velocity as it is read
  bool alternates = false;

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
    ASSERT_EQ(robot.step(tau, period), SimulationStatus::moved);
    watch.set_next(next);
    ASSERT_TRUE(observer.predict(in_use, tau) && watch.predict(tau, tau, still));
    std::normal_distribution<double> normal;
    VectorXd q = robot.q(), v = robot.v();
    for (double& x : q) x += 1e-5 * normal(random);
    for (double& x : v) x += 2e-3 * normal(random);
    if (alternates) off = -off;
    v(6) += off;
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

TEST(ModelWatch, trusts_parameters_that_may_be_used_next_only_where_they_predict_about_as_well) {
  Watched panda;
  for (int k = 0; k < 500; ++k) panda.step(0.3);
  EXPECT_TRUE(panda.watch.trusts_next());
  panda.next.armature(3) += 5.0;
  for (int k = 0; k < 50; ++k) panda.step(0.3);
  EXPECT_FALSE(panda.watch.trusts_next());
  panda.next = panda.in_use;
  for (int k = 0; k < 500; ++k) panda.step(0.3);
  EXPECT_TRUE(panda.watch.trusts_next());
}

// An observer whose plant is too heavy corrects too much: errors change their sign each time, for the model's observer too.
TEST(ModelWatch, notices_errors_of_velocities_that_alternate_also_where_the_model_is_no_better) {
  Watched panda;
  EXPECT_EQ(panda.periods_until_model(0.0, 500), 500);
  panda.off = 0.5;
  EXPECT_EQ(panda.periods_until_model(0.0, 500), 500) << "errors of one sign are of the robot";
  panda.alternates = true;
  EXPECT_LE(panda.periods_until_model(0.0, 500), 20);
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
