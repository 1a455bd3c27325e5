#include "solvers.hpp"
#include "support/four_bar.hpp"
#include "ulna/io/import.hpp"

// Problems of robots with loops in the coordinates that move them (LoopForm::coordinates).
namespace ulna::test {
namespace {

using Eigen::VectorXd;

RobotProblemOptions by_coordinates(const Model& model, int steps, double h) {
  RobotProblemOptions options;
  options.transcription = Transcription::inverse_dynamics;
  options.steps = steps, options.duration = h;
  options.loops = model.description().loops;
  options.loop_form = LoopForm::coordinates;
  return options;
}

/// Near where the robot's file has it.
Trajectory closed_trajectory(const RobotProblem& problem, Random& random) {
  Trajectory t = trajectory_of(problem);
  for (std::size_t k = 0; k < t.x.size(); ++k) {
    for (double& x : t.x[k]) x = random.real(-0.3, 0.3);
    for (double& u : t.u[k]) u = random.real();
    if (t.x[k].size() % 2) t.x[k].tail(1)(0) = problem.final_time();
  }
  return t;
}

TEST(ClosedCoordinates, slopes_are_those_of_values) {
  for (const char* name : {"fourbar", "fivebar", "delta"})
    for (const bool timed : {false, true}) {
      SCOPED_TRACE(std::string(name) + (timed ? ", of free duration" : ""));
      const Model model = load_robot(name).model;
      RobotProblemOptions options = by_coordinates(model, 2, 0.02);
      options.frames = {{std::string(model.frames().back().name), 100.0, 10.0}};
      // of a delta, links meet where capsules have no direction to part in
      if (std::string(name) != "delta")
        options.collisions = {.floor = -2.0,
                              .obstacles = {{{0.5, 0.0, 0.5}, {0.5, 0.1, 0.5}, 0.1}}};
      if (timed) {
        options.final_time = {{0.03, 0.2}};
        options.initial_given.assign(std::size_t(2 * model.nv()), false);
      }
      Random random(1);
      RobotProblem problem(smooth_plant(model), options);
      const Trajectory t = closed_trajectory(problem, random);
      for (int k = 0; k <= problem.steps(); ++k)
        problem.set_reference(k, random_v(model, random, 0.2), random_v(model, random));
      problem.set_torque_reference(1, random_v(model, random));
      problem.set_target(0, Transform<double>());
      expect_true_slopes(problem, t, 1e-7);
    }
}

TEST(ClosedCoordinates, states_are_of_the_joints_that_move_the_others) {
  const Model model = load_robot("delta").model;
  RobotProblem problem(Plant<double>(model), by_coordinates(model, 5, 0.02));
  EXPECT_EQ(problem.numbers(0), 6);
  EXPECT_EQ(problem.size(0).u, 3);
  VectorXd q(12), v(12);
  const VectorXd x{{0.1, -0.2, 0.3, 1.0, 0.5, -0.5}};
  ASSERT_TRUE(problem.joints(2, x, q, v));
  Loops loops = *problem.loops();
  loops.set(q, v);
  EXPECT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(loops.rate().cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(problem.state(q, v), x);
  EXPECT_FALSE(problem.joints(2, VectorXd{{9.0, 0.0, 0.0, 0.0, 0.0, 0.0}}, q, v));
}

// by a witness that knows the four-bar's geometry and nothing of loops (support/four_bar.hpp)
TEST(ClosedCoordinates, planned_torques_cause_the_planned_accelerations) {
  const Model model = load_robot("fourbar").model;
  const double goal = 1.2;
  RobotProblemOptions options = by_coordinates(model, 30, 0.02);
  MotionWeights weights(model);
  weights.position.setConstant(1.0), weights.velocity.setConstant(0.02);
  options.weights = weights;
  const Plant<double> plant(model);
  RobotProblem problem(plant, options);
  problem.set_goal(Crank::position(goal).q);
  Sqp sqp(problem, {.tolerance = 1e-8});
  sqp.trajectory = problem.guess(VectorXd::Zero(3), VectorXd::Zero(3));
  const SqpReport& report = sqp.solve(VectorXd::Zero(2));
  ASSERT_EQ(report.status, SqpStatus::solved) << report.str();
  EXPECT_LE(report.iterations, 12) << report.str();
  const auto values = values_at(problem, sqp.trajectory);
  Crank crank(plant);
  double largest = 0.0;
  for (std::size_t k = 0; k < 30; ++k) {
    const VectorXd& x = sqp.trajectory.x[k];
    const double a = sqp.trajectory.u[k](0);
    EXPECT_NEAR(crank.acceleration(x(0), x(1), VectorXd{{values[k].g(0), 0.0, 0.0}}), a,
                1e-8 * (1.0 + std::abs(a)))
        << k;
    largest = std::max(largest, std::abs(a));
  }
  EXPECT_GT(largest, 5.0);
  EXPECT_NEAR(sqp.trajectory.x.back()(0), goal, 0.05);
}

TEST(ClosedCoordinates, refuses_forward_dynamics_and_says_what_to_take) {
  const Model model = load_robot("fourbar").model;
  RobotProblemOptions options = by_coordinates(model, 5, 0.02);
  options.transcription = Transcription::forward_dynamics;
  try {
    RobotProblem problem(Plant<double>(model), options);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("LoopForm::rows"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace ulna::test
