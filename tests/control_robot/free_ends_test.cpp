#include "problems.hpp"
#include "ulna/io/import.hpp"

// Final times that are free, first states that are free in part, last states that are given in part
// (Cărămizaru 2023, Listing 5.5).
namespace ulna::test {
namespace {

RobotProblemOptions free_ends(const Model& model, Transcription transcription, Random& random) {
  RobotProblemOptions options;
  options.transcription = transcription;
  options.durations = {0.02, 0.01, 0.03};
  options.final_time = {{0.03, 0.2}};
  for (int i = 0; i < 2 * model.nv(); ++i) {
    options.initial_given.push_back(random.real() > 0.0);
    options.final_given.push_back(random.real() > 0.0);
  }
  // so that there is one of each, whatever is drawn
  options.initial_given.front() = false, options.final_given.front() = true;
  MotionWeights weights(model);
  weights.time = 3.0;
  options.weights = weights;
  return options;
}

TEST(FreeEnds, slopes_are_those_of_values) {
  RandomModelOptions trees;
  trees.joints = 7;
  for_each_robot(
      [](const Model& model, Random& random) {
        for (const Transcription transcription : both_transcriptions) {
          SCOPED_TRACE("transcription " + std::to_string(static_cast<int>(transcription)));
          RobotProblem problem(smooth_plant(model), free_ends(model, transcription, random));
          const Trajectory t = random_trajectory(problem, random);
          problem.set_initial(random_q(model, random), random_v(model, random));
          set_random_references(problem, t, random);
          expect_true_slopes(problem, t, 1e-7);
        }
      },
      3, trees);
}

// Of squares of r sqrt(h), Gauss and Newton have it that H is (d r sqrt(h))' (d r sqrt(h)).
TEST(FreeEnds, curvature_by_time_is_that_of_roots_of_durations) {
  const Model model = load_robot("panda").model;
  const int n = model.nv();
  Random random(1);
  RobotProblem problem(Plant<double>(model),
                       free_ends(model, Transcription::forward_dynamics, random));
  problem.set_goal(random_q(model, random));
  const Trajectory t = random_trajectory(problem, random);
  const auto stages = linearised(problem, t).stages;
  const auto k = static_cast<std::size_t>(problem.stage(1));
  const double share = 0.01 / 0.06;
  const Eigen::VectorXd goal = problem.guess(t.x[k].head(n), t.x[k].segment(n, n)).x.back();
  Rig<double> rig(model, goal.head(n), goal.segment(n, n), goal.segment(n, n));
  const auto residuals = [&](const Eigen::VectorXd& z) {
    const double h = share * z(3 * n);
    Eigen::VectorXd r(3 * n);
    r << (z.head(n) - rig.gravity()).cwiseProduct(problem.weights().torque.cwiseSqrt()),
        (z.segment(n, n) - goal.head(n)).cwiseProduct(problem.weights().position.cwiseSqrt()),
        z.segment(2 * n, n).cwiseProduct(problem.weights().velocity.cwiseSqrt());
    return Eigen::VectorXd(std::sqrt(h) * r);
  };
  Eigen::VectorXd z(3 * n + 1);
  z << t.u[k], t.x[k];
  Eigen::MatrixXd J(3 * n, 3 * n + 1);
  for (int c = 0; c <= 3 * n; ++c)
    J.col(c) = five_point_derivative(
        [&](double by) { return residuals(z + by * Eigen::VectorXd::Unit(3 * n + 1, c)); }, 1e-4);
  expect_close(stages[k].H, Eigen::MatrixXd(J.transpose() * J), 1e-8);
}

TEST(FreeEnds, the_stage_before_leads_to_what_was_set_but_for_what_is_free) {
  const Model model = with_floating_base(load_robot("scara").model);
  const int n = model.nv();
  Random random(2);
  RobotProblemOptions options;
  options.initial_given.assign(static_cast<std::size_t>(2 * n), true);
  for (const int dof : {1, 4, 7, n + 2})
    options.initial_given[static_cast<std::size_t>(dof)] = false;
  RobotProblem problem(Plant<double>(model), options);
  EXPECT_EQ(problem.size(0), (StageSize{0, 4, 0}));
  const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random);
  problem.set_initial(q, v);
  Trajectory t = problem.guess(q, v);
  expect_close(values_at(problem, t)[0].next, problem.state(q, v), 1e-15);
  t.u[0] << 0.1, -0.2, 0.3, 0.4;
  Eigen::VectorXd way(2 * n), expected = Eigen::VectorXd::Zero(2 * n);
  problem.difference(1, problem.state(q, v), values_at(problem, t)[0].next, way);
  expected(1) = 0.1, expected(4) = -0.2, expected(7) = 0.3, expected(n + 2) = 0.4;
  expect_close(way, expected, 1e-13);

  // a guess that begins elsewhere begins there
  Eigen::VectorXd elsewhere(n);
  elsewhere.setZero(), elsewhere(4) = 0.5;
  t = problem.guess(integrate(model, q, elsewhere), v);
  EXPECT_NEAR(t.u[0](1), 0.5, 1e-13);
  expect_close(values_at(problem, t)[0].next, t.x[1], 1e-13);
}

TEST(FreeEnds, a_last_state_that_is_given_is_an_equation) {
  const Model arm = load_robot("panda").model;
  RobotProblemOptions options;
  options.final_given.assign(14, false);
  options.final_given[2] = options.final_given[9] = true;
  RobotProblem problem(Plant<double>(arm), options);
  Random random(3);
  const Eigen::VectorXd q = random_q(arm, random), v = random_v(arm, random, 0.1);
  problem.set_reference(20, q, v);
  const Bounds& b = problem.bounds(20);
  EXPECT_EQ(b.lower(2), q(2));
  EXPECT_EQ(b.upper(2), q(2));
  EXPECT_EQ(b.lower(9), v(2));
  EXPECT_EQ(b.upper(9), v(2));
  EXPECT_LT(b.lower(3), b.upper(3));

  const Model model = with_floating_base(arm);
  options.final_given.assign(static_cast<std::size_t>(2 * model.nv()), true);
  RobotProblem curved(Plant<double>(model), options);
  const int rows = 2 * model.nv();
  EXPECT_EQ(curved.size(20).g, 2 * rows);
  EXPECT_EQ(curved.bounds(20).lower.tail(rows), Eigen::VectorXd::Zero(rows));
  EXPECT_EQ(curved.bounds(20).upper.tail(rows), Eigen::VectorXd::Zero(rows));
  curved.set_goal(random_q(model, random));
  const Trajectory t = curved.guess(random_q(model, random), random_v(model, random));
  EXPECT_LT(values_at(curved, t)[20].g.tail(rows).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(FreeEnds, the_final_time_keeps_to_its_bounds_and_its_steps_to_their_shares) {
  const Model model = load_robot("double_pendulum").model;
  RobotProblemOptions options;
  options.durations = {0.1, 0.3};
  options.final_time = {{0.5, 2.0}};
  RobotProblem problem(Plant<double>(model), options);
  EXPECT_EQ(problem.stage_count(), 4);
  EXPECT_EQ(problem.bounds(0).lower(0), 0.5);
  EXPECT_EQ(problem.bounds(0).upper(0), 2.0);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(2, 0.3), v = Eigen::VectorXd::Zero(2);
  const Trajectory t = problem.guess(q, v);
  EXPECT_EQ(t.u[0](0), 0.5);
  EXPECT_EQ(t.x[2](4), 0.5);
  Step<double> step(model, Integrator::rk4);
  ASSERT_TRUE(step(problem.plant(), t.x[2].head(2), t.x[2].segment(2, 2), t.u[2], 0.375));
  expect_close(values_at(problem, t)[2].next, problem.state(step.q_next, step.v_next, 0.5), 1e-14);

  Trajectory backwards = t;
  backwards.x[1](4) = -0.1;
  auto values = stage_values(problem);
  EXPECT_FALSE(problem.evaluate(backwards, values));
  options.final_time = {{2.0, 0.5}};
  EXPECT_THROW(RobotProblem(Plant<double>(model), options), std::invalid_argument);
  options.final_time.reset();
  options.final_given = {true, false};
  EXPECT_THROW(RobotProblem(Plant<double>(model), options), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
