#include "ulna/constraints/cones.hpp"

#include <gtest/gtest.h>

#include "constraints/cone_scenes.hpp"

namespace ulna {
namespace {

using V3 = Eigen::Vector3d;
using test::ConeBody;

/// A point that nothing turns, of a mass, on the ground with a velocity.
struct SlidingPoint {
  ConeProblem problem;
  SlidingPoint(double mass, double mu, const V3& v) {
    ConeBody body{mass, 1e9};
    test::add_cone_body(problem, body, V3::Zero(), v);
    test::add_cone_contact(problem, nullptr, body, body.at, mu);
  }
};

TEST(Cones, a_point_that_comes_down_within_the_cone_sticks) {
  SlidingPoint scene(2.0, 0.5, {0.3, -0.3, -1.0});
  const ConeReport report = ConeSolver().solve(scene.problem);
  EXPECT_TRUE(report.converged);
  EXPECT_NEAR(scene.problem.lambda[0], 2.0, 1e-8);
  EXPECT_NEAR(scene.problem.lambda[1], -0.6, 1e-8);
  EXPECT_NEAR(scene.problem.lambda[2], 0.6, 1e-8);
}

TEST(Cones, a_point_that_comes_down_flatter_slides_on_and_friction_is_opposite) {
  SlidingPoint scene(2.0, 0.5, {3.0, -4.0, -1.0});
  const ConeReport report = ConeSolver().solve(scene.problem);
  EXPECT_TRUE(report.converged);
  EXPECT_NEAR(scene.problem.lambda[0], 2.0, 1e-8);
  EXPECT_NEAR(scene.problem.lambda[1], -0.6, 1e-8);
  EXPECT_NEAR(scene.problem.lambda[2], 0.8, 1e-8);
  // what slides does not take off, as it would by the convex law
  EXPECT_NEAR(scene.problem.w[0], 0.0, 1e-8);
}

TEST(Cones, a_point_that_leaves_is_let_go) {
  SlidingPoint scene(2.0, 0.5, {3.0, -4.0, 0.1});
  EXPECT_EQ(ConeSolver().solve(scene.problem).residual, 0.0);
  for (const double l : scene.problem.lambda) EXPECT_EQ(l, 0.0);
}

TEST(Cones, rows_of_joints_keep_their_laws) {
  ConeProblem problem;
  const int segment = problem.add_segment(3);
  problem.velocity = {1.0, -2.0, 0.4};
  const auto unit = [&](int k) {
    const ConeProblem::Columns to = problem.add_piece(segment);
    to.J[k] = to.K[k] = 1.0;
  };
  problem.add_box(-0.3, 0.3), unit(0);
  problem.add_positive(), unit(1);
  problem.add_equality(), unit(2);
  EXPECT_TRUE(ConeSolver().solve(problem).converged);
  EXPECT_NEAR(problem.velocity[0], 0.7, 1e-9);
  EXPECT_NEAR(problem.velocity[1], 0.0, 1e-9);
  EXPECT_NEAR(problem.velocity[2], 0.0, 1e-9);
}

TEST(Cones, torsional_and_rolling_friction_are_bounded_by_the_normal_impulse) {
  for (const double spin : {0.1, 5.0}) {
    ConeProblem problem;
    ConeBody body{2.0, 0.1};
    test::add_cone_body(problem, body, {spin, 0.0, spin}, {0.0, 0.0, -1.0});
    const int cone = test::add_cone_contact(problem, nullptr, body, body.at, 0.5);
    problem.add_disc(1, 0.01, cone);
    test::add_cone_row(problem.add_piece(0), 0, body, 1.0, body.at, V3::UnitZ(), true);
    problem.add_disc(2, 0.02, cone);
    const ConeProblem::Columns to = problem.add_piece(0);
    test::add_cone_row(to, 0, body, 1.0, body.at, V3::UnitX(), true);
    test::add_cone_row(to, 1, body, 1.0, body.at, V3::UnitY(), true);
    EXPECT_TRUE(ConeSolver().solve(problem).converged);
    // n = 2: up to 0.02 and 0.04 Nms, where 0.1 spin would stop it
    EXPECT_NEAR(problem.velocity[2], spin - std::min(spin, 0.02 / 0.1), 1e-9);
    EXPECT_NEAR(problem.velocity[0], spin - std::min(spin, 0.04 / 0.1), 1e-9);
  }
}

TEST(Cones, newton_and_admm_find_impulses_that_obey_coulomb_in_random_scenes) {
  for (const ConeMethod method : {ConeMethod::automatic, ConeMethod::newton, ConeMethod::admm})
    for (unsigned seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE("method " + std::to_string(static_cast<int>(method)) + ", seed " +
                   std::to_string(seed));
      std::mt19937_64 random(seed);
      ConeProblem problem;
      test::random_cone_scene(problem, 1 + static_cast<int>(seed % 7), 10.0, random);
      ConeSolver solver({.method = method, .tolerance = 1e-8, .sweeps = 3000});
      const ConeReport report = solver.solve(problem);
      EXPECT_TRUE(report.converged) << report.residual;
      EXPECT_LE(solver.residual(problem), 1e-8);
      EXPECT_LE(test::coulomb_errors(problem).worst(), 1e-6);
    }
}

TEST(Cones, gauss_seidel_obeys_coulomb_in_most_random_scenes_and_reports_the_others) {
  int solved = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ConeProblem problem;
    test::random_cone_scene(problem, 1 + static_cast<int>(seed % 7), 10.0, random);
    ConeSolver solver({.method = ConeMethod::gauss_seidel, .tolerance = 1e-8, .sweeps = 3000});
    const ConeReport report = solver.solve(problem);
    EXPECT_EQ(report.converged, solver.residual(problem) <= 1e-8);
    solved += report.converged;
    if (report.converged) {
      EXPECT_LE(test::coulomb_errors(problem).worst(), 1e-6);
    }
  }
  EXPECT_GE(solved, 30);
}

TEST(Cones, an_impulse_is_what_the_velocities_changed_by) {
  std::mt19937_64 random(3);
  ConeProblem problem;
  test::random_cone_scene(problem, 5, 100.0, random);
  const std::vector<double> before = problem.velocity;
  ConeSolver().solve(problem);
  std::vector<double> change(before.size(), 0.0);
  for (int i = 0; i < problem.block_count(); ++i)
    for (const ConeProblem::Piece& p : problem.pieces(problem.block(i)))
      for (int r = 0; r < 3; ++r)
        for (int k = 0; k < p.size; ++k)
          change[p.at + k] +=
              problem.data()[p.K + r * p.size + k] * problem.lambda[problem.block(i).row + r];
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(problem.velocity[i], before[i] + change[i], 1e-10);
}

/// Boxes on top of each other, four contacts each, the lowest on the ground, all falling for a step.
void cone_stack(ConeProblem& problem, const std::vector<double>& masses, double h) {
  problem.clear();
  std::vector<ConeBody> boxes;
  for (std::size_t i = 0; i < masses.size(); ++i)
    boxes.push_back({masses[i], masses[i] / 6.0, V3(0.0, 0.0, 0.5 + static_cast<double>(i))});
  for (ConeBody& b : boxes) test::add_cone_body(problem, b, V3::Zero(), {0.0, 0.0, -9.81 * h});
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        test::add_cone_contact(problem, i > 0 ? &boxes[i - 1] : nullptr, boxes[i],
                               {x, y, static_cast<double>(i)}, 0.5);
}

TEST(Cones, a_redundant_stand_carries_evenly) {
  ConeProblem problem;
  cone_stack(problem, {1.0, 1.0, 1.0}, 1e-3);
  ConeSolver solver;
  EXPECT_TRUE(solver.solve(problem).converged);
  for (int i = 0; i < 12; ++i) {
    const double weight = 9.81e-3 * (3 - i / 4) / 4.0;
    EXPECT_NEAR(problem.lambda[3 * i], weight, 1e-6 * weight) << i;
    EXPECT_NEAR(problem.lambda[3 * i + 1], 0.0, 1e-6 * weight) << i;
  }
}

TEST(Cones, a_million_times_the_mass_on_top_is_carried) {
  ConeProblem problem;
  cone_stack(problem, {1.0, 1e6}, 1e-3);
  ConeSolver solver;
  const ConeReport report = solver.solve(problem);
  EXPECT_TRUE(report.converged) << report.residual;
  double carried = 0.0;
  for (int i = 0; i < 4; ++i) carried += problem.lambda[3 * i];
  EXPECT_NEAR(carried, (1e6 + 1.0) * 9.81e-3, 1e-3);
}

TEST(Cones, groups_that_do_not_touch_are_solved_apart) {
  ConeProblem both, one;
  cone_stack(one, {1.0, 2.0}, 1e-3);
  ConeBody body{1.0, 0.1};
  both = one;
  test::add_cone_body(both, body, V3::Zero(), {1.0, 0.0, -1.0});
  test::add_cone_contact(both, nullptr, body, body.at, 0.3);
  ConeSolver solver;
  EXPECT_EQ(solver.solve(one).groups, 1);
  EXPECT_EQ(solver.solve(both).groups, 2);
  for (int i = 0; i < one.row_count(); ++i) EXPECT_EQ(one.lambda[i], both.lambda[i]);
}

TEST(Cones, the_same_problem_gives_the_same_bits) {
  for (const ConeMethod method :
       {ConeMethod::automatic, ConeMethod::gauss_seidel, ConeMethod::admm}) {
    std::vector<double> first;
    ConeSolver solver({.method = method});
    for (int round = 0; round < 3; ++round) {
      std::mt19937_64 random(11);
      ConeProblem problem;
      test::random_cone_scene(problem, 6, 1000.0, random);
      solver.solve(problem);
      if (round == 0) first = problem.lambda;
      EXPECT_EQ(problem.lambda, first);
    }
  }
}

TEST(Cones, beginning_at_the_solution_takes_no_step) {
  std::mt19937_64 random(5);
  ConeProblem problem;
  test::random_cone_scene(problem, 4, 10.0, random);
  const std::vector<double> free = problem.velocity;
  ConeSolver solver;
  const ConeReport once = solver.solve(problem);
  ASSERT_TRUE(once.converged) << once.residual;
  problem.velocity = free;
  const ConeReport again = solver.solve(problem);
  EXPECT_EQ(again.newton + again.sweeps, 0);
}

}  // namespace
}  // namespace ulna
