#include "ulna/control/qp.hpp"

#include <gtest/gtest.h>

#include "support/allocations.hpp"
#include "support/random_qp.hpp"
#include "swinging.hpp"
#include "ulna/control/sqp.hpp"

namespace ulna::test {

using namespace control;
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// Programs of all kinds of rows and of sizes that change from stage to stage.
struct RandomQp {
  std::vector<StageSize> sizes;
  std::vector<QpStage> stages;
  VectorXd x0;

  RandomQp(unsigned seed, bool bounded, bool soft, bool equations) : bits(seed) {
    const int count = 2 + integer(6);
    for (int k = 0; k < count; ++k)
      sizes.push_back({1 + integer(6), k + 1 < count ? 1 + integer(4) : 0, integer(4)});
    stages = qp_stages(sizes);
    x0 = random(sizes[0].x, 1);
    for (QpStage& s : stages) {
      const int n = s.size.variables();
      const MatrixXd root = random(n, n);
      s.H = root * root.transpose() + 0.1 * MatrixXd::Identity(n, n);
      s.h = 3.0 * random(n, 1);
      s.F = random(static_cast<int>(s.F.rows()), n),
      s.f = 0.3 * random(static_cast<int>(s.f.size()), 1);
      s.G = random(s.size.g, n);
      for (int row = 0; row < s.size.rows(); ++row) {
        if (!bounded) break;
        // the inputs' bounds are hard, and the states' rows yield: there always is a way
        const bool input = row < s.size.u;
        if (integer(4) > 0) s.bounds.lower(row) = -0.2 - number();
        if (integer(4) > 0) s.bounds.upper(row) = 0.2 + number();
        if (soft && !input) {
          s.bounds.price(row) = 5.0 * number();
          s.bounds.price_squared(row) = integer(2) * 10.0 * number() + 0.1;
        }
      }
      // where inputs are free to meet it
      if (equations && s.size.u > 1) s.bounds.lower(0) = s.bounds.upper(0) = 0.1;
    }
    if (!soft)
      for (QpStage& s : stages) {
        s.bounds.lower.tail(s.size.x + s.size.g).setConstant(-control::infinity);
        s.bounds.upper.tail(s.size.x + s.size.g).setConstant(control::infinity);
      }
  }

  std::mt19937 bits;
  int integer(int below) { return std::uniform_int_distribution<int>(0, below - 1)(bits); }
  double number() { return std::uniform_real_distribution<double>(0.0, 1.0)(bits); }
  MatrixXd random(int rows, int columns) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(bits); });
  }
};

std::vector<StageSize> sizes_of(const std::vector<QpStage>& stages) {
  std::vector<StageSize> sizes;
  for (const QpStage& s : stages) sizes.push_back(s.size);
  return sizes;
}

/// The conditions of a minimum, computed from the program as it was stated.
void expect_minimum(const std::vector<QpStage>& stages, const QpSolver& solver, const VectorXd& x0,
                    double tolerance) {
  ASSERT_EQ(solver.report().status, QpStatus::solved) << solver.report().str();
  EXPECT_EQ(VectorXd(solver.x(0)), x0);
  for (int k = 0; k < static_cast<int>(stages.size()); ++k) {
    SCOPED_TRACE("stage " + std::to_string(k));
    const QpStage& s = stages[static_cast<std::size_t>(k)];
    const int n = s.size.variables();
    const VectorXd z = solver.z(k), m = solver.row_multiplier(k);
    VectorXd slope = s.H * z + s.h + m.head(n) + s.G.transpose() * m.tail(s.size.g);
    slope += s.F.transpose() * solver.multiplier(k);
    if (k > 0) slope.tail(s.size.x) -= solver.multiplier(k - 1);
    EXPECT_LE(slope.head(k > 0 ? n : s.size.u).lpNorm<Eigen::Infinity>(), tolerance);
    if (s.F.rows() > 0) {
      EXPECT_LE((s.F * z + s.f - solver.x(k + 1)).lpNorm<Eigen::Infinity>(), tolerance);
    }
    VectorXd y(s.size.rows());
    y << z, s.G * z;
    for (int row = 0; row < y.size(); ++row) {
      if (k == 0 && row >= s.size.u && row < n) continue;
      const double low = s.bounds.lower(row), high = s.bounds.upper(row);
      const double beyond = std::max({low - y(row), y(row) - high, 0.0});
      const double price = s.bounds.price(row), squared = s.bounds.price_squared(row);
      if (low == high) {
        EXPECT_NEAR(y(row), low, tolerance);
        continue;
      }
      // inside nothing pushes, at a bound nothing pulls, beyond one pays exactly the price
      const double inside = std::min({y(row) - low, high - y(row), 1e3});
      EXPECT_LE(std::abs(m(row)) * std::max(inside, 0.0),
                10.0 * tolerance * (1.0 + std::abs(m(row))));
      if (price == control::infinity) {
        EXPECT_LE(beyond, tolerance);
      } else {
        EXPECT_LE(std::abs(m(row)), price + squared * beyond + 10.0 * tolerance);
        if (beyond > 1e-3) {
          EXPECT_NEAR(std::abs(m(row)), price + squared * beyond, 100.0 * tolerance);
        }
      }
      if (y(row) > high - 1e-4 && std::abs(m(row)) > 1e-2) {
        EXPECT_GT(m(row), 0.0);
      }
      if (y(row) < low + 1e-4 && std::abs(m(row)) > 1e-2) {
        EXPECT_LT(m(row), 0.0);
      }
    }
  }
}

TEST(QpSolver, finds_the_minimum_of_random_programs) {
  for (const bool bounded : {false, true})
    for (const bool soft : {false, true})
      for (const bool equations : {false, true})
        for (unsigned seed = 1; seed <= 40; ++seed) {
          SCOPED_TRACE(testing::Message() << "seed " << seed << " bounded " << bounded << " soft "
                                          << soft << " equations " << equations);
          const RandomQp qp(seed, bounded, soft, equations);
          QpSolver solver(qp.sizes, {.tolerance = 1e-8});
          solver.solve(qp.stages, qp.x0);
          expect_minimum(qp.stages, solver, qp.x0, 1e-7);
        }
}

TEST(QpSolver, without_bounds_needs_one_iteration) {
  const RandomQp qp(7, false, false, false);
  QpSolver solver(qp.sizes);
  EXPECT_EQ(solver.solve(qp.stages, qp.x0).iterations, 1);
}

TEST(QpSolver, solves_arms_of_predictive_control) {
  double active = 0.0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ArmQp qp = arm_qp(20, seed);
    QpSolver solver(sizes_of(qp.stages));
    solver.solve(qp.stages, qp.x0);
    expect_minimum(qp.stages, solver, qp.x0, 1e-6);
    EXPECT_LE(solver.report().iterations, 25);
    for (int k = 0; k <= 20; ++k)
      active += static_cast<double>((solver.row_multiplier(k).array().abs() > 1e-3).count());
  }
  EXPECT_NEAR(active / 100.0, 33.0, 5.0);
}

TEST(QpSolver, starts_warm_with_less_work) {
  int cold = 0, warm = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    ArmQp qp = arm_qp(20, seed);
    QpSolver solver(sizes_of(qp.stages));
    cold += solver.solve(qp.stages, qp.x0).iterations;
    qp.x0 *= 0.99;
    warm += solver.solve(qp.stages, qp.x0, QpStart::point).iterations;
    expect_minimum(qp.stages, solver, qp.x0, 1e-6);
  }
  EXPECT_LT(warm, 0.8 * cold);
}

/// Integrators whose inputs are accelerations, with rows of torques: as robots in inverse dynamics.
std::vector<QpStage> integrator_stages(int joints, int steps, bool soft, unsigned seed) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto random = [&](int rows, int columns) -> MatrixXd {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(bits); });
  };
  const double h = 0.05;
  std::vector<StageSize> sizes(std::size_t(steps) + 1, {2 * joints, joints, joints});
  sizes.back() = {2 * joints, 0, 0};
  auto stages = qp_stages(sizes);
  for (QpStage& s : stages) {
    s.Q().diagonal().head(joints).setConstant(10.0);
    s.Q().diagonal().tail(joints).setConstant(0.1);
    s.h.tail(2 * joints) = 5.0 * random(2 * joints, 1);
    s.bounds.upper.tail(joints + s.size.g).head(joints).setConstant(0.5);
    s.bounds.lower.tail(joints + s.size.g).head(joints).setConstant(-0.5);
    if (soft) s.bounds.price.setConstant(0.3), s.bounds.price_squared.setConstant(3.0);
    if (s.size.u == 0) continue;
    s.B().topRows(joints).diagonal().setConstant(0.5 * h * h);
    s.B().bottomRows(joints).diagonal().setConstant(h);
    s.A().setIdentity();
    s.A().topRightCorner(joints, joints).diagonal().setConstant(h);
    const MatrixXd root = random(joints, joints);
    s.G << 0.3 * root * root.transpose() + MatrixXd::Identity(joints, joints),
        0.5 * random(joints, 2 * joints);
    s.H += 0.01 * s.G.transpose() * s.G;
    s.bounds.upper.tail(joints).setConstant(2.0), s.bounds.lower.tail(joints).setConstant(-2.0);
    s.bounds.price.tail(joints).setConstant(control::infinity);
  }
  return stages;
}

/// The same program a little later.
void disturb(std::vector<QpStage>& stages, VectorXd& x0, double share, std::mt19937& bits) {
  std::uniform_real_distribution<double> uniform(-share, share);
  const auto about = [&](auto&& x) {
    for (Eigen::Index i = 0; i < x.size(); ++i) x(i) += uniform(bits);
  };
  about(x0);
  for (QpStage& s : stages) about(s.h), about(s.f);
}

int active_rows(const QpSolver& solver, std::size_t stages) {
  int active = 0;
  for (int k = 0; k < int(stages); ++k)
    active += int((solver.row_multiplier(k).array().abs() > 1e-6).count());
  return active;
}

TEST(QpSolver, follows_programs_that_change_a_little_without_interior_points) {
  int programs = 0, interior = 0, iterations = 0, active = 0;
  for (unsigned seed = 1; seed <= 30; ++seed)
    for (const bool soft : {false, true})
      for (const bool arm : {false, true}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " soft " << soft << " arm " << arm);
        auto stages = arm ? arm_qp(20, seed).stages : integrator_stages(6, 15, soft, seed);
        if (arm && soft)
          for (QpStage& s : stages)
            s.bounds.price.tail(14).setConstant(2.0),
                s.bounds.price_squared.tail(14).setConstant(5.0);
        VectorXd x0 = arm ? arm_qp(20, seed).x0 : VectorXd::Zero(12);
        QpSolver solver(sizes_of(stages));
        ASSERT_EQ(solver.solve(stages, x0).status, QpStatus::solved);
        std::mt19937 bits(seed);
        for (int k = 0; k < 5; ++k) {
          disturb(stages, x0, 0.003, bits);
          solver.prepare(stages, QpStart::multipliers);
          const QpReport& report = solver.solve(x0);
          expect_minimum(stages, solver, x0, 1e-6);
          ++programs, interior += report.interior, iterations += report.iterations;
          active += active_rows(solver, stages.size());
        }
      }
  EXPECT_LE(interior, programs / 50);
  EXPECT_LE(iterations, 3 * programs);
  EXPECT_GE(active, 10 * programs);
}

TEST(QpSolver, needs_one_iteration_where_the_active_rows_stay) {
  for (const bool soft : {false, true}) {
    auto stages = integrator_stages(6, 15, soft, 3);
    VectorXd x0 = VectorXd::Zero(12);
    QpSolver solver(sizes_of(stages));
    solver.solve(stages, x0);
    solver.solve(stages, x0, QpStart::multipliers);
    x0.setConstant(1e-9);
    EXPECT_LE(solver.solve(stages, x0, QpStart::multipliers).iterations, 2);
    EXPECT_FALSE(solver.report().interior);
    expect_minimum(stages, solver, x0, 1e-6);
  }
}

/// What a point costs that keeps all bounds and the dynamics; fails where it does not.
double cost_of_kept_point(const std::vector<QpStage>& stages, const QpSolver& solver,
                          double tolerance) {
  double cost = 0.0;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const QpStage& s = stages[k];
    const VectorXd z = solver.z(int(k));
    VectorXd y(s.size.rows());
    y << z, s.G * z;
    cost += 0.5 * z.dot(s.H * z) + s.h.dot(z);
    if (k + 1 < stages.size()) {
      EXPECT_LE((s.F * z + s.f - solver.x(int(k) + 1)).lpNorm<Eigen::Infinity>(), tolerance);
    }
    for (int row = 0; row < y.size(); ++row)
      if (k > 0 || row < s.size.u || row >= s.size.variables()) {
        EXPECT_LE(s.bounds.lower(row) - y(row), tolerance) << "stage " << k << " row " << row;
        EXPECT_LE(y(row) - s.bounds.upper(row), tolerance) << "stage " << k << " row " << row;
      }
  }
  return cost;
}

// Drives at their limits at most nodes, and another program: which rows are active is hard to guess from the last one.
TEST(QpSolver, a_point_that_keeps_the_bounds_will_do_where_it_need_not_be_exact) {
  constexpr int joints = 12;
  int programs = 0, inexact = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 bits(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    auto stages = integrator_stages(joints, 15, false, seed);
    for (QpStage& s : stages) {
      s.bounds.upper.segment(s.size.u, s.size.x).setConstant(control::infinity);
      s.bounds.lower.segment(s.size.u, s.size.x).setConstant(-control::infinity);
      if (s.size.u == 0) continue;
      // as of a chain of rods: what the first drive turns is a hundred times what the last one does
      s.H -= 0.01 * s.G.transpose() * s.G;
      for (int i = 0; i < joints; ++i)
        for (int k = 0; k < joints; ++k) s.G(i, k) = std::pow(joints - std::max(i, k), 2);
      const VectorXd drives = s.G.topLeftCorner(joints, joints).diagonal();
      s.G.rightCols(2 * joints) = MatrixXd::NullaryExpr(
          joints, 2 * joints,
          [&](Eigen::Index row, Eigen::Index) { return 0.5 * drives(row) * uniform(bits); });
      s.bounds.upper.tail(joints) = drives, s.bounds.lower.tail(joints) = -drives;
      s.H += 0.01 * s.G.transpose() * drives.cwiseAbs2().cwiseInverse().asDiagonal() * s.G;
    }
    VectorXd x0 = VectorXd::Zero(2 * joints);
    QpSolver solver(sizes_of(stages)), exact(sizes_of(stages));
    ASSERT_EQ(solver.solve(stages, x0).status, QpStatus::solved);
    solver.options.exact = false;
    for (int k = 0; k < 5; ++k) {
      disturb(stages, x0, 0.1, bits);
      solver.prepare(stages, QpStart::multipliers);
      const QpReport& report = solver.solve(x0);
      ASSERT_TRUE(report.status == QpStatus::solved || report.status == QpStatus::limited);
      EXPECT_FALSE(report.interior);
      ++programs, inexact += report.status == QpStatus::limited;
      const double cost = cost_of_kept_point(stages, solver, 1e-5);
      ASSERT_EQ(exact.solve(stages, x0).status, QpStatus::solved);
      const double least = cost_of_kept_point(stages, exact, 1e-5);
      EXPECT_GE(cost, least - 1e-4 * std::abs(least));
    }
  }
  EXPECT_GE(inexact, programs / 2);
}

// A double integrator that has to be somewhere at the end: what that costs is in other stages, whatever the last one's own cost is.
TEST(QpSolver, states_are_held_at_the_end_whatever_they_cost_there) {
  constexpr int steps = 10;
  for (const double cost : {0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0}) {
    SCOPED_TRACE(cost);
    std::vector<StageSize> sizes(steps + 1, {2, 1, 0});
    sizes.back().u = 0;
    auto stages = qp_stages(sizes);
    for (QpStage& s : stages) {
      s.H.setIdentity();
      if (s.size.u > 0) s.F << 0.0, 1.0, 0.1, 0.1, 0.0, 1.0;
    }
    stages.back().H *= cost;
    stages.back().bounds.lower << 1.0, 0.0;
    stages.back().bounds.upper << 1.0, 0.0;
    QpSolver solver(sizes);
    EXPECT_LE(solver.solve(stages, VectorXd::Zero(2)).iterations, 3);
    ASSERT_EQ(solver.report().status, QpStatus::solved) << solver.report().str();
    EXPECT_NEAR(solver.x(steps)(0), 1.0, 1e-7);
    EXPECT_NEAR(solver.x(steps)(1), 0.0, 1e-7);
  }
}

TEST(QpSolver, after_the_deadline_returns_a_point_whose_dynamics_hold) {
  auto stages = integrator_stages(6, 15, false, 1);
  VectorXd x0 = VectorXd::Zero(12);
  QpSolver solver(sizes_of(stages));
  solver.solve(stages, x0);
  std::mt19937 bits(1);
  disturb(stages, x0, 0.03, bits);
  solver.prepare(stages, QpStart::multipliers);
  ASSERT_EQ(solver.solve(x0, QpSolver::Clock::now()).status, QpStatus::limited);
  EXPECT_EQ(solver.report().iterations, 1);
  EXPECT_LE(solver.report().defect, 1e-9);
  for (std::size_t k = 0; k + 1 < stages.size(); ++k)
    EXPECT_LE((stages[k].F * solver.z(int(k)) + stages[k].f - solver.x(int(k) + 1)).norm(), 1e-9);
  // and from there the next program is solved
  solver.prepare(stages, QpStart::multipliers);
  EXPECT_EQ(solver.solve(x0).status, QpStatus::solved);
  expect_minimum(stages, solver, x0, 1e-6);
}

TEST(QpSolver, allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "sanitizers have a malloc of their own";
  const ArmQp qp = arm_qp(20, 1);
  QpSolver solver(sizes_of(qp.stages));
  EXPECT_EQ(allocations_of([&] {
              solver.solve(qp.stages, qp.x0);
              solver.shift();
              solver.solve(qp.stages, qp.x0, QpStart::point);
              solver.prepare(qp.stages, QpStart::multipliers);
              solver.solve(qp.x0);
            }),
            0);
  const RandomQp all_kinds(1, true, true, true);
  QpSolver other(all_kinds.sizes);
  EXPECT_EQ(allocations_of([&] { other.solve(all_kinds.stages, all_kinds.x0); }), 0);
}

TEST(QpSolver, keeps_to_its_limits_and_returns_its_best) {
  const ArmQp qp = arm_qp(20, 1);
  QpSolver solver(sizes_of(qp.stages), {.iterations = 3});
  EXPECT_EQ(solver.solve(qp.stages, qp.x0).status, QpStatus::limited);
  EXPECT_EQ(solver.report().iterations, 3);
  for (int k = 0; k <= 20; ++k) EXPECT_TRUE(solver.z(k).allFinite());
  solver.options.iterations = 50;
  EXPECT_EQ(solver.solve(qp.stages, qp.x0, QpStart::cold, QpSolver::Clock::now()).status,
            QpStatus::limited);
  EXPECT_EQ(solver.report().iterations, 0);
}

TEST(QpSolver, tells_when_bounds_cannot_be_met) {
  // one integrator, which is to be far away after one step of a small input
  std::vector<QpStage> stages = qp_stages({{1, 1, 0}, {1, 0, 0}});
  stages[0].H(0, 0) = 1.0;
  stages[0].F << 1.0, 1.0;
  stages[0].bounds.lower(0) = -1.0, stages[0].bounds.upper(0) = 1.0;
  stages[1].bounds.lower(0) = 5.0;
  stages[1].H(0, 0) = 1.0;
  QpSolver solver({{1, 1, 0}, {1, 0, 0}});
  const VectorXd x0 = VectorXd::Zero(1);
  EXPECT_EQ(solver.solve(stages, x0).status, QpStatus::infeasible) << solver.report().str();
  // and with a price it is met as far as it can be
  stages[1].bounds.price(0) = 100.0;
  EXPECT_EQ(solver.solve(stages, x0).status, QpStatus::solved) << solver.report().str();
  EXPECT_NEAR(solver.x(1)(0), 1.0, 1e-5);
}

TEST(QpSolver, states_may_cost_nothing) {
  // a mass on a line that is to be somewhere at the end, whatever its speed
  const double h = 0.1;
  const int steps = 10;
  std::vector<StageSize> sizes(steps, {2, 1, 0});
  sizes.push_back({2, 0, 0});
  auto stages = qp_stages(sizes);
  for (int k = 0; k < steps; ++k) {
    stages[static_cast<std::size_t>(k)].R()(0, 0) = 1.0;
    stages[static_cast<std::size_t>(k)].F << 0.5 * h * h, 1.0, h, h, 0.0, 1.0;
  }
  stages.back().Q()(0, 0) = 1e4, stages.back().h(0) = -1e4;
  QpSolver solver(sizes, {.tolerance = 1e-9});
  solver.solve(stages, VectorXd::Zero(2));
  expect_minimum(stages, solver, VectorXd::Zero(2), 1e-8);
  // with speeds that are bounded, and a stage that costs nothing at all
  for (QpStage& s : stages) s.bounds.upper(s.size.u + 1) = 1.2;
  solver.solve(stages, VectorXd::Zero(2));
  expect_minimum(stages, solver, VectorXd::Zero(2), 1e-8);
}

TEST(QpSolver, refuses_what_is_no_program) {
  ArmQp qp = arm_qp(3, 1);
  QpSolver solver(sizes_of(qp.stages));
  ASSERT_EQ(solver.solve(qp.stages, qp.x0).status, QpStatus::solved);
  const VectorXd u = solver.u(0);
  const auto expect_failed = [&](const char* what) {
    EXPECT_EQ(solver.solve(qp.stages, qp.x0).status, QpStatus::failed) << what;
    EXPECT_TRUE(solver.u(0).allFinite()) << what;
  };
  qp.stages[1].H(2, 2) = std::nan("");
  expect_failed("NaN in H");
  qp.stages[1].H(2, 2) = -1e3;
  expect_failed("a cost without a least");
  qp = arm_qp(3, 1);
  qp.stages[2].bounds.lower(1) = 4.0;
  expect_failed("lower above upper");
  qp = arm_qp(3, 1);
  qp.x0(3) = std::nan("");
  expect_failed("NaN in x0");
  qp = arm_qp(3, 1);
  EXPECT_EQ(solver.solve(qp.stages, qp.x0).status, QpStatus::solved);
  EXPECT_LE((solver.u(0) - u).norm(), 1e-12);
  qp.stages[1].h.resize(3);
  EXPECT_THROW(solver.solve(qp.stages, qp.x0), std::invalid_argument);
  EXPECT_THROW(solver.solve({}, qp.x0), std::invalid_argument);
}

TEST(Sqp, real_time_iterations_allocate_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  Swing<CartPole> problem;
  problem.bounds(20).upper(2) = 0.5, problem.bounds(20).price(2) = 1.0;
  Sqp sqp(problem);
  ASSERT_EQ(sqp.solve(problem.x0).status, SqpStatus::solved);
  VectorXd x = problem.x0;
  bool prepared = true;
  const long count = allocations_of([&] {
    for (int step = 0; step < 5; ++step) {
      prepared = prepared && sqp.prepare();
      sqp.feedback(x, QpSolver::Clock::now() + std::chrono::hours(1));
      x(3) += 0.01;
      sqp.shift();
    }
  });
  EXPECT_TRUE(prepared);
  EXPECT_EQ(sqp.report().status, SqpStatus::solved) << sqp.report().str();
  EXPECT_EQ(count, 0);
}

TEST(Sqp, by_gauss_and_newton_allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  Swing<Pendulum> problem;
  Sqp sqp(problem);
  const long count = allocations_of([&] { sqp.solve(problem.x0); });
  EXPECT_EQ(sqp.report().status, SqpStatus::solved) << sqp.report().str();
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace ulna::test
