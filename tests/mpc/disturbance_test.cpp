#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "ulna/io/import.hpp"
#include "ulna/mpc/trial.hpp"

// What is not the robot, and what is of it that its model has not.
namespace ulna::test {
namespace {

using namespace mpc;
using Eigen::VectorXd;

/// A Panda with some friction that waves, and picks up 2 kg after 1.5 s.
struct WavingPanda {
  Model model = load_robot("panda").model;
  VectorXd start{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
  TrialOptions options;

  WavingPanda() {
    options.duration = 5.0;
    options.count_from = {4.5};
    options.sensors.position.noise = 1e-5, options.sensors.velocity.noise = 2e-3;
    options.changes.at(0.0, [](Plant<double>& plant) {
      plant.damping += 0.005 * plant.model().effort_limit();
      plant.friction = plant.friction_negative = 0.01 * plant.model().effort_limit();
    });
  }
  void pick_up() {
    options.changes.at(1.5, [this](Plant<double>& plant) {
      add_payload(plant, model.frames().back(),
                  Inertia<double>::about_com(2.0, {0.02, -0.03, 0.08},
                                             0.003 * Eigen::Matrix3d::Identity()));
    });
  }
  TrialResult run() {
    const TrialResult r =
        run_trial(model,
                  reach_and_wave(start, start, 0.5, VectorXd::Constant(7, 0.3),
                                 VectorXd{{0.31, 0.23, 0.37, 0.29, 0.43, 0.41, 0.47}}),
                  options);
    EXPECT_TRUE(r.finished);
    EXPECT_TRUE(r.consistent_always);
    return r;
  }
};

TEST(Disturbance, a_push_is_not_learned_as_a_payload) {
  for (const Eigen::Vector3d& force :
       {Eigen::Vector3d(15.0, 0.0, 0.0), Eigen::Vector3d(0.0, 10.0, -10.0),
        Eigen::Vector3d(0.0, 0.0, 20.0)}) {
    SCOPED_TRACE(force.transpose());
    WavingPanda panda;
    panda.pick_up();
    const TrialResult alone = panda.run();
    panda.options.reality.pushes = {{force, {2.8, 4.0}}};
    const TrialResult pushed = panda.run();
    EXPECT_NEAR(alone.payload.mass, 2.0, 0.1);
    EXPECT_NEAR(pushed.payload.mass, 2.0, 0.1 + 2.0 * pushed.payload.deviation)
        << pushed.payload.deviation;
    // half a second after the push
    EXPECT_LT(pushed.error.rms_from[0], 2e-4);
    EXPECT_LE(pushed.largest_speed, 1.0);
  }
}

TEST(Disturbance, a_payload_that_is_put_down_again_is_gone) {
  WavingPanda panda;
  const Plant<double> empty(panda.model);
  panda.pick_up();
  panda.options.changes.at(3.5, [&](Plant<double>& plant) { plant.set_body(7, empty.body(7)); });
  const TrialResult r = panda.run();
  EXPECT_NEAR(r.payload.mass, 0.0, 0.1);
  EXPECT_LT(r.error.rms_from[0], 3e-4);
}

TEST(Disturbance, nothing_is_carried_where_nothing_was_picked_up) {
  WavingPanda panda;
  panda.options.duration = 7.0;
  const TrialResult r = panda.run();
  EXPECT_FALSE(r.payload.known()) << r.payload.mass << " +- " << r.payload.deviation;
  EXPECT_EQ(r.changes_noticed, 0);
}

TEST(Disturbance, a_tilted_base_is_found_as_another_direction_of_gravity) {
  WavingPanda panda;
  const Eigen::AngleAxisd tilt(0.1, Eigen::Vector3d(0.6, 0.8, 0.0));
  const Eigen::Vector3d truth = tilt * panda.model.gravity();
  panda.options.reality.gravity = truth;
  const TrialResult r = panda.run();
  EXPECT_LT((r.estimated.gravity - truth).norm(), 0.2 * (panda.model.gravity() - truth).norm());
  EXPECT_LT(r.error.rms_from[0], 3e-4);
}

}  // namespace
}  // namespace ulna::test
