#pragma once

#include "problems.hpp"
#include "ulna/control/ipopt.hpp"
#include "ulna/control/sqp.hpp"

namespace ulna::test {

using namespace control;

/// Fails unless a motion from x costs the same by two solvers, one of them made by others.
inline void expect_agreement(RobotProblem& problem, const Trajectory& guess,
                             const Eigen::VectorXd& x) {
  Sqp sqp(problem, {.iterations = 500, .exact_hessian = problem.has_exact_hessian()});
  sqp.trajectory = guess;
  const SqpReport& report = sqp.solve(x);
  ASSERT_EQ(report.status, SqpStatus::solved) << report.str();
  if (!has_ipopt()) GTEST_SKIP() << "built without Ipopt";
  const IpoptResult witness = solve_with_ipopt(problem, guess, x);
  ASSERT_EQ(witness.status, SqpStatus::solved) << witness.str();
  EXPECT_NEAR(report.cost, witness.cost, 1e-6 * std::abs(witness.cost)) << report.str() << "\n"
                                                                        << witness.str();
}

}  // namespace ulna::test
