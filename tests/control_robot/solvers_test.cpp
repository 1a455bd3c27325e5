#include "solvers.hpp"
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
    const Start start = start_of(problem, q);
    expect_agreement(problem, start.guess, start.x);
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
    expect_agreement(problem, start.guess, start.x);
  }
}

TEST(SolversOfCollisions, agree_on_ways_round_an_obstacle) {
  const Model model = load_robot("panda").model;
  for (const Transcription transcription : both_transcriptions) {
    SCOPED_TRACE(transcription == Transcription::forward_dynamics ? "forward" : "inverse");
    RobotProblemOptions options = short_motion(transcription);
    options.steps = 10, options.duration = 0.08;
    // a post in the way of the hand, which goes from one side to the other
    options.collisions = {
        .distance = 0.02, .self = false, .obstacles = {{{0.6, 0.05, 0.0}, {0.6, 0.05, 0.5}, 0.05}}};
    RobotProblem problem(Plant<double>(model), options);
    VectorXd q{{-0.6, 0.4, 0.0, -1.8, 0.0, 2.2, 0.785}}, goal = q;
    goal(0) = 0.6;
    problem.set_goal(goal);
    const Start start = start_of(problem, q);
    expect_agreement(problem, start.guess, start.x);
    // without the obstacle it would be cheaper: it is in the way
    Sqp sqp(problem);
    sqp.trajectory = start.guess;
    const double cost = sqp.solve(start.x).cost;
    problem.set_obstacle(0, {{0.0, 0.0, 5.0}, {0.0, 0.0, 6.0}, 0.05});
    EXPECT_LT(sqp.solve(start.x).cost, 0.999 * cost);
  }
}

// Joints that turn freely: Ipopt sees displacements from the guess.
TEST(SolversOnManifolds, agree) {
  for (const char* name : {"ball_wrist", "quadruped"}) {
    SCOPED_TRACE(name);
    Plant<double> plant(load_robot(name).model);
    plant.remove_friction();
    RobotProblemOptions options = short_motion(Transcription::forward_dynamics);
    options.steps = 3;
    RobotProblem problem(plant, options);
    const Model& model = problem.model();
    Random random(4);
    const VectorXd q = somewhere(model, random, 0.3);
    problem.set_goal(integrate(model, q, 0.3 * random_v(model, random)));
    const Start start = start_of(problem, q);
    expect_agreement(problem, start.guess, start.x);
  }
}

INSTANTIATE_TEST_SUITE_P(Arms, Solvers,
                         testing::Values("panda", "ur5e", "iiwa14", "puma560", "scara", "stanford",
                                         "panda_mdh", "modern_robotics_3r", "twolink_fu",
                                         "double_pendulum", "cartesian_fakhari", "rp_fakhari"),
                         [](const auto& arm) { return std::string(arm.param); });

}  // namespace
}  // namespace ulna::test
