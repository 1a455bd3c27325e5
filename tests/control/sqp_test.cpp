#include "ulna/control/sqp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <thread>

#include "support/close.hpp"
#include "support/random.hpp"
#include "swinging.hpp"
#include "ulna/control/ipopt.hpp"

namespace ulna::test {

using namespace control;
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr bool curvatures[] = {false, true};  ///< of Gauss and Newton, exact

SqpOptions with(bool exact) {
  SqpOptions options;
  options.exact_hessian = exact;
  return options;
}

/// A mass on a line, pushed for steps of h; (way, speed).
struct Mass {
  static constexpr int states = 2, inputs = 1;
  int steps = 20;
  double h = 0.1;
  double state_weight = 0.0, input_weight = 1.0;
  MatrixXd last = MatrixXd::Zero(2, 2);  ///< root of the weight of the last state

  template <class T>
  Numbers<T, 2> next(int, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
    return {x[0] + h * x[1] + 0.5 * h * h * u[0], x[1] + h * u[0]};
  }
  template <class T>
  Numbers<T, 3> residual(int k, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
    if (k == steps)
      return {last(0, 0) * x[0] + last(0, 1) * x[1], last(1, 0) * x[0] + last(1, 1) * x[1], T(0.0)};
    return {state_weight * x[0], state_weight * x[1], input_weight * u[0]};
  }
  MatrixXd A() const { return MatrixXd{{1.0, h}, {0.0, 1.0}}; }
  MatrixXd B() const { return MatrixXd{{0.5 * h * h}, {h}}; }
};

TEST(Sqp, regulates_as_the_riccati_equation_has_it) {
  Mass mass;
  mass.state_weight = 1.0, mass.input_weight = 0.3;
  const MatrixXd A = mass.A(), B = mass.B(), Q = MatrixXd::Identity(2, 2);
  MatrixXd P = Q, K;
  for (int i = 0; i < 2000; ++i) {
    K = (0.09 * MatrixXd::Identity(1, 1) + B.transpose() * P * B).inverse() * B.transpose() * P * A;
    P = Q + A.transpose() * P * (A - B * K);
  }
  // with the cost to go as the weight of the end, a short horizon is as good as an endless one
  mass.steps = 5;
  mass.last = P.llt().matrixU();
  Differentiated<Mass> problem(mass);
  Sqp sqp(problem);
  const VectorXd x0 = Eigen::Vector2d(1.0, -0.4);
  ASSERT_EQ(sqp.solve(x0).status, SqpStatus::solved) << sqp.report().str();
  EXPECT_EQ(sqp.report().iterations, 1);
  EXPECT_NEAR(sqp.report().cost, 0.5 * x0.dot(P * x0), 1e-9);
  for (std::size_t k = 0; k < 5; ++k)
    expect_close(sqp.trajectory.u[k], VectorXd(-K * sqp.trajectory.x[k]), 1e-9);
}

TEST(Sqp, keeps_equations_at_the_end) {
  const Mass mass;
  Differentiated<Mass> problem(mass);
  const Eigen::Vector2d goal(1.0, 0.5);
  problem.bounds(20).lower = problem.bounds(20).upper = goal;
  // the least push that gets there: u = C' (C C')^-1 goal
  MatrixXd C(2, 20), power = MatrixXd::Identity(2, 2);
  for (int k = 19; k >= 0; --k) C.col(k) = power * mass.B(), power = (power * mass.A()).eval();
  const VectorXd least = C.transpose() * (C * C.transpose()).inverse() * goal;
  for (const bool exact : curvatures) {
    Sqp sqp(problem, with(exact));
    ASSERT_EQ(sqp.solve(VectorXd::Zero(2)).status, SqpStatus::solved) << sqp.report().str();
    for (int k = 0; k < 20; ++k)
      EXPECT_NEAR(sqp.trajectory.u[static_cast<std::size_t>(k)](0), least(k), 1e-6);
    EXPECT_NEAR(sqp.report().cost, 0.5 * least.squaredNorm(), 1e-6 * least.squaredNorm());
  }
  if (has_ipopt()) {
    const IpoptResult r = solve_with_ipopt(problem, trajectory_of(problem), VectorXd::Zero(2));
    EXPECT_EQ(r.status, SqpStatus::solved);
    EXPECT_NEAR(r.cost, 0.5 * least.squaredNorm(), 1e-7 * least.squaredNorm());
  }
}

/// As fast as can be from rest at 0 to rest at `way`; the last number of the state is the final time.
struct Hurry {
  static constexpr int steps = 10, states = 3, inputs = 1, choices = 1;

  template <class T>
  Numbers<T, 3> start(const Numbers<T, 1>& time) const {
    return {T(0.0), T(0.0), time[0]};
  }
  template <class T>
  Numbers<T, 3> next(int, const Numbers<T, 3>& x, const Numbers<T, 1>& u) const {
    const T h = x[2] / double(steps);
    return {x[0] + h * x[1] + 0.5 * h * h * u[0], x[1] + h * u[0], x[2]};
  }
  template <class T>
  T cost(int k, const Numbers<T, 3>& x, const Numbers<T, 1>&) const {
    return k == steps ? x[2] : T(0.0);
  }
};

TEST(Sqp, finds_the_least_time) {
  Differentiated<Hurry> problem;
  const double way = 3.0, most = 2.0;
  bound_inputs(problem, VectorXd::Constant(1, most));
  problem.bounds(0).lower(0) = 0.1, problem.bounds(0).upper(0) = 20.0;
  Bounds& end = problem.bounds(Hurry::steps + 1);
  end.lower(0) = end.upper(0) = way, end.lower(1) = end.upper(1) = 0.0;
  const double time = 2.0 * std::sqrt(way / most);
  Trajectory guess = trajectory_of(problem);
  guess.u[0](0) = 5.0;
  for (std::size_t k = 1; k < guess.x.size(); ++k) guess.x[k](2) = 5.0;
  for (const bool exact : curvatures) {
    Sqp sqp(problem, with(exact));
    sqp.trajectory = guess;
    ASSERT_EQ(sqp.solve(VectorXd()).status, SqpStatus::solved) << sqp.report().str();
    EXPECT_NEAR(sqp.report().cost, time, 1e-6 * time);
    EXPECT_NEAR(sqp.trajectory.u[1](0), most, 1e-4);
    EXPECT_NEAR(sqp.trajectory.u[10](0), -most, 1e-4);
  }
  if (has_ipopt()) {
    const IpoptResult r = solve_with_ipopt(problem, guess, VectorXd());
    EXPECT_EQ(r.status, SqpStatus::solved) << r.str();
    EXPECT_NEAR(r.cost, time, 1e-6 * time);
  }
}

/// One push from 0.
struct Push {
  static constexpr int steps = 1, states = 1, inputs = 1;
  template <class T>
  Numbers<T, 1> next(int, const Numbers<T, 1>& x, const Numbers<T, 1>& u) const {
    return x + u;
  }
  template <class T>
  Numbers<T, 1> residual(int k, const Numbers<T, 1>&, const Numbers<T, 1>& u) const {
    return Numbers<T, 1>(k == steps ? T(0.0) : u[0]);
  }
  template <class T>
  Numbers<T, 1> constraint(int, const Numbers<T, 1>& x, const Numbers<T, 1>&) const {
    return Numbers<T, 1>(sin(x[0]));
  }
};

// ½u² + price (5 - u) + squared (5 - u)²/2 is least where u = (price + 5 squared) / (1 + squared).
TEST(Sqp, pays_for_soft_rows_what_they_are_worth) {
  for (const double squared : {0.0, 2.0}) {
    Differentiated<Push> problem;
    Bounds& end = problem.bounds(1);
    end.lower(0) = 5.0, end.price(0) = 0.7, end.price_squared(0) = squared;
    const double u = (0.7 + 5.0 * squared) / (1.0 + squared);
    const double cost = 0.5 * u * u + 0.7 * (5.0 - u) + 0.5 * squared * (5.0 - u) * (5.0 - u);
    for (const bool exact : curvatures) {
      Sqp sqp(problem, with(exact));
      ASSERT_EQ(sqp.solve(VectorXd::Zero(1)).status, SqpStatus::solved) << sqp.report().str();
      EXPECT_NEAR(sqp.trajectory.u[0](0), u, 1e-6);
      EXPECT_NEAR(sqp.report().cost, cost, 1e-6);
      EXPECT_EQ(sqp.report().breach, 0.0);
    }
    if (has_ipopt()) {
      const IpoptResult r = solve_with_ipopt(problem, trajectory_of(problem), VectorXd::Zero(1));
      EXPECT_NEAR(r.cost, cost, 1e-6);
    }
  }
  // a price above what it is worth, and the row holds
  Differentiated<Push> problem;
  problem.bounds(1).lower(0) = 5.0, problem.bounds(1).price(0) = 6.0;
  Sqp sqp(problem);
  ASSERT_EQ(sqp.solve(VectorXd::Zero(1)).status, SqpStatus::solved);
  EXPECT_NEAR(sqp.trajectory.u[0](0), 5.0, 1e-6);
}

TEST(Sqp, keeps_curved_constraints) {
  // sin(u) >= 0.5: u = π/6, and soft with a price below the multiplier π/6 / cos(π/6), u = price cos(u)
  Differentiated<Push> problem;
  problem.bounds(1).lower(1) = 0.5;
  for (const bool exact : curvatures) {
    problem.bounds(1).price(1) = control::infinity;
    Sqp sqp(problem, with(exact));
    ASSERT_EQ(sqp.solve(VectorXd::Zero(1)).status, SqpStatus::solved) << sqp.report().str();
    EXPECT_NEAR(sqp.trajectory.u[0](0), pi / 6.0, 1e-6);
    problem.bounds(1).price(1) = 0.3;
    ASSERT_EQ(sqp.solve(VectorXd::Zero(1)).status, SqpStatus::solved) << sqp.report().str();
    const double u = sqp.trajectory.u[0](0);
    EXPECT_NEAR(u, 0.3 * std::cos(u), 1e-6);
  }
}

TEST(Sqp, tells_what_is_not_feasible_and_does_not_take_long) {
  const auto expect_refused = [](OptimalControlProblem& problem, const VectorXd& x0,
                                 const char* what) {
    SCOPED_TRACE(what);
    for (const bool exact : curvatures) {
      Sqp sqp(problem, with(exact));
      const SqpReport& report = sqp.solve(x0);
      EXPECT_TRUE(report.status == SqpStatus::infeasible || report.status == SqpStatus::stalled)
          << report.str();
      EXPECT_LE(report.iterations, 60) << report.str();
      for (const VectorXd& x : sqp.trajectory.x) EXPECT_TRUE(x.allFinite());
    }
    if (!has_ipopt()) return;
    const IpoptResult r = solve_with_ipopt(problem, trajectory_of(problem), x0);
    EXPECT_NE(r.status, SqpStatus::solved) << r.str();
  };
  Differentiated<Push> sine;
  sine.bounds(1).lower(1) = 2.0;
  expect_refused(sine, VectorXd::Zero(1), "a sine of 2");

  Differentiated<Push> weak;
  weak.bounds(0).lower(0) = -1.0, weak.bounds(0).upper(0) = 1.0;
  weak.bounds(1).lower(0) = 5.0;
  expect_refused(weak, VectorXd::Zero(1), "5 with a push of 1");
  weak.bounds(1).upper(0) = 5.0;
  expect_refused(weak, VectorXd::Zero(1), "exactly 5 with a push of 1");

  Swing<Pendulum> far;
  for (int k = 0; k < 40; ++k) far.bounds(k).lower(0) = -0.1, far.bounds(k).upper(0) = 0.1;
  far.bounds(40).lower(0) = 3.0;
  expect_refused(far, far.x0, "a swing by far too weak a motor");
}

TEST(Sqp, keeps_to_its_iterations) {
  Swing<CartPole> problem;
  Sqp sqp(problem);
  sqp.options.iterations = 3;
  EXPECT_EQ(sqp.solve(problem.x0).status, SqpStatus::limited);
  EXPECT_EQ(sqp.report().iterations, 3);
  // and goes on from there
  sqp.options.iterations = 200;
  EXPECT_EQ(sqp.solve(problem.x0).status, SqpStatus::solved);
}

/// Counts how often it is asked, and calls `event` at each.
template <class P>
struct Watched : Swing<P> {
  using Swing<P>::evaluate;
  using Swing<P>::linearise;
  int asked = 0;
  std::function<bool(int)> event = [](int) { return true; };

  bool evaluate(const Trajectory& at, std::vector<StageValue>& values) override {
    return event(++asked) && Swing<P>::evaluate(at, values);
  }
  bool linearise(const Trajectory& at, const Multipliers* multipliers,
                 std::vector<StageValue>& values, std::vector<QpStage>& stages) override {
    return event(++asked) && Swing<P>::linearise(at, multipliers, values, stages);
  }
};

TEST(Sqp, stops_at_its_deadline) {
  Watched<CartPole> problem;
  Sqp sqp(problem);
  EXPECT_EQ(sqp.solve(problem.x0, Sqp::Clock::now()).status, SqpStatus::limited);
  EXPECT_EQ(sqp.report().iterations, 0);
  // wherever the deadline comes, the problem is asked twice more at most
  for (const int last : {2, 3, 4, 5, 10, 11}) {
    problem.asked = 0;
    const auto deadline = Sqp::Clock::now() + std::chrono::milliseconds(500);
    problem.event = [&](int asked) {
      if (asked == last) std::this_thread::sleep_until(deadline);
      return true;
    };
    sqp.trajectory = trajectory_of(problem);
    sqp.solve(problem.x0, deadline);
    EXPECT_EQ(sqp.report().status, SqpStatus::limited);
    EXPECT_LE(problem.asked, last + 2);
    for (const VectorXd& x : sqp.trajectory.x) EXPECT_TRUE(x.allFinite());
  }
}

TEST(Sqp, survives_problems_without_a_value) {
  Watched<CartPole> problem;
  for (const bool exact : curvatures)
    for (const int first : {1, 2, 3, 4, 5, 8, 9}) {
      SCOPED_TRACE(first);
      problem.asked = 0;
      problem.event = [&](int asked) { return asked < first; };
      Sqp sqp(problem, with(exact));
      const SqpReport& report = sqp.solve(problem.x0);
      EXPECT_EQ(report.status == SqpStatus::failed, first == 1) << report.str();
      EXPECT_NE(report.status, SqpStatus::solved);
      EXPECT_TRUE(std::isfinite(report.cost));
      for (const VectorXd& x : sqp.trajectory.x) EXPECT_TRUE(x.allFinite());
      EXPECT_LE(problem.asked, first + 300);
    }
  // now and then is no reason to give up
  problem.asked = 0;
  problem.event = [](int asked) { return asked == 1 || asked % 3 != 1 || asked > 30; };
  Sqp sqp(problem);
  sqp.solve(problem.x0);
  EXPECT_NE(sqp.report().status, SqpStatus::failed);
}

/// A pendulum in a world that ends where it is fast: the root of 9 - rate² has no value beyond.
struct Fenced : Pendulum {
  template <class T>
  Numbers<T, 4> residual(int k, const Numbers<T, 2>& x, const Numbers<T, 1>& u) const {
    const double weight = k == steps ? 10.0 : 0.1;
    return {weight * (x[0] - pi), 0.3 * weight * x[1], 0.1 * u[0], 0.1 * sqrt(49.0 - x[1] * x[1])};
  }
};

TEST(Sqp, stays_where_the_problem_has_values) {
  Swing<Fenced> problem;
  for (const bool exact : curvatures) {
    Sqp sqp(problem, with(exact));
    EXPECT_EQ(sqp.solve(problem.x0).status, SqpStatus::solved) << sqp.report().str();
    for (const VectorXd& x : sqp.trajectory.x) EXPECT_LT(std::abs(x(1)), 7.0);
  }
}

TEST(Sqp, refuses_trajectories_of_other_sizes) {
  Swing<Pendulum> problem;
  Sqp sqp(problem);
  EXPECT_THROW(sqp.solve(VectorXd::Zero(3)), std::invalid_argument);
  sqp.trajectory.x[4] = VectorXd::Zero(3);
  EXPECT_THROW(sqp.solve(problem.x0), std::invalid_argument);
  sqp.trajectory.x.pop_back();
  EXPECT_THROW(sqp.solve(problem.x0), std::invalid_argument);
}

TEST(Sqp, real_time_iterations_track) {
  Swing<Pendulum> problem;
  Sqp sqp(problem, with(true));
  VectorXd x = problem.x0;
  ASSERT_EQ(sqp.solve(x).status, SqpStatus::solved);
  // a swing-up whose horizon moves on, by a plant that is pushed about
  Random random(1);
  for (int step = 0; step < 80; ++step) {
    ASSERT_TRUE(sqp.prepare());
    ASSERT_EQ(sqp.feedback(x).status, SqpStatus::solved) << step << ": " << sqp.report().str();
    expect_close(sqp.trajectory.x[0], x, 1e-12);
    const double u = sqp.trajectory.u[0](0);
    EXPECT_LE(std::abs(u), 4.0 + 1e-6);
    x = problem.stated.next(0, Numbers<double, 2>(x), Numbers<double, 1>(u));
    x(1) += 0.01 * random.real();
    sqp.shift();
  }
  EXPECT_NEAR(x(0), pi, 0.05);
  EXPECT_NEAR(x(1), 0.0, 0.1);
}

TEST(Sqp, one_feedback_is_one_whole_step) {
  // on a linear problem with a quadratic cost that is the solution
  Mass mass;
  mass.state_weight = 1.0, mass.last = MatrixXd::Identity(2, 2);
  Differentiated<Mass> problem(mass);
  bound_inputs(problem, VectorXd::Constant(1, 0.5));
  Sqp solved(problem), stepped(problem);
  const VectorXd x0 = Eigen::Vector2d(1.0, 0.0);
  ASSERT_EQ(solved.solve(x0).status, SqpStatus::solved);
  ASSERT_TRUE(stepped.prepare());
  ASSERT_EQ(stepped.feedback(x0).status, SqpStatus::solved);
  for (std::size_t k = 0; k < 20; ++k)
    expect_close(stepped.trajectory.u[k], solved.trajectory.u[k], 1e-5);
}

TEST(Sqp, feedback_fails_for_a_state_that_is_none) {
  Mass mass;
  mass.state_weight = 1.0, mass.last = MatrixXd::Identity(2, 2);
  Differentiated<Mass> problem(mass);
  Sqp sqp(problem);
  ASSERT_TRUE(sqp.prepare());
  const Trajectory before = sqp.trajectory;
  for (const VectorXd& x0 : {VectorXd(VectorXd::Zero(1)), VectorXd(VectorXd::Zero(3)), VectorXd(),
                             VectorXd(VectorXd::Constant(2, NAN))}) {
    EXPECT_EQ(sqp.feedback(x0).status, SqpStatus::failed) << x0.transpose();
    for (std::size_t k = 0; k < 20; ++k) {
      expect_close(sqp.trajectory.u[k], before.u[k], 0.0);
      expect_close(sqp.trajectory.x[k], before.x[k], 0.0);
    }
  }
  EXPECT_EQ(sqp.feedback(Eigen::Vector2d(1.0, 0.0)).status, SqpStatus::solved);
}

TEST(Sqp, shifts_by_a_stage) {
  Swing<Pendulum> problem;
  Sqp sqp(problem);
  ASSERT_EQ(sqp.solve(problem.x0).status, SqpStatus::solved);
  const Trajectory before = sqp.trajectory;
  sqp.shift();
  for (std::size_t k = 0; k < 40; ++k) {
    EXPECT_EQ(sqp.trajectory.x[k], before.x[k + 1]);
    EXPECT_EQ(sqp.trajectory.u[k], before.u[std::min<std::size_t>(k + 1, 39)]);
  }
  EXPECT_EQ(sqp.trajectory.x[40], before.x[40]);
}

}  // namespace
}  // namespace ulna::test
