#include "ulna/rig/wired_rig.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ulna/io/import.hpp"
#include "ulna/num/random.hpp"
#include "ulna/rig/simulated_robot.hpp"

namespace ulna::rig {
namespace {

using Eigen::VectorXd;

Wiring random_wiring(std::mt19937_64& random, int n) {
  Wiring w(n);
  for (auto* order : {&w.reading, &w.command}) std::ranges::shuffle(*order, random);
  for (VectorXd* scale : {&w.position, &w.velocity, &w.torque, &w.drive})
    for (double& x : *scale)
      x = (0.2 + 3.0 * uniform(random)) * (uniform(random) < 0.5 ? -1.0 : 1.0);
  return w;
}

bool is_nearly_plain(const Wiring& w) {
  const Wiring plain(int(w.position.size()));
  return w.reading == plain.reading && w.command == plain.command &&
         w.position.isApprox(plain.position) && w.velocity.isApprox(plain.velocity) &&
         w.torque.isApprox(plain.torque) && w.drive.isApprox(plain.drive);
}

TEST(WiredRig, the_inverse_of_a_wiring_undoes_it) {
  const std::uint64_t seed = 5;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const Model model = load_robot("panda").model;
  SimulatedRobot robot(model);
  for (int k = 0; k < 20; ++k) {
    const Wiring wrong = random_wiring(random, 7);
    EXPECT_TRUE(is_nearly_plain(combined(wrong, wrong.inverse())));
    EXPECT_TRUE(is_nearly_plain(combined(wrong.inverse(), wrong)));
    EXPECT_FALSE(wrong.is_plain());
    robot.start((VectorXd(7) << 0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.5).finished());
    WiredRig spoilt(robot, wrong), righted(spoilt, wrong.inverse());
    Reading truth(model), seen(model);
    const VectorXd tau = VectorXd::Random(7);
    EXPECT_TRUE(righted.write(tau));
    EXPECT_TRUE(robot.truth().tau().isApprox(tau));
    ASSERT_TRUE(robot.read(truth) && righted.read(seen));
    EXPECT_TRUE(seen.q.isApprox(truth.q) && seen.tau.isApprox(truth.tau));
    EXPECT_LT((seen.v - truth.v).norm(), 1e-12);
    EXPECT_TRUE(righted.hold());
    EXPECT_TRUE(robot.holds());
  }
}

TEST(WiredRig, refuses_wirings_that_lead_nowhere) {
  const Model model = load_robot("panda").model;
  SimulatedRobot robot(model);
  Wiring twice(7), scaled(7), short_one(6);
  twice.reading[2] = 3, scaled.drive(1) = 0.0;
  for (const Wiring& w : {twice, scaled, short_one})
    EXPECT_THROW(WiredRig(robot, w), std::invalid_argument);
  scaled.drive(1) = std::nan("");
  EXPECT_THROW(WiredRig(robot, scaled), std::invalid_argument);
}

TEST(SimulatedRobot, holds_itself_where_hold_was_called_even_while_it_moves) {
  const Model model = load_robot("panda").model;
  for (const PlantKind plant : {PlantKind::ulna, PlantKind::mujoco}) {
    if (plant == PlantKind::mujoco && !has_mujoco()) continue;
    SimulatedRobot robot(model, {.plant = plant});
    const VectorXd q0 = (VectorXd(7) << 0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.5).finished();
    robot.start(q0);
    ASSERT_EQ(robot.advance(0.5), SimulationStatus::moved);
    EXPECT_LT((robot.truth().q() - q0).norm(), 1e-6);
    // it falls for a moment
    EXPECT_TRUE(robot.write(VectorXd::Zero(7)));
    EXPECT_FALSE(robot.holds());
    ASSERT_EQ(robot.advance(0.05), SimulationStatus::moved);
    EXPECT_GT(robot.truth().v().norm(), 0.1);
    EXPECT_TRUE(robot.hold());
    ASSERT_EQ(robot.advance(0.5), SimulationStatus::moved);
    EXPECT_LT(robot.truth().v().norm(), 1e-4) << to_string(plant);
    const VectorXd there = robot.truth().q();
    EXPECT_LT((there - q0).norm(), 0.2);
    ASSERT_EQ(robot.advance(0.5), SimulationStatus::moved);
    EXPECT_LT((robot.truth().q() - there).norm(), 1e-4);
  }
}

}  // namespace
}  // namespace ulna::rig
