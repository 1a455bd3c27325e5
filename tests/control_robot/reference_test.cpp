#include "problems.hpp"
#include "ulna/control/ipopt.hpp"
#include "ulna/io/import.hpp"
#include "support/paths.hpp"

namespace ulna::test {
namespace {

using Eigen::VectorXd;

/// The Panda's motion that other solvers were timed on, from where the state is
/// held; panda7.urdf has its limits.
struct Panda {
  Model model = load_robot(test::project_path("tests/control_robot/panda7.urdf")).model;
  RobotProblem problem;
  VectorXd q = VectorXd{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}}, v = VectorXd::Zero(7);
  Trajectory held;

  explicit Panda(int steps) : problem(Plant<double>(model), options(model, steps)) {
    problem.set_goal(q);
    held = problem.guess(q, v);
    problem.set_goal(q + VectorXd{{0.5, 0.3, -0.4, 0.5, 0.3, -0.5, 0.4}});
  }
  static RobotProblemOptions options(const Model& model, int steps) {
    RobotProblemOptions o;
    o.steps = steps, o.duration = 0.02;
    MotionWeights weights(model);
    weights.position.setConstant(10.0), weights.velocity.setConstant(0.1);
    weights.torque.setConstant(1e-4), weights.terminal = 10.0;
    o.weights = weights;
    return o;
  }
};

/// By Ipopt through CasADi and by FATROP, which agree on all digits, on another implementation of the
/// robot's dynamics.
struct Reference {
  int steps;
  double cost;
};
constexpr Reference reference_costs[] = {{10, 2.0488237}, {20, 0.81316526}, {50, 0.81197286}};

TEST(Panda, costs_what_others_say) {
  for (const auto& [steps, cost] : reference_costs) {
    SCOPED_TRACE(steps);
    Panda panda(steps);
    Sqp sqp(panda.problem);
    sqp.trajectory = panda.held;
    const SqpReport& report = sqp.solve(panda.problem.state(panda.q, panda.v));
    ASSERT_EQ(report.status, SqpStatus::solved) << report.str();
    EXPECT_NEAR(report.cost, cost, 1e-5 * cost);
    EXPECT_LE(report.iterations, 8) << report.str();
  }
}

TEST(Panda, costs_the_same_by_ipopt) {
  if (!has_ipopt()) GTEST_SKIP() << "built without Ipopt";
  for (const auto& [steps, cost] : reference_costs) {
    SCOPED_TRACE(steps);
    Panda panda(steps);
    const IpoptResult r =
        solve_with_ipopt(panda.problem, panda.held, panda.problem.state(panda.q, panda.v));
    ASSERT_EQ(r.status, SqpStatus::solved) << r.str();
    EXPECT_NEAR(r.cost, cost, 1e-5 * cost);
  }
}

}  // namespace
}  // namespace ulna::test
