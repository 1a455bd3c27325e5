#include "problems.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

// The Lagrangian's slope by (u, x) is h + F'next + (1 G')rows, and here F is constant.
TEST(ExactHessian, is_how_the_slope_of_the_lagrangian_changes) {
  for (const char* name : {"panda", "scara", "stanford"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    Plant<double> plant(model);
    plant.remove_friction();
    RobotProblemOptions options;
    options.transcription = Transcription::inverse_dynamics;
    options.durations = {0.02, 0.03};
    RobotProblem problem(plant, options);
    ASSERT_TRUE(problem.has_exact_hessian());
    Random random(1);
    const Trajectory t = random_trajectory(problem, random);
    problem.set_goal(random_q(model, random));
    Multipliers multipliers;
    for (int k = 0; k < problem.stage_count(); ++k) {
      multipliers.next.push_back(random_v(model, random));
      Eigen::VectorXd rows(problem.size(k).rows());
      for (double& x : rows) x = random.real();
      multipliers.rows.push_back(rows);
    }
    Linearised at = linearised(problem, t);
    ASSERT_TRUE(problem.linearise(t, &multipliers, at.values, at.stages));
    const auto slope = [&](int variable, std::size_t k, double by) {
      const QpStage s = linearised(problem, displaced(problem, t, variable, by)).stages[k];
      return Eigen::VectorXd(s.h + s.G.transpose() * multipliers.rows[k].tail(s.size.g));
    };
    for (std::size_t k = 0; k < at.stages.size(); ++k) {
      SCOPED_TRACE("stage " + std::to_string(k));
      const Eigen::MatrixXd& H = at.stages[k].H;
      Eigen::MatrixXd expected(H.rows(), H.cols());
      for (int c = 0; c < H.cols(); ++c)
        expected.col(c) = five_point_derivative([&](double by) { return slope(c, k, by); });
      expect_close(H, expected, 1e-9);
    }
  }
}

TEST(ExactHessian, is_told_only_where_it_is_exact) {
  const Model arm = load_robot("panda").model;
  EXPECT_FALSE(RobotProblem{Plant<double>(arm)}.has_exact_hessian());
  RobotProblemOptions options;
  options.transcription = Transcription::inverse_dynamics;
  EXPECT_FALSE(RobotProblem(Plant<double>(with_floating_base(arm)), options).has_exact_hessian());
  options.final_time = {{0.1, 1.0}};
  EXPECT_FALSE(RobotProblem(Plant<double>(arm), options).has_exact_hessian());
}

}  // namespace
}  // namespace ulna::test
