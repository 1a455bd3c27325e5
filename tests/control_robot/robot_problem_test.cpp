#include "ulna/control/robot/robot_problem.hpp"

#include <Eigen/Eigenvalues>

#include "problems.hpp"
#include "ulna/io/import.hpp"

// How a robot's motion becomes an optimal control problem: costs, steps, limits, and their slopes.
namespace ulna::test {
namespace {

RobotProblemOptions small(Transcription transcription) {
  RobotProblemOptions options;
  options.transcription = transcription;
  options.durations = {0.02, 0.01, 0.03};
  return options;
}

void set_targets_near(RobotProblem& problem, const Trajectory& t, Random& random, double size) {
  Kinematics<double> at(problem.model());
  for (int k = 0; k <= problem.steps(); ++k) {
    at.set(t.x[static_cast<std::size_t>(k)].head(problem.model().nq()));
    const auto away = Transform<double>::exp(
        Twist<double>::from_vector(size * Vec6<double>(random_twist<double>(random).vector())));
    problem.set_target(0, k, at.pose(problem.model().frames().back()) * away);
  }
}

TEST(RobotProblem, slopes_are_those_of_its_values) {
  RandomModelOptions trees;
  trees.joints = 7;
  for_each_robot(
      [](const Model& model, Random& random) {
        for (const Transcription transcription : both_transcriptions) {
          SCOPED_TRACE("transcription " + std::to_string(static_cast<int>(transcription)));
          RobotProblemOptions options = small(transcription);
          options.frames = {{std::string(model.frames().back().name), 100.0, 10.0}};
          RobotProblem problem(smooth_plant(model), options);
          const Trajectory t = random_trajectory(problem, random);
          set_random_references(problem, t, random);
          set_targets_near(problem, t, random, 0.5);
          expect_true_slopes(problem, t, 1e-8);
        }
      },
      3, trees);
}

TEST(RobotProblem, curvature_is_that_of_the_cost_where_nothing_is_missed) {
  RandomModelOptions trees;
  trees.joints = 7;
  for_each_robot(
      [](const Model& model, Random& random) {
        for (const Transcription transcription : both_transcriptions) {
          SCOPED_TRACE("transcription " + std::to_string(static_cast<int>(transcription)));
          RobotProblemOptions options = small(transcription);
          options.frames = {{std::string(model.frames().back().name), 100.0, 10.0}};
          RobotProblem problem(smooth_plant(model), options);
          const Trajectory t = random_trajectory(problem, random);
          Motion<double> motion(model);
          Workspace<double> ws(model);
          for (int k = 0; k <= problem.steps(); ++k) {
            const Eigen::VectorXd &x = t.x[static_cast<std::size_t>(k)],
                                  &u = t.u[static_cast<std::size_t>(k)];
            const Eigen::VectorXd q = x.head(model.nq()), v = x.tail(model.nv());
            problem.set_reference(k, q, v);
            if (k == problem.steps()) break;
            Eigen::VectorXd tau = u;
            if (transcription == Transcription::inverse_dynamics) {
              motion.set(q, v, u);
              inverse_dynamics<double>(problem.plant(), motion, ws, tau);
            }
            problem.set_torque_reference(k, tau);
          }
          set_targets_near(problem, t, random, 0.0);
          EXPECT_NEAR(total_cost(values_at(problem, t)), 0.0, 1e-18);
          expect_true_curvature(problem, t, 1e-8);
        }
      },
      2, trees);
}

TEST(RobotProblem, curvature_is_symmetric_and_never_negative) {
  for (const char* name : {"panda", "scara", "quadruped"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    Random random(7);
    for (const Transcription transcription : both_transcriptions) {
      RobotProblem problem(Plant<double>(model), small(transcription));
      const Trajectory t = random_trajectory(problem, random);
      for (const QpStage& s : linearised(problem, t).stages) {
        expect_close(s.H, s.H.transpose(), 1e-15);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(s.H);
        EXPECT_GE(eigen.eigenvalues().minCoeff(), -1e-12 * s.H.norm());
      }
    }
  }
}

// The formula by which other solvers' optima of the Panda problem are told.
TEST(RobotProblem, the_cost_is_the_sum_it_is_said_to_be) {
  const Model model = load_robot("panda").model;
  const int n = model.nv();
  const double dt = 0.02;
  RobotProblemOptions options;
  options.steps = 10, options.duration = dt;
  MotionWeights weights(model);
  weights.position.setConstant(10.0), weights.velocity.setConstant(0.1);
  weights.torque.setConstant(1e-4), weights.terminal = 10.0;
  options.weights = weights;
  RobotProblem problem(Plant<double>(model), options);
  Random random(1);
  const Eigen::VectorXd goal = random_q(model, random);
  problem.set_goal(goal);
  Rig<double> rig(model, goal, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n));
  const Eigen::VectorXd hold = rig.gravity();

  const Trajectory t = random_trajectory(problem, random);
  double J = 0.0;
  for (std::size_t k = 0; k <= 10; ++k) {
    const Eigen::VectorXd e = t.x[k].head(n) - goal, v = t.x[k].tail(n);
    const double state = 10.0 * e.squaredNorm() + 0.1 * v.squaredNorm();
    J += k < 10 ? 0.5 * dt * (state + 1e-4 * (t.u[k] - hold).squaredNorm()) : 0.5 * 10.0 * state;
  }
  EXPECT_NEAR(total_cost(values_at(problem, t)), J, 1e-12 * J);
}

TEST(RobotProblem, a_step_of_forward_dynamics_is_that_of_the_integrator) {
  const Model model = load_robot("quadruped").model;
  Random random(2);
  for (const Integrator integrator : {Integrator::euler, Integrator::semi_implicit_euler,
                                      Integrator::midpoint, Integrator::rk4}) {
    RobotProblemOptions options = small(Transcription::forward_dynamics);
    options.integrator = integrator;
    RobotProblem problem(Plant<double>(model), options);
    const Trajectory t = random_trajectory(problem, random);
    const auto values = values_at(problem, t);
    Step<double> step(model, integrator);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_TRUE(step(problem.plant(), t.x[k].head(model.nq()), t.x[k].tail(model.nv()), t.u[k],
                       options.durations[k]));
      expect_close(values[k].next, problem.state(step.q_next, step.v_next), 1e-14);
    }
  }
}

// Where accelerations are those that torques cause, semi-implicitly or not, both say the same of a
// short step; the cost of a stage is the same to the last digits.
TEST(RobotProblem, both_transcriptions_tell_the_same_of_the_same_motion) {
  RandomModelOptions trees;
  trees.joints = 6;
  for_each_robot(
      [](const Model& model, Random& random) {
        RobotProblemOptions options;
        options.steps = 2, options.duration = 1e-4;
        RobotProblem forward(smooth_plant(model), options);
        options.transcription = Transcription::inverse_dynamics;
        RobotProblem inverse(smooth_plant(model), options);
        Trajectory by_torque = random_trajectory(forward, random), by_acceleration = by_torque;
        Kinematics<double> at(model);
        Workspace<double> ws(model);
        for (std::size_t k = 0; k < 2; ++k) {
          at.set(by_torque.x[k].head(model.nq()), by_torque.x[k].tail(model.nv()));
          ASSERT_TRUE(forward_dynamics<double>(forward.plant(), at, by_torque.u[k], ws,
                                               by_acceleration.u[k]));
        }
        const auto f = values_at(forward, by_torque), i = values_at(inverse, by_acceleration);
        const double a = std::max(1.0, by_acceleration.u[0].cwiseAbs().maxCoeff());
        for (std::size_t k = 0; k < 2; ++k) {
          EXPECT_NEAR(f[k].cost, i[k].cost, 1e-9 * std::max(1.0, f[k].cost));
          expect_close(i[k].g.head(model.nv()).eval(), by_torque.u[k], 1e-9 * a);
          Eigen::VectorXd apart(2 * model.nv());
          forward.difference(1, f[k].next, i[k].next, apart);
          EXPECT_LT(apart.cwiseAbs().maxCoeff(), 1e-6 * a * a);
        }
      },
      3, trees);
}

TEST(RobotProblem, limits_bound_inputs_and_states_of_arms) {
  const Model model = load_robot("panda").model;
  const int n = model.nv();
  RobotProblem problem{Plant<double>(model)};
  const Bounds& b = problem.bounds(3);
  EXPECT_EQ(b.upper.head(n), model.effort_limit());
  EXPECT_EQ(b.lower.head(n), -model.effort_limit());
  EXPECT_EQ(b.lower.segment(n, n), model.lower_limit());
  EXPECT_EQ(b.upper.segment(n, n), model.upper_limit());
  EXPECT_EQ(b.upper.segment(2 * n, n), model.velocity_limit());
  // the first state is what it is
  EXPECT_EQ(problem.bounds(0).upper(n), control::infinity);
  EXPECT_EQ(problem.size(3).g, 0);

  MotionLimits limits(model);
  limits.tighten(0.05);
  limits.price = 100.0, limits.price_squared = 10.0;
  problem.set_limits(limits);
  const double range = model.upper_limit()(2) - model.lower_limit()(2);
  EXPECT_NEAR(b.lower(n + 2), model.lower_limit()(2) + 0.05 * range, 1e-12);
  EXPECT_EQ(b.price(n + 2), 100.0);
  EXPECT_EQ(b.price_squared(2 * n), 10.0);
  EXPECT_EQ(b.price(0), control::infinity);
}

TEST(RobotProblem, limits_are_constraints_where_states_are_curved_or_torques_follow) {
  const Model arm = load_robot("panda").model;
  RobotProblemOptions options;
  options.transcription = Transcription::inverse_dynamics;
  RobotProblem inverse(Plant<double>(arm), options);
  EXPECT_EQ(inverse.size(0).g, arm.nv());
  EXPECT_EQ(inverse.bounds(0).upper.tail(arm.nv()), arm.effort_limit());
  EXPECT_EQ(inverse.bounds(0).upper(0), control::infinity);
  EXPECT_EQ(inverse.size(inverse.steps()).g, 0);

  const Model dog = load_robot("quadruped").model;
  const Model model = dog.nq() == dog.nv() ? with_floating_base(dog) : dog;
  RobotProblem curved{Plant<double>(model)};
  Random random(3);
  const Trajectory t = random_trajectory(curved, random);
  const auto values = values_at(curved, t);
  for (const Joint& j : model.joints()) {
    if (j.mimics || velocity_size(j.type) != 1) continue;
    EXPECT_EQ(values[2].g(j.v), t.x[2](j.q));
    EXPECT_EQ(curved.bounds(2).upper(curved.size(2).variables() + j.v), model.upper_limit()(j.q));
  }
  EXPECT_EQ(values[2].g.tail(model.nv()), t.x[2].tail(model.nv()));
}

TEST(RobotProblem, the_guess_goes_from_the_start_to_the_goal_held_against_gravity) {
  const Model model = load_robot("panda").model;
  RobotProblem problem{Plant<double>(model)};
  Random random(4);
  const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random),
                        goal = random_q(model, random);
  problem.set_goal(goal);
  const Trajectory t = problem.guess(q, v);
  expect_close(t.x.front(), problem.state(q, v), 1e-15);
  expect_close(t.x.back(), problem.state(goal, Eigen::VectorXd::Zero(7)), 1e-14);
  expect_close(t.x[10].head(7).eval(), Eigen::VectorXd(0.5 * (q + goal)), 1e-14);
  Rig<double> rig(model, t.x[10].head(7), t.x[10].tail(7), v);
  expect_close(t.u[10], rig.gravity(), 1e-14);
}

TEST(RobotProblem, another_plant_changes_steps_and_the_torques_to_hold_still) {
  const Model model = load_robot("panda").model;
  Plant<double> heavy(model);
  Eigen::VectorXd pi(heavy.inertial_size());
  heavy.get_inertial(pi);
  heavy.set_inertial(1.5 * pi);
  Random random(5);
  RobotProblem problem{Plant<double>(model)}, other(heavy);
  const Trajectory t = random_trajectory(problem, random);
  EXPECT_NE(total_cost(values_at(problem, t)), total_cost(values_at(other, t)));
  problem.set_plant(heavy);
  EXPECT_EQ(total_cost(values_at(problem, t)), total_cost(values_at(other, t)));
  expect_close(values_at(problem, t)[3].next, values_at(other, t)[3].next, 1e-15);
}

TEST(RobotProblem, refuses_what_makes_no_sense_and_says_why) {
  const Model model = load_robot("panda").model;
  const auto message = [](auto f) {
    try {
      f();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  RobotProblem problem{Plant<double>(model)};
  const Eigen::VectorXd three = Eigen::VectorXd::Zero(3), seven = Eigen::VectorXd::Zero(7);
  EXPECT_NE(message([&] { problem.set_goal(three); }).find("3"), std::string::npos);
  EXPECT_NE(message([&] { problem.set_reference(21, seven, seven); }).find("0 to 20"),
            std::string::npos);
  EXPECT_NE(message([&] { problem.set_torque_reference(20, seven); }).find("0 to 19"),
            std::string::npos);
  MotionWeights weights(model);
  weights.velocity(3) = -1.0;
  EXPECT_NE(message([&] { problem.set_weights(weights); }).find("negative"), std::string::npos);
  MotionLimits limits(model);
  limits.lower(3) = 1.0, limits.upper(3) = 0.0;
  EXPECT_NE(message([&] { problem.set_limits(limits); }).find("joint4"), std::string::npos);
  RobotProblemOptions none, backwards;
  none.steps = 0, backwards.duration = -0.1;
  EXPECT_NE(message([&] { RobotProblem(Plant<double>(model), none); }).find("0 steps"),
            std::string::npos);
  EXPECT_NE(message([&] { RobotProblem(Plant<double>(model), backwards); }).find("positive"),
            std::string::npos);
  RobotProblemOptions lost;
  lost.frames.resize(1), lost.frames[0].frame = "nowhere";
  EXPECT_NE(message([&] { RobotProblem(Plant<double>(model), lost); }).find("nowhere"),
            std::string::npos);
  EXPECT_NE(message([&] { problem.set_plant(Plant<double>(load_robot("scara").model)); }),
            std::string());
}

TEST(RobotProblem, has_no_value_where_numbers_are_not_finite) {
  const Model model = load_robot("panda").model;
  for (const Transcription transcription : both_transcriptions) {
    RobotProblem problem(Plant<double>(model), small(transcription));
    Random random(6);
    Trajectory t = random_trajectory(problem, random);
    auto values = stage_values(problem);
    t.u[1](2) = NAN;
    EXPECT_FALSE(problem.evaluate(t, values));
    t.u[1](2) = 1e306;
    EXPECT_FALSE(problem.evaluate(t, values));
  }
}

}  // namespace
}  // namespace ulna::test
