#include "problems.hpp"
#include "ulna/control/ipopt.hpp"
#include "ulna/io/import.hpp"

// Motions of robots by two solvers, one of them made by others.
namespace ulna::test {
namespace {

using Eigen::VectorXd;

/// Within limits of position, as far from them as may be; at random where there are none.
VectorXd somewhere(const Model& model, Random& random, double spread) {
  VectorXd q = random_q(model, random);
  for (const Joint& j : model.joints()) {
    if (j.mimics || velocity_size(j.type) != 1) continue;
    const double low = std::max(model.lower_limit()(j.q), -2.0),
                 high = std::min(model.upper_limit()(j.q), 2.0);
    q(j.q) = 0.5 * (low + high) + 0.5 * spread * (high - low) * random.real();
  }
  return q;
}

/// Where a problem begins.
struct Start {
  VectorXd q, v, x;
  Trajectory guess;
};
Start start_of(RobotProblem& problem, const VectorXd& q) {
  Start s{q, VectorXd::Zero(problem.model().nv()), {}, {}};
  s.guess = problem.guess(s.q, s.v);
  s.x = s.guess.x[0];
  return s;
}

void expect_agreement(RobotProblem& problem, const Start& start) {
  Sqp sqp(problem, {.exact_hessian = problem.has_exact_hessian()});
  sqp.trajectory = start.guess;
  const SqpReport& report = sqp.solve(start.x);
  ASSERT_EQ(report.status, SqpStatus::solved) << report.str();
  if (!has_ipopt()) GTEST_SKIP() << "built without Ipopt";
  const IpoptResult witness = solve_with_ipopt(problem, start.guess, start.x);
  ASSERT_EQ(witness.status, SqpStatus::solved) << witness.str();
  EXPECT_NEAR(report.cost, witness.cost, 1e-6 * std::abs(witness.cost)) << report.str() << "\n"
                                                                        << witness.str();
}

RobotProblemOptions short_motion(Transcription transcription) {
  RobotProblemOptions options;
  options.transcription = transcription;
  options.steps = 6, options.duration = 0.05;
  return options;
}

class Solvers : public testing::TestWithParam<const char*> {
 protected:
  Plant<double> plant() const {
    Plant<double> p(load_robot(GetParam()).model);
    p.remove_friction();
    return p;
  }
};

TEST_P(Solvers, agree_on_motions_to_a_goal) {
  for (const Transcription transcription : both_transcriptions) {
    SCOPED_TRACE(transcription == Transcription::forward_dynamics ? "forward" : "inverse");
    RobotProblem problem(plant(), short_motion(transcription));
    Random random(1);
    const VectorXd q = somewhere(problem.model(), random, 0.3);
    problem.set_goal(somewhere(problem.model(), random, 0.5));
    expect_agreement(problem, start_of(problem, q));
  }
}

TEST_P(Solvers, agree_on_free_final_times) {
  const Model model = plant().model();
  for (const Transcription transcription : both_transcriptions) {
    SCOPED_TRACE(transcription == Transcription::forward_dynamics ? "forward" : "inverse");
    RobotProblemOptions options = short_motion(transcription);
    options.final_time = {{0.1, 3.0}};
    options.final_given.assign(static_cast<std::size_t>(2 * model.nv()), true);
    MotionWeights weights(model);
    weights.time = 5.0;
    options.weights = weights;
    RobotProblem problem(plant(), options);
    Random random(2);
    const VectorXd q = somewhere(model, random, 0.3);
    problem.set_goal(q + 0.3 * (somewhere(model, random, 0.6) - q));
    const Start start = start_of(problem, q);
    problem.set_initial(start.q, start.v);
    expect_agreement(problem, start);
  }
}

INSTANTIATE_TEST_SUITE_P(Arms, Solvers,
                         testing::Values("panda", "ur5e", "iiwa14", "puma560", "scara", "stanford",
                                         "panda_mdh", "modern_robotics_3r", "twolink_fu",
                                         "double_pendulum", "cartesian_fakhari", "rp_fakhari"),
                         [](const auto& arm) { return std::string(arm.param); });

}  // namespace
}  // namespace ulna::test
