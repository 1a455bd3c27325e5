#include "support/allocations.hpp"
#include "support/states.hpp"
#include "ulna/identify/estimate/normal_equations.hpp"

#include "excited.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/identify/online/online_estimator.hpp"

// What runs while the robot moves allocates nothing.
namespace ulna::test {
namespace {

using namespace identify;

using Eigen::VectorXd;

TEST(MotionFilter, does_not_allocate) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer has taken malloc";
  for (const auto velocity :
       {MotionFilter::Velocity::measured, MotionFilter::Velocity::from_position}) {
    MotionFilter filter(7, LowPass(20.0, 1000.0, 4), velocity);
    const VectorXd x = VectorXd::Random(7);
    VectorXd bad = x;
    bad(3) = NAN;
    EXPECT_EQ(allocations_of([&] {
                for (int k = 0; k < 100; ++k) filter.update(k % 7 ? x : bad, x, x);
              }),
              0);
    EXPECT_GT(allocations_of([] { VectorXd y(100); }), 0) << "the counter counts";
  }
}

TEST(OnlineEstimator, allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(8);
  const Excited run(robot, plain_friction, true_numbers(model, random), 50, 1000.0, random);
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.05));
  Eigen::VectorXd tau(7), deviation(model.unknowns());
  const Eigen::VectorXd q = run.data.q.col(3), v = run.data.v.col(3), a = run.data.a.col(3),
                        measured = run.data.tau.col(3);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 20; ++i) {
                estimator.predict(q, v, a, tau);
                estimator.update(q, v, a, measured);
              }
              estimator.deviations(deviation);
            }),
            0);
}

TEST(Allocations, of_normal_equations_are_none_when_samples_are_added) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Model model = random_model(4);
  Random random(4);
  const States states(model, random, 100);
  const Eigen::MatrixXd tau = states.V, W = states.V.cwiseAbs();
  identify::NormalEquations sums(model, 1, 2);
  EXPECT_EQ(allocations_of([&] { sums.add(states.Q, states.V, states.X, tau, states.V, W); }), 0);
  EXPECT_EQ(sums.samples(), 100);
}

}  // namespace
}  // namespace ulna::test
