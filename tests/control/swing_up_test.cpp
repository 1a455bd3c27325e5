#include <gtest/gtest.h>

#include "swinging.hpp"
#include "ulna/control/ipopt.hpp"

// From hanging still to standing, with nothing for a guess: all states and inputs are zero.
namespace ulna::test {

using namespace control;
namespace {

template <class P>
class SwingUp : public testing::Test {};
using All = testing::Types<Pendulum, CartPole, DoublePendulum>;
TYPED_TEST_SUITE(SwingUp, All);

TYPED_TEST(SwingUp, sqp_and_ipopt_agree) {
  Swing<TypeParam> problem;
  if (!has_ipopt()) GTEST_SKIP() << "built without Ipopt";
  const IpoptResult witness = solve_with_ipopt(problem, trajectory_of(problem), problem.x0);
  ASSERT_EQ(witness.status, SqpStatus::solved) << witness.str();
  for (const bool exact : {false, true}) {
    SqpOptions options;
    options.exact_hessian = exact;
    Sqp sqp(problem, options);
    const SqpReport& report = sqp.solve(problem.x0);
    ASSERT_EQ(report.status, SqpStatus::solved) << report.str();
    EXPECT_NEAR(report.cost, witness.cost, 1e-6 * witness.cost) << report.str();
    // it stands
    const Eigen::VectorXd& end = sqp.trajectory.x.back();
    EXPECT_NEAR(end.head(TypeParam::states / 2).norm(), pi, 0.1);
    // and the torques do not suffice for less than a swing
    double most = 0.0;
    for (const auto& u : sqp.trajectory.u)
      if (u.size() > 0) most = std::max(most, u.cwiseQuotient(TypeParam::most()).maxCoeff());
    EXPECT_LE(most, 1.0 + 1e-6);
  }
}

TYPED_TEST(SwingUp, exact_hessians_end_in_newtons_steps) {
  Swing<TypeParam> problem;
  SqpOptions options;
  options.exact_hessian = true;
  Sqp sqp(problem, options);
  ASSERT_EQ(sqp.solve(problem.x0).status, SqpStatus::solved);
  // from nearby, three iterations: 1e-3, 1e-6, 1e-12
  for (auto& x : sqp.trajectory.x) x.array() += 1e-3;
  for (auto& u : sqp.trajectory.u) u.array() *= 0.999;
  const SqpReport& report = sqp.solve(problem.x0);
  EXPECT_EQ(report.status, SqpStatus::solved);
  EXPECT_LE(report.iterations, 5) << report.str();
}

}  // namespace
}  // namespace ulna::test
