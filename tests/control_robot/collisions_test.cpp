#include "problems.hpp"
#include "ulna/io/import.hpp"

// What a motion must not hit, as constraints.
namespace ulna::test {
namespace {

TEST(Collisions, slopes_are_those_of_values) {
  for (const bool floating : {false, true})
    for (const Transcription transcription : both_transcriptions) {
      SCOPED_TRACE(floating ? "on a floating base" : "on a fixed base");
      const Model arm = load_robot("panda").model, model = floating ? with_floating_base(arm) : arm;
      RobotProblemOptions options;
      options.transcription = transcription;
      options.steps = 3;
      options.final_given.assign(static_cast<std::size_t>(2 * model.nv()), true);
      options.collisions = {.floor = 0.0,
                            .obstacles = {{{0.5, 0.0, 0.5}, {0.5, 0.0, 0.5}, 0.1},
                                          {{-0.5, 0.2, 0.5}, {0.5, 0.5, 0.5}, 0.05}}};
      Plant<double> plant(model);
      plant.remove_friction();
      RobotProblem problem(plant, options);
      ASSERT_GT(problem.capsules()->size(), 20);
      Random random(11);
      problem.set_goal(random_q(model, random));
      expect_true_slopes(problem, random_trajectory(problem, random), 1e-6);
    }
}

TEST(Collisions, rows_tell_distances_and_keep_to_what_is_required) {
  const Model model = load_robot("panda").model;
  RobotProblemOptions options;
  options.steps = 2;
  options.collisions = {
      .distance = 0.03, .self = false, .obstacles = {{{0.5, 0.0, 0.5}, {0.5, 0.0, 0.5}, 0.1}}};
  options.collision_price = 1e3, options.collision_price_squared = 1e4;
  RobotProblem problem(Plant<double>(model), options);
  const int pairs = problem.capsules()->size();
  // of a first state that is given, nothing can be asked
  EXPECT_EQ(problem.size(0).g, 0);
  EXPECT_EQ(problem.size(1).g, pairs);
  EXPECT_EQ(problem.size(2).g, pairs);
  EXPECT_EQ(problem.bounds(1).lower.tail(pairs), Eigen::VectorXd::Constant(pairs, 0.03));
  EXPECT_EQ(problem.bounds(1).upper.tail(1)(0), control::infinity);
  EXPECT_EQ(problem.bounds(2).price.tail(1)(0), 1e3);
  EXPECT_EQ(problem.bounds(2).price_squared.tail(1)(0), 1e4);

  Random random(12);
  const Trajectory t = random_trajectory(problem, random);
  Capsules capsules(model, *options.collisions);
  Eigen::VectorXd d(pairs);
  capsules.distances(t.x[1].head(7), d);
  EXPECT_EQ(values_at(problem, t)[1].g, d);

  const PlacedCapsule moved{{0.3, 0.2, 0.4}, {0.3, 0.2, 0.9}, 0.05};
  problem.set_obstacle(0, moved), capsules.set_obstacle(0, moved);
  capsules.distances(t.x[1].head(7), d);
  EXPECT_EQ(values_at(problem, t)[1].g, d);

  RobotProblem careless{Plant<double>(model)};
  EXPECT_THROW(careless.set_obstacle(0, moved), std::logic_error);
  EXPECT_THROW(problem.set_obstacle(1, moved), std::out_of_range);
}

}  // namespace
}  // namespace ulna::test
