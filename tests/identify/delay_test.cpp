#include "ulna/identify/data/delay.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::test {
namespace {

using namespace identify;

using Eigen::Index;
using Eigen::MatrixXd;

/// A torque that varies with a few frequencies, and nothing else.
double torque(int joint, double t) {
  double sum = 0.0;
  for (int h = 1; h <= 4; ++h) sum += std::sin((2.0 + joint) * h * t + 0.9 * h * joint) / h;
  return 10.0 * sum;
}

/// Noise as a filter leaves it: correlated in time.
MatrixXd filtered_noise(Index rows, Index cols, double rate_hz, double size, Random& random) {
  MatrixXd x = MatrixXd::NullaryExpr(rows, cols, [&] { return random.real(); });
  zero_phase(LowPass(10.0, rate_hz), x);
  return size * x / std::sqrt(x.squaredNorm() / double(x.size()));
}

struct Pair {
  MatrixXd predicted, measured;
};
Pair torques(Index joints, Index count, double rate_hz, double delay) {
  Pair pair{MatrixXd(joints, count), MatrixXd(joints, count)};
  for (Index k = 0; k < count; ++k)
    for (Index i = 0; i < joints; ++i) {
      const double t = double(k) / rate_hz;
      pair.predicted(i, k) = torque(static_cast<int>(i), t);
      pair.measured(i, k) = 1.2 * torque(static_cast<int>(i), t - delay) - 3.0;
    }
  return pair;
}

TEST(Delay, is_found_between_samples) {
  for (const double delay : {0.0, 0.0123, -0.0071, 0.05, 0.0005}) {
    const Pair pair = torques(3, 2000, 200.0, delay);
    const Delay found = estimate_delay(pair.predicted, pair.measured, 200.0, 0.1);
    ASSERT_TRUE(found.found);
    // a hundredth of a sample is what cubics between the samples allow
    EXPECT_NEAR(found.delay, delay, 5e-5) << delay;
    for (const JointDelay& joint : found.joints) {
      EXPECT_TRUE(joint.found);
      EXPECT_NEAR(joint.delay, delay, 5e-5);
      EXPECT_NEAR(joint.gain, 1.2, 1e-3);
      EXPECT_NEAR(joint.offset, -3.0, 1e-2);
      EXPECT_GT(joint.correlation, 0.9999);
    }
  }
}

TEST(Delay, has_a_deviation_that_is_honest_for_correlated_noise) {
  const double rate = 500.0, delay = 0.0082;
  const int runs = 200;
  int within_1 = 0, within_2 = 0, together = 0;
  for (int run = 0; run < runs; ++run) {
    Random random(static_cast<std::uint64_t>(run) + 1);
    Pair pair = torques(2, 5000, rate, delay);
    pair.measured += filtered_noise(2, 5000, rate, 2.0, random);
    const Delay found = estimate_delay(pair.predicted, pair.measured, rate, 0.05);
    ASSERT_TRUE(found.found) << "seed " << run + 1;
    for (const JointDelay& joint : found.joints) {
      const double off = std::abs(joint.delay - delay) / joint.deviation;
      within_1 += off < 1.0, within_2 += off < 2.0;
    }
    together += std::abs(found.delay - delay) < 3.0 * found.deviation;
  }
  // of a normal distribution 68.3 % and 95.4 %
  std::printf(
      "%d runs: %.1f %% within one deviation, %.1f %% within two, %.1f %% together within three\n",
      runs, 50.0 * within_1 / runs, 50.0 * within_2 / runs, 100.0 * together / runs);
  EXPECT_GT(within_1, 0.60 * 2 * runs);
  EXPECT_LT(within_1, 0.80 * 2 * runs);
  EXPECT_GT(within_2, 0.90 * 2 * runs);
  EXPECT_GT(together, 0.97 * runs);
}

TEST(Delay, is_not_claimed_where_there_is_none_to_be_seen) {
  Pair pair = torques(2, 1000, 200.0, 0.01);
  pair.measured.row(0).setConstant(4.0);                  // a dead sensor
  pair.predicted.row(1) = -pair.predicted.row(1).eval();  // the wrong sign
  pair.measured.row(1) = -pair.predicted.row(1);
  const Delay found = estimate_delay(pair.predicted, pair.measured, 200.0, 0.02);
  EXPECT_FALSE(found.joints[0].found);
  EXPECT_FALSE(found.joints[1].found);
  EXPECT_FALSE(found.found);
  // later than was searched
  const Pair late = torques(1, 1000, 200.0, 0.08);
  EXPECT_FALSE(estimate_delay(late.predicted, late.measured, 200.0, 0.02).found);
}

TEST(Delay, refuses_wrong_arguments) {
  const Pair pair = torques(2, 100, 200.0, 0.0);
  EXPECT_THROW(estimate_delay(pair.predicted, pair.measured.leftCols(50), 200.0, 0.02),
               std::invalid_argument);
  EXPECT_THROW(estimate_delay(pair.predicted, pair.measured, 200.0, 0.2), std::invalid_argument);
  EXPECT_THROW(estimate_delay(pair.predicted, pair.measured, 0.0, 0.02), std::invalid_argument);
  MatrixXd bad = pair.measured;
  bad(0, 3) = NAN;
  EXPECT_THROW(estimate_delay(pair.predicted, bad, 200.0, 0.02), std::invalid_argument);
}

TEST(DriveGain, is_found_beside_the_friction_of_the_drive) {
  const double rate = 200.0;
  const Index count = 3000;
  Pair pair = torques(2, count, rate, 0.0);
  MatrixXd v(2, count), current(2, count);
  const Eigen::Vector2d gain(14.87, 11.03), viscous(3.0, 1.0), coulomb(5.0, 0.5), offset(-0.4, 0.2);
  Random random(2);
  for (Index k = 0; k < count; ++k)
    for (Index i = 0; i < 2; ++i) {
      v(i, k) = std::cos(1.7 * double(k) / rate + double(i));
      const double sign = v(i, k) > 0.0 ? 1.0 : -1.0;
      current(i, k) = (pair.predicted(i, k) + viscous[i] * v(i, k) + coulomb[i] * sign + offset[i] +
                       0.1 * random.real()) /
                      gain[i];
    }
  const auto found = estimate_gains(pair.predicted, current, v);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto at = static_cast<Index>(i);
    ASSERT_TRUE(found[i].found);
    EXPECT_NEAR(found[i].gain, gain[at], 4.0 * found[i].deviation + 1e-3);
    EXPECT_LT(found[i].deviation, 2e-3 * gain[at]);
    EXPECT_NEAR(found[i].viscous, viscous[at], 0.05);
    EXPECT_NEAR(found[i].coulomb, coulomb[at], 0.05);
    EXPECT_NEAR(found[i].offset, offset[at], 0.05);
  }
  EXPECT_FALSE(estimate_gains(pair.predicted, MatrixXd::Zero(2, count), v)[0].found);
}

}  // namespace
}  // namespace ulna::test
