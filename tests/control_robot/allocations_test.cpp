#include "support/allocations.hpp"

#include "problems.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

TEST(RobotProblem, allocates_nothing_once_it_is_made) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  for (const char* name : {"panda", "quadruped"})
    for (const Transcription transcription : both_transcriptions) {
      SCOPED_TRACE(name);
      const Model model = load_robot(name).model;
      RobotProblemOptions options;
      options.transcription = transcription;
      options.frames = {{std::string(model.frames().back().name), 100.0, 10.0}};
      options.collisions = {.floor = -1.0, .obstacles = {{{0.5, 0.0, 0.5}, {0.5, 0.1, 0.5}, 0.1}}};
      RobotProblem problem(Plant<double>(model), options);
      Random random(1);
      const Trajectory t = random_trajectory(problem, random);
      const Plant<double> plant(model);
      const MotionWeights weights(model);
      const MotionLimits limits(model);
      const Eigen::VectorXd goal = random_q(model, random), v = random_v(model, random);
      auto values = stage_values(problem);
      auto stages = qp_stages(problem.sizes());
      bool possible = true;
      const long count = allocations_of([&] {
        problem.set_plant(plant);
        problem.set_weights(weights);
        problem.set_limits(limits);
        problem.set_goal(goal);
        problem.set_reference(3, goal, v);
        problem.set_torque_reference(3, v);
        problem.set_obstacle(0, {{0.4, 0.0, 0.5}, {0.5, 0.1, 0.5}, 0.1});
        problem.set_target(0, Transform<double>());
        possible = problem.evaluate(t, values) && problem.linearise(t, nullptr, values, stages);
      });
      EXPECT_TRUE(possible);
      EXPECT_EQ(count, 0);
    }
}

TEST(RobotProblem, allocates_nothing_with_loops_either) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  const Model model = load_robot("fourbar").model;
  for (const Transcription transcription : both_transcriptions) {
    RobotProblemOptions options;
    options.transcription = transcription;
    options.loops = model.description().loops;
    RobotProblem problem(Plant<double>(model), options);
    Random random(1);
    const Trajectory t = random_trajectory(problem, random);
    const Plant<double> plant(model);
    const MotionWeights weights(model);
    const MotionLimits limits(model);
    const Eigen::VectorXd goal = random_q(model, random);
    auto values = stage_values(problem);
    auto stages = qp_stages(problem.sizes());
    bool possible = true;
    const long count = allocations_of([&] {
      problem.set_plant(plant);
      problem.set_weights(weights);
      problem.set_limits(limits);
      problem.set_goal(goal);
      possible = problem.evaluate(t, values) && problem.linearise(t, nullptr, values, stages);
    });
    EXPECT_TRUE(possible);
    EXPECT_EQ(count, 0);
  }
}

TEST(RobotProblem, allocates_nothing_with_loops_by_coordinates) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  const Model model = load_robot("delta").model;
  RobotProblemOptions options;
  options.transcription = Transcription::inverse_dynamics, options.steps = 5;
  options.loops = model.description().loops, options.loop_form = LoopForm::coordinates;
  RobotProblem problem(Plant<double>(model), options);
  Random random(1);
  Trajectory t = trajectory_of(problem);
  for (auto& x : t.x)
    for (double& each : x) each = random.real(-0.3, 0.3);
  const Plant<double> plant(model);
  const MotionWeights weights(model);
  const MotionLimits limits(model);
  const Eigen::VectorXd goal = random_v(model, random, 0.1), some = random_v(model, random);
  Eigen::VectorXd q(12), v(12);
  auto values = stage_values(problem);
  auto stages = qp_stages(problem.sizes());
  bool possible = true;
  EXPECT_EQ(allocations_of([&] {
              problem.set_plant(plant);
              problem.set_weights(weights), problem.set_limits(limits);
              problem.set_goal(goal);
              problem.set_reference(3, goal, some), problem.set_torque_reference(3, some);
              possible = problem.evaluate(t, values) &&
                         problem.linearise(t, nullptr, values, stages) &&
                         problem.joints(1, t.x[1], q, v);
            }),
            0);
  EXPECT_TRUE(possible);
}

TEST(RobotProblem, allocates_nothing_with_a_contact) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  const Model model = load_robot("panda").model;
  RobotProblemOptions options;
  options.transcription = Transcription::inverse_dynamics;
  options.contact = {.frame = std::string(model.frames().back().name), .friction = 0.3};
  RobotProblem problem(Plant<double>(model), options);
  Random random(1);
  const Trajectory t = random_trajectory(problem, random);
  const Eigen::VectorXd v = random_v(model, random), bent = random_q(model, random);
  Eigen::VectorXd torque(7);
  auto values = stage_values(problem);
  auto stages = qp_stages(problem.sizes());
  bool possible = true;
  EXPECT_EQ(allocations_of([&] {
              problem.set_reference(2, bent, v);
              problem.set_contact(10.0);
              problem.contact_torque(2, bent, t.u[2], torque);
              possible =
                  problem.evaluate(t, values) && problem.linearise(t, nullptr, values, stages);
            }),
            0);
  EXPECT_TRUE(possible);
}

}  // namespace
}  // namespace ulna::test
