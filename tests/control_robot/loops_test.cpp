#include <Eigen/LU>

#include "solvers.hpp"
#include "support/closed_loops.hpp"
#include "support/four_bar.hpp"
#include "ulna/io/import.hpp"

// Loops that are closed by constraints (Cărămizaru 2023, sec. 5.4.1).
namespace ulna::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(LoopsInProblems, slopes_are_those_of_values) {
  RandomModelOptions trees;
  trees.joints = 8;
  for_each_robot(
      [](const Model& model, Random& random) {
        for (const Transcription transcription : both_transcriptions)
          for (const bool timed : {false, true}) {
            SCOPED_TRACE("transcription " + std::to_string(static_cast<int>(transcription)));
            SCOPED_TRACE(timed ? "of free duration" : "of given duration");
            RobotProblemOptions options;
            options.transcription = transcription;
            options.durations = {0.02, 0.03};
            if (timed) options.integrator = Integrator::midpoint;
            options.closed_at = random_q(model, random);
            options.loops = {loop_closed_at(model, options.closed_at, JointType::ball, 0,
                                            model.body_count() - 1, random)};
            if (timed) {
              options.final_time = {{0.03, 0.2}};
              options.initial_given.assign(static_cast<std::size_t>(2 * model.nv()), false);
            }
            RobotProblem problem(smooth_plant(model), options);
            const Trajectory t = random_trajectory(problem, random);
            set_random_references(problem, t, random);
            expect_true_slopes(problem, t, 1e-7);
          }
      },
      2, trees);
}

constexpr Transcription forward = Transcription::forward_dynamics;

constexpr double duration = 0.6, goal = 1.2;

RobotProblemOptions fourbar_options(const Model& model, Transcription transcription, int steps) {
  RobotProblemOptions options;
  options.transcription = transcription;
  options.steps = steps, options.duration = duration / steps;
  options.loops = model.description().loops;
  // driven at its crank
  MotionLimits limits(model);
  limits.torque(1) = limits.torque(2) = 0.0;
  options.limits = limits;
  // unhurried enough for large steps to follow
  MotionWeights weights(model);
  weights.position.setConstant(1.0), weights.velocity.setConstant(0.02);
  options.weights = weights;
  return options;
}

/// From rest, with the crank upright, a turn of the crank.
struct Turn {
  Model model = load_robot("fourbar").model;
  Transcription transcription;
  RobotProblem problem;
  Trajectory guess;

  Turn(const RobotProblemOptions& options, bool friction = true)
      : transcription(options.transcription), problem(plant_of(model, friction), options) {
    problem.set_goal(Crank::position(goal).q);
    guess = problem.guess(VectorXd::Zero(3), VectorXd::Zero(3));
  }
  Turn(Transcription t, int steps, bool friction = true)
      : Turn(fourbar_options(load_robot("fourbar").model, t, steps), friction) {}

  static Plant<double> plant_of(const Model& model, bool friction) {
    Plant<double> plant(model);
    if (!friction) plant.remove_friction();
    return plant;
  }
  Trajectory solve() {
    Sqp sqp(problem, {.tolerance = 1e-8});
    sqp.trajectory = guess;
    const SqpReport& report = sqp.solve(guess.x[static_cast<std::size_t>(problem.stage(0))]);
    EXPECT_EQ(report.status, SqpStatus::solved) << report.str();
    EXPECT_LE(report.iterations, 10) << report.str();
    return sqp.trajectory;
  }
  VectorXd torque(const Trajectory& t, int k) {
    const auto i = static_cast<std::size_t>(k);
    if (transcription == forward) return t.u[i].head(3);
    return values_at(problem, t)[i].g.head(3);
  }
};

TEST(FourBar, is_drawn_as_its_witness_has_it) {
  const Model model = load_robot("fourbar").model;
  Loops loops(model, model.description().loops, neutral(model));
  for (double crank = -3.0; crank < 3.1; crank += 0.5) {
    const Crank::Position at = Crank::position(crank);
    loops.set(at.q);
    EXPECT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((loops.J() * at.by_angle).cwiseAbs().maxCoeff(), 1e-12);
    MatrixXd curve(2, 3);
    loops.rate_slope(at.by_angle, curve);
    EXPECT_LT((loops.J() * at.by_square + curve * at.by_angle).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(FourBar, keeps_its_loop_closed_at_all_nodes_and_gets_there) {
  for (const Transcription transcription : both_transcriptions)
    for (const int steps : {8, 30}) {
      SCOPED_TRACE(to_string(transcription));
      Turn turn(transcription, steps);
      const Trajectory t = turn.solve();
      Loops loops = *turn.problem.loops();
      for (const VectorXd& x : t.x) {
        loops.set(x.head(3));
        EXPECT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-8);
        EXPECT_LT((loops.J() * x.tail(3)).cwiseAbs().maxCoeff(), 1e-8);
      }
      EXPECT_NEAR(t.x.back()(0), goal, 0.02);
    }
}

/// A motion by torques that hardly depend on how long steps are: near smooth ones, and not too fast.
struct Driven : Turn {
  Driven(Transcription t, int steps, bool friction = true) : Turn(t, steps, friction) {
    MotionWeights weights(model);
    weights.position.setZero(), weights.velocity.setConstant(1e-3), weights.terminal = 0.0;
    weights.torque.setOnes();
    problem.set_weights(weights);
    for (int k = 0; k < steps; ++k)
      problem.set_torque_reference(k, VectorXd{{0.2 * std::cos(4.0 * k / steps) - 0.1, 0.0, 0.0}});
  }
};

/// How far the loop is open anywhere: between nodes, forces through it are linear and the tree moves by them.
double widest_gap(const Driven& driven, const Trajectory& t) {
  const double h = duration / driven.problem.steps();
  constexpr int parts = 20;
  Loops loops = *driven.problem.loops();
  Kinematics<double> moving(driven.model);
  Workspace<double> ws(driven.model);
  double widest = 0.0;
  for (std::size_t k = 0; k < t.u.size() - 1; ++k) {
    const VectorXd& u = t.u[k];
    const auto rate = [&](double share, const VectorXd& x) {
      loops.set(x.head(3));
      const VectorXd lambda = (1.0 - share) * u.segment(3, 2) + share * u.tail(2),
                     tau = u.head(3) + loops.J().transpose() * lambda;
      VectorXd dx(6), a(3);
      moving.set(x.head(3), x.tail(3));
      EXPECT_TRUE(forward_dynamics<double>(driven.problem.plant(), moving, tau, ws, a));
      dx << x.tail(3), a;
      return dx;
    };
    VectorXd x = t.x[k];
    for (int i = 0; i < parts; ++i) {
      const double part = h / parts, at = static_cast<double>(i) / parts, half = 0.5 / parts;
      const VectorXd k1 = rate(at, x), k2 = rate(at + half, x + 0.5 * part * k1),
                     k3 = rate(at + half, x + 0.5 * part * k2),
                     k4 = rate(at + 2.0 * half, x + part * k3);
      x += part / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      loops.set(x.head(3));
      widest = std::max(widest, loops.gap().cwiseAbs().maxCoeff());
    }
  }
  return widest;
}

TEST(FourBar, is_hardly_open_between_nodes_either_and_less_so_in_shorter_steps) {
  double before = 0.0;
  for (const int steps : {20, 40, 80}) {
    Driven driven(forward, steps);
    const double gap = widest_gap(driven, driven.solve());
    if (before > 0.0) {
      EXPECT_GT(before / gap, 12.0);
    }
    before = gap;
  }
  EXPECT_LT(before, 1e-7);
}

/// How far the crank is from where the torques of a trajectory would have it, at any node.
double astray(Turn& turn, const Trajectory& t) {
  Crank crank(turn.problem.plant());
  double angle = 0.0, rate = 0.0, most = 0.0;
  for (int k = 0; k < turn.problem.steps(); ++k) {
    crank.go(angle, rate, turn.torque(t, k), duration / turn.problem.steps());
    most = std::max(most, std::abs(t.x[static_cast<std::size_t>(k) + 1](0) - angle));
  }
  return most;
}

// Forces that are linear in a step leave RK4 at order four; in inverse dynamics torques are those of the
// beginning of a step, which is order one.
TEST(FourBar, moves_as_its_torques_move_the_crank_alone_the_closer_the_shorter_steps_are) {
  for (const Transcription transcription : both_transcriptions) {
    SCOPED_TRACE(to_string(transcription));
    double before = 0.0;
    for (const int steps : {20, 40, 80}) {
      Driven driven(transcription, steps);
      const Trajectory t = driven.solve();
      EXPECT_GT(std::abs(t.x.back()(0)), 0.5);
      const double error = astray(driven, t);
      if (before > 0.0) {
        EXPECT_GT(before / error, transcription == forward ? 12.0 : 1.8);
      }
      before = error;
    }
  }
}

// In steps of 15 ms, with a start that is all but a jump; driven at one joint, or at all of them.
TEST(FourBar, moves_as_planned_torques_move_the_crank_alone) {
  for (const bool all : {false, true}) {
    RobotProblemOptions options = fourbar_options(load_robot("fourbar").model, forward, 40);
    if (all) options.limits.reset();
    Turn turn(options);
    EXPECT_LT(astray(turn, turn.solve()), 0.005);
  }
}

// Forces through the loop do no work, and so have no say in what the crank needs.
TEST(FourBar, needs_at_its_nodes_what_the_crank_alone_would_need) {
  Turn turn(Transcription::inverse_dynamics, 20);
  const Trajectory t = turn.solve();
  Motion<double> motion(turn.model);
  Workspace<double> ws(turn.model);
  for (int k = 0; k < 20; ++k) {
    const VectorXd &x = t.x[static_cast<std::size_t>(k)], &u = t.u[static_cast<std::size_t>(k)];
    VectorXd tree(3);
    motion.set(x.head(3), x.tail(3), u.head(3));
    inverse_dynamics<double>(turn.problem.plant(), motion, ws, tree);
    const VectorXd tau = turn.torque(t, k);
    EXPECT_NEAR(tau(0), Crank::position(x(0)).by_angle.dot(tree), 1e-7);
    EXPECT_LT(tau.tail(2).cwiseAbs().maxCoeff(), 1e-7);
  }
}

// Constant in a step, a torque does work by the angle that it turns through.
TEST(FourBar, gains_as_much_energy_as_its_crank_is_given) {
  double before = 0.0;
  for (const int steps : {20, 40, 80}) {
    Driven driven(forward, steps, false);
    const Trajectory t = driven.solve();
    Kinematics<double> state(driven.model);
    Workspace<double> ws(driven.model);
    const auto energy = [&](const VectorXd& x) {
      state.set(x.head(3), x.tail(3));
      return kinetic_energy<double>(driven.problem.plant(), state, ws) +
             potential_energy<double>(driven.problem.plant(), state, ws);
    };
    double work = 0.0, given = 0.0;
    for (std::size_t k = 0; k < t.x.size() - 1; ++k) {
      const double share = t.u[k](0) * (t.x[k + 1](0) - t.x[k](0));
      work += share, given += std::abs(share);
    }
    const double missing = std::abs(energy(t.x.back()) - energy(t.x.front()) - work);
    EXPECT_LT(missing, 1e-5 * given);
    if (before > 0.0) {
      EXPECT_GT(before / missing, 12.0);
    }
    before = missing;
  }
}

TEST(SolversOfLoops, agree_on_the_four_bar) {
  const Model model = load_robot("fourbar").model;
  for (const Transcription transcription : both_transcriptions) {
    SCOPED_TRACE(to_string(transcription));
    RobotProblemOptions options = fourbar_options(model, transcription, 12);
    {
      SCOPED_TRACE("driven at its crank");
      Turn turn(options);
      expect_agreement(turn.problem, turn.guess, turn.guess.x[0]);
    }
    {
      SCOPED_TRACE("driven at all joints");
      RobotProblemOptions strong = options;
      strong.limits.reset();
      Turn turn(strong);
      expect_agreement(turn.problem, turn.guess, turn.guess.x[0]);
    }
    {
      SCOPED_TRACE("as fast as it can, to where the crank has to be");
      options.final_time = {{0.05, 2.0}};
      options.weights->time = 1.0;
      options.limits->torque(0) = 1.0;
      options.final_given = {true, false, false, true, false, false};
      Turn turn(options);
      turn.problem.set_initial(VectorXd::Zero(3), VectorXd::Zero(3));
      expect_agreement(turn.problem, turn.guess, turn.guess.x[0]);
    }
  }
}

// The hand is pinned, or hinged, to a wall that it cannot leave.
TEST(SolversOfLoops, agree_on_an_arm_that_holds_on_to_the_world) {
  const Model model = load_robot("panda").model;
  const VectorXd q{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
  Kinematics<double> at(model);
  at.set(q);
  for (const JointType kind : {JointType::ball, JointType::revolute})
    for (const Transcription transcription : both_transcriptions) {
      SCOPED_TRACE(to_string(transcription));
      const std::string hand(model.frames().back().name);
      RobotProblemOptions options;
      options.transcription = transcription;
      options.steps = 8, options.duration = 0.05;
      options.closed_at = q;
      LoopDescription grip;
      grip.name = "grip", grip.type = kind, grip.axis = Vec3<double>::UnitZ();
      grip.link1 = model.frames().front().name, grip.link2 = hand;
      grip.origin1 = Pose(at.pose(model.frame(grip.link1)).inverse() * at.pose(model.frame(hand)));
      options.loops = {grip};
      Plant<double> plant(model);
      plant.remove_friction();
      RobotProblem problem(plant, options);
      EXPECT_EQ(problem.loops()->size(), kind == JointType::ball ? 3 : 5);
      problem.set_goal(q + VectorXd{{0.5, 0.3, -0.4, 0.5, 0.3, -0.5, 0.4}});
      const Trajectory guess = problem.guess(q, VectorXd::Zero(7));
      expect_agreement(problem, guess, guess.x[0]);
    }
}

TEST(FourBar, that_begins_open_is_refused) {
  Turn turn(forward, 8);
  const VectorXd open{{0.1, 0.0, 0.0}}, zero = VectorXd::Zero(3);
  EXPECT_THROW(turn.problem.guess(open, zero), std::invalid_argument);
  // a solver that was not asked for a guess says so too
  Sqp sqp(turn.problem);
  sqp.trajectory = turn.guess;
  EXPECT_EQ(sqp.solve(turn.problem.state(open, zero)).status, SqpStatus::infeasible)
      << sqp.report().str();
  if (has_ipopt()) {
    const IpoptResult r =
        solve_with_ipopt(turn.problem, turn.guess, turn.problem.state(open, zero));
    EXPECT_EQ(r.status, SqpStatus::infeasible) << r.str();
  }
  // measured states are open by a little, and the first step closes them
  sqp.trajectory = turn.guess;
  const VectorXd nearly{{1e-3, 0.0, 0.0}};
  ASSERT_EQ(sqp.solve(turn.problem.state(nearly, zero)).status, SqpStatus::solved)
      << sqp.report().str();
  Loops loops = *turn.problem.loops();
  loops.set(sqp.trajectory.x[1].head(3));
  EXPECT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-6);
}

TEST(FourBar, whose_ends_leave_its_loop_no_room_is_refused) {
  const Model model = load_robot("fourbar").model;
  const auto message = [&](auto change) {
    RobotProblemOptions options = fourbar_options(model, forward, 8);
    change(options);
    try {
      RobotProblem problem(Plant<double>(model), options);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing was refused");
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has,
               message([](auto& o) { o.final_given = {true, true, false, false, false, false}; }),
               "final_given gives 2 positions");
  EXPECT_PRED2(has,
               message([](auto& o) { o.initial_given = {true, true, true, true, true, false}; }),
               "initial_given leaves free 1 velocities");
  EXPECT_PRED2(has, message([](auto& o) { o.closed_at = VectorXd::Zero(2); }), "2");
  EXPECT_PRED2(has, message([](auto& o) { o.integrator = Integrator::euler; }), "midpoint");
}

TEST(FourBar, that_must_not_hit_the_floor_keeps_its_loop_closed_as_well) {
  RobotProblemOptions options = fourbar_options(load_robot("fourbar").model, forward, 8);
  options.collisions = {.floor = -0.2};
  Turn turn(options);
  const int pairs = turn.problem.capsules()->size();
  ASSERT_GT(pairs, 0);
  const Bounds& b = turn.problem.bounds(3);
  EXPECT_EQ(b.upper.tail(pairs + 4).head(4), VectorXd::Zero(4));
  EXPECT_EQ(b.lower.tail(pairs + 4).head(4), VectorXd::Zero(4));
  EXPECT_EQ(b.lower.tail(pairs), VectorXd::Constant(pairs, turn.problem.capsules()->required()));
  const VectorXd g = values_at(turn.problem, turn.guess)[3].g;
  EXPECT_LT(g.head(4).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_GT(g.tail(pairs).minCoeff(), 0.0);
}

// Where the first configuration is free, it closes the loop by itself.
TEST(FourBar, chooses_a_closed_first_state_if_that_is_free) {
  const Model model = load_robot("fourbar").model;
  RobotProblemOptions options = fourbar_options(model, forward, 8);
  options.initial_given = {true, false, false, true, false, false};
  RobotProblem problem(Plant<double>(model), options);
  problem.set_goal(Crank::position(goal).q);
  const Crank::Position start = Crank::position(0.4);
  problem.set_initial(VectorXd{{0.4, 0.0, 0.0}}, VectorXd{{0.5, 0.0, 0.0}});
  Sqp sqp(problem);
  sqp.trajectory = problem.guess(start.q, 0.5 * start.by_angle);
  ASSERT_EQ(sqp.solve(sqp.trajectory.x[0]).status, SqpStatus::solved) << sqp.report().str();
  const VectorXd first = sqp.trajectory.x[1];
  expect_close(VectorXd(first.head(3)), start.q, 1e-6);
  expect_close(VectorXd(first.tail(3)), VectorXd(0.5 * start.by_angle), 1e-6);
}

// What holds a four-bar still at its crank is that the weight's power by the crank's angle is met.
TEST(FourBar, is_held_by_what_its_weight_asks_of_the_crank) {
  Turn turn(forward, 8);
  const double angle = 0.7;
  const Crank::Position at = Crank::position(angle);
  turn.problem.set_goal(at.q);
  const Trajectory t = turn.problem.guess(at.q, VectorXd::Zero(3));
  Rig<double> rig(turn.model, at.q, VectorXd::Zero(3), VectorXd::Zero(3));
  const VectorXd tau{{at.by_angle.dot(rig.gravity()), 0.0, 0.0}};
  expect_close(VectorXd(t.u[3].head(3)), tau, 1e-7);
  EXPECT_NEAR(Crank(turn.problem.plant()).acceleration(angle, 0.0, tau), 0.0, 1e-9);
  // and so it costs nothing to stay
  EXPECT_LT(total_cost(values_at(turn.problem, t)), 1e-10);
}

}  // namespace
}  // namespace ulna::test
