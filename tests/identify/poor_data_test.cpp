#include <gtest/gtest.h>

#include "excited.hpp"
#include "identify/estimate/uncertainty.hpp"
#include "poor_data/cases.hpp"

// Logs that tell little, and robots that have what no model of them has: an estimate is never worse than its prior, and deviations hold.
namespace ulna::test {
namespace {

using namespace identify;

constexpr poor_data::Motion poor_motions[] = {
    poor_data::Motion::pd_move, poor_data::Motion::rest_added, poor_data::Motion::one_joint,
    poor_data::Motion::two_seconds, poor_data::Motion::moves_and_rests};

TEST(PoorData, is_never_worse_than_the_prior_and_deviations_hold) {
  int within = 0, count = 0;
  for (const poor_data::Motion motion : poor_motions)
    for (const auto& [robot, seed] : {std::pair{"ur5e", 101}, {"iiwa14", 102}}) {
      const poor_data::Case c = poor_data::simulated(robot, motion, std::uint64_t(seed));
      const Estimate found = poor_data::identified(c);
      const poor_data::Verdict v = poor_data::judged(c, found);
      EXPECT_LT(v.percent, 1.05 * v.prior_percent) << robot << ", " << to_string(motion);
      EXPECT_TRUE(found.converged && found.consistent);
      within += v.base_within, count += v.base_count;
    }
  EXPECT_GT(within, 0.9 * count) << 100.0 * within / count << " %";
}

TEST(PoorData, effects_outside_the_model_are_within_deviations) {
  using poor_data::Effect;
  for (const Effect effect : {Effect::stribeck, Effect::ripple, Effect::elasticity, Effect::all}) {
    int within = 0, count = 0;
    for (const auto& [robot, seed] : {std::pair{"ur5e", 101}, {"panda", 102}}) {
      const poor_data::Case c = poor_data::outside_the_model(robot, effect, std::uint64_t(seed));
      const poor_data::Verdict v = poor_data::judged(c, poor_data::identified(c));
      within += v.base_within, count += v.base_count;
    }
    EXPECT_GT(within, 0.9 * count) << to_string(effect) << ": " << 100.0 * within / count << " %";
  }
}

// The friction of a joint that rests is anything up to its level: however long it rests, it says as much as once.
TEST(PoorData, rest_says_little_however_long_it_is) {
  const Model robot = load_robot("ur5e").model;
  const TorqueModel model(robot, plain_friction);
  const BaseParameters base = find_base_parameters(model);
  Random random(21);
  const Eigen::VectorXd truth = true_numbers(model, random);
  const TorqueData motion = Excited(robot, plain_friction, truth, 1500, 100.0, random).data,
                   other = Excited(robot, plain_friction, truth, 400, 20.0, random).data;
  const auto with_rest = [&](Eigen::Index rest) {
    std::mt19937_64 noise(21);
    TorqueData data = motion;
    const Eigen::Index all = data.size() + rest, n = robot.nv();
    for (Eigen::MatrixXd* x : {&data.q, &data.v, &data.a, &data.tau})
      x->conservativeResize(Eigen::NoChange, all);
    data.sliding = Eigen::MatrixXd::Ones(n, all);
    data.q.rightCols(rest).colwise() = motion.q.col(motion.size() - 1);
    data.v.rightCols(rest).setZero(), data.a.rightCols(rest).setZero();
    data.sliding.rightCols(rest).setZero();
    data.x = model.features_of(data.v, data.a, data.tau);
    data.tau = model.torques(truth, data.q, data.v, data.a, data.x);
    for (Eigen::Index i = 0; i < n; ++i)
      data.tau.row(i).tail(rest).array() += 0.9 * truth(model.at(int(i), 1));
    add_noise(data.tau, Eigen::VectorXd::Constant(n, 0.02), noise);
    return estimate(model, base, data);
  };
  const Estimate without = with_rest(0), shorter = with_rest(500), longer = with_rest(5000);
  const auto error = [&](const Estimate& found) {
    return fit_of(model, found.z, other).total_percent;
  };
  EXPECT_LT(error(shorter), 1.1 * error(without));
  EXPECT_LT(error(longer), 1.1 * error(without));
  expect_close(longer.base_deviation, without.base_deviation, 0.1);
}

// How wrong bodies are believed to be follows how wrong they turn out to be.
TEST(PoorData, what_is_not_seen_is_as_uncertain_as_what_is_seen_was_wrong) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  const BaseParameters base = find_base_parameters(model);
  const auto mass_deviation = [&](double off) {
    Random random(22);
    Eigen::VectorXd truth = true_numbers(model, random);
    for (int b = 0; b < 7; ++b) truth.segment<10>(10 * b) *= b % 2 ? off : 1.0 / off;
    TorqueData data = Excited(robot, plain_friction, truth, 1000, 100.0, random).data;
    std::mt19937_64 noise(22);
    add_noise(data.tau, Eigen::VectorXd::Constant(7, 0.05), noise);
    const Estimate found = estimate(model, base, data);
    return found.deviation(0) / found.prior(0);  // of the first link, which no torque depends on
  };
  const double little = mass_deviation(1.2), more = mass_deviation(2.5);
  EXPECT_LT(1.5 * little, more);
  EXPECT_LT(more, 2.0);
}

TEST(MotionCorrelation, is_the_noise_where_the_motion_is) {
  constexpr int count = 20000;
  std::mt19937_64 seed(23);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd slow(1, count), fast(1, count), noise(1, count), white(1, count);
  double state = 0.0;
  for (int k = 0; k < count; ++k) {
    slow(0, k) = std::sin(0.005 * k) + std::sin(0.0071 * k), fast(0, k) = std::sin(1.5 * k);
    state = 0.95 * state + normal(seed);
    noise(0, k) = state, white(0, k) = normal(seed);
  }
  const Eigen::VectorXd counts = Eigen::VectorXd::Constant(1, count),
                        none = Eigen::VectorXd::Zero(1);
  const auto alike = [&](const Eigen::MatrixXd& motion, const Eigen::MatrixXd& residual) {
    return MotionCorrelation({&motion}, {0}, 500.0).of(residual, counts, none)(0);
  };
  // density over variance of x_k = 0.95 x_{k-1} + e: (1 - 0.95²) / (1 - 2 0.95 cos w + 0.95²)
  EXPECT_NEAR(alike(slow, noise), 39.0, 8.0);
  EXPECT_EQ(alike(fast, noise), 1.0) << "less than one sample is none";
  EXPECT_NEAR(alike(slow, white), 1.0, 0.3);
}

// What is known of a joint's direction where it hardly moves.
TEST(Prepare, where_a_joint_rests_its_direction_is_not_known) {
  Log log;
  constexpr int count = 2000;
  log.file = "made", log.joints = {"one", "other"}, log.rows = count;
  log.t.resize(count), log.q.resize(2, count), log.v = log.tau = log.q;
  std::mt19937_64 seed(24);
  std::normal_distribution<double> normal;
  for (int k = 0; k < count; ++k) {
    const double t = 0.002 * k;
    log.t(k) = t, log.line.push_back(k + 2);
    log.q(0, k) = 0.4, log.v(0, k) = 0.0;
    log.q(1, k) = std::sin(3.0 * t), log.v(1, k) = 3.0 * std::cos(3.0 * t);
    for (int i = 0; i < 2; ++i)
      log.q(i, k) += 1e-5 * normal(seed), log.v(i, k) += 1e-3 * normal(seed), log.tau(i, k) = 1.0;
  }
  for (const bool velocities : {true, false}) {
    Diagnostics found;
    const Prepared all =
        prepare({&log, 1}, {.filter_hz = 10.0, .velocity_logged = velocities}, found);
    ASSERT_EQ(all.pieces.size(), 1u);
    const Piece& piece = all.pieces.front();
    EXPECT_LT(piece.sliding.row(0).mean(), 0.02);
    EXPECT_GT(piece.sliding.row(1).mean(), 0.97);
    for (Eigen::Index k = 0; k < piece.size(); ++k) {
      if (std::abs(piece.v(1, k)) < 1.5) continue;
      EXPECT_NEAR(piece.direction(1, k), piece.v(1, k) > 0.0 ? 1.0 : -1.0, 0.05);
      EXPECT_NEAR(piece.sliding(1, k), 1.0, 0.05);
    }
  }
}

}  // namespace
}  // namespace ulna::test
