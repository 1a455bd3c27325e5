#include "ulna/identify/online/online_estimator.hpp"

#include "excited.hpp"

// Identification while the robot moves.
namespace ulna::test {
namespace {

using namespace identify;

using Outcome = OnlineEstimator::Outcome;

struct Drive : Excited {
  Drive(const Model& robot, const Eigen::VectorXd& z, int count, std::uint64_t seed,
        double noise = 0.05)
      : Drive(robot, z, count, Random(seed), seed, noise) {}

 private:
  Drive(const Model& robot, const Eigen::VectorXd& z, int count, Random random, std::uint64_t seed,
        double noise)
      : Excited(robot, plain_friction, z, count, 1000.0, random) {
    std::mt19937_64 numbers(seed);
    add_noise(data.tau, Eigen::VectorXd::Constant(robot.nv(), noise), numbers);
  }
};

Outcome feed(OnlineEstimator& estimator, const TorqueData& data, Eigen::Index s) {
  return estimator.update(data.q.col(s), data.v.col(s), data.a.col(s), data.tau.col(s));
}

/// Errors of prediction over [begin, end), learning on the way.
double learn(OnlineEstimator& estimator, const TorqueData& data, Eigen::Index begin,
             Eigen::Index end) {
  Eigen::VectorXd tau(data.tau.rows());
  double error = 0.0, size = 0.0;
  for (Eigen::Index s = begin; s < end; ++s) {
    estimator.predict(data.q.col(s), data.v.col(s), data.a.col(s), tau);
    error += (data.tau.col(s) - tau).squaredNorm(), size += data.tau.col(s).squaredNorm();
    feed(estimator, data, s);
    EXPECT_TRUE(estimator.prior().inside(estimator.z()));
  }
  return std::sqrt(error / size);
}

TEST(OnlineEstimator, learns_a_robot_that_differs_and_is_physical_at_every_step) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(1);
  Eigen::VectorXd truth = true_numbers(model, random);
  truth.head(70) *= 1.3;
  const Drive run(robot, truth, 6000, 1);
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.5));
  const double at_first = learn(estimator, run.data, 0, 20);
  (void)learn(estimator, run.data, 20, 5000);
  const double at_last = learn(estimator, run.data, 5000, 6000);
  // nothing but the noise is left
  const double floor = 0.05 * std::sqrt(7000.0) / run.data.tau.rightCols(1000).norm();
  EXPECT_GT(at_first, 10.0 * floor);
  EXPECT_LT(at_last, 1.2 * floor);
  EXPECT_TRUE(is_consistent(model, estimator.z()));
}

TEST(OnlineEstimator, learns_the_level_of_noise_from_a_poor_guess) {
  const Model robot = load_robot("double_pendulum").model;
  const TorqueModel model(robot, plain_friction);
  Random random(13);
  const Drive run(robot, true_numbers(model, random), 12000, 13, 0.05);
  for (const double guess : {0.005, 0.05, 0.5}) {
    OnlineOptions options;
    options.noise_memory = 1.0;
    OnlineEstimator learning(model, Eigen::Vector2d::Constant(guess), options),
        fixed(model, Eigen::Vector2d::Constant(guess));
    (void)learn(learning, run.data, 0, 12000);
    (void)learn(fixed, run.data, 0, 1000);
    for (const double noise : learning.noise()) {
      EXPECT_GT(noise, 0.05 / 1.3) << guess;
      EXPECT_LT(noise, 0.05 * 1.3) << guess;
    }
    EXPECT_EQ(fixed.noise(), Eigen::Vector2d::Constant(guess));
  }
}

// With no forgetting to speak of, and the same prior, it ends where the batch does.
TEST(OnlineEstimator, agrees_with_the_batch) {
  const Model robot = load_robot("ur5e").model;
  const TorqueModel model(robot, plain_friction);
  Random random(2);
  const Drive run(robot, true_numbers(model, random), 4000, 2, 0.1);
  OnlineOptions options;
  options.memory = 1e9;
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(6, 0.1), options);
  (void)learn(estimator, run.data, 0, 4000);
  const BaseParameters base = find_base_parameters(model);
  const Estimate batch = estimate(model, base, run.data, {.weigh_prior = false});
  const Eigen::VectorXd off =
      (base.of(estimator.z()) - batch.base).cwiseQuotient(batch.base_deviation);
  EXPECT_LT(off.cwiseAbs().maxCoeff(), 1.0);
}

TEST(OnlineEstimator, follows_a_payload_that_is_picked_up) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(3);
  Eigen::VectorXd truth = true_numbers(model, random);
  const Drive before(robot, truth, 3000, 3);
  truth.segment<10>(60) +=
      Inertia<double>::about_com(2.0, {0.0, 0.0, 0.15}, 0.01 * Mat3<double>::Identity())
          .parameters();
  const Drive after(robot, truth, 8000, 4);
  OnlineOptions options;
  options.memory = 2.0;
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.1), options);
  const double light = learn(estimator, before.data, 2000, 3000);
  const double surprised = learn(estimator, after.data, 0, 20);
  (void)learn(estimator, after.data, 20, 7000);
  const double heavy = learn(estimator, after.data, 7000, 8000);
  const double floor = 0.05 * std::sqrt(7000.0) / after.data.tau.rightCols(1000).norm();
  EXPECT_GT(surprised, 5.0 * light);
  EXPECT_LT(heavy, 1.2 * floor) << light << " " << surprised << " " << heavy;
}

// As after a push, or when a payload is put down again.
TEST(OnlineEstimator, restores_what_it_knew_when_torques_are_as_before_a_change) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(3);
  const Eigen::VectorXd truth = true_numbers(model, random);
  const Drive run(robot, truth, 6000, 3);
  OnlineOptions options;
  options.patience = 10;
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.1), options);
  (void)learn(estimator, run.data, 0, 3000);
  ASSERT_EQ(estimator.changes(), 0);
  TorqueData pushed = run.data;
  pushed.tau.row(1).array() += 15.0, pushed.tau.row(3).array() -= 8.0;
  (void)learn(estimator, pushed, 3000, 3009);
  const Eigen::VectorXd before = estimator.z();
  (void)learn(estimator, pushed, 3009, 4000);
  EXPECT_GE(estimator.changes(), 1);
  EXPECT_GT((estimator.z() - before).norm(), 0.1 * before.norm());
  bool restored = false;
  for (Eigen::Index s = 4000; s < 4200 && !restored; ++s)
    restored = feed(estimator, run.data, s) == Outcome::restored;
  ASSERT_TRUE(restored);
  EXPECT_EQ(estimator.restored(), 1);
  EXPECT_LE((estimator.z() - before).norm(), 0.01 * before.norm());
}

// What a joint that rests is held by is not what it weighs: numbers of before a payload are no better than those of now.
TEST(OnlineEstimator, keeps_what_it_learned_of_a_change_while_the_robot_rests) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(3);
  Eigen::VectorXd truth = true_numbers(model, random);
  const Drive before(robot, truth, 3000, 3);
  truth.segment<10>(60) +=
      Inertia<double>::about_com(2.0, {0.0, 0.0, 0.15}, 0.01 * Mat3<double>::Identity())
          .parameters();
  const Drive after(robot, truth, 4000, 4);
  OnlineOptions options;
  options.patience = 10, options.slow = 0.02;
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.1), options);
  (void)learn(estimator, before.data, 0, 3000);
  (void)learn(estimator, after.data, 0, 4000);
  ASSERT_GE(estimator.changes(), 1);
  const long restored = estimator.restored();
  const double mass = estimator.z()(60);
  const Eigen::VectorXd q = after.data.q.col(0), still = Eigen::VectorXd::Zero(7);
  Eigen::VectorXd tau(7);
  estimator.predict(q, still, still, tau);
  tau.array() += 0.02;  // which dry friction holds against
  for (int s = 0; s < 500; ++s) (void)estimator.update(q, still, still, tau);
  EXPECT_EQ(estimator.restored(), restored);
  EXPECT_NEAR(estimator.z()(60), mass, 0.01 * mass);
}

// Standing still tells of gravity in one pose, and nothing else is forgotten for it.
TEST(OnlineEstimator, does_not_drift_when_nothing_is_excited) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(5);
  const Drive run(robot, true_numbers(model, random), 6000, 5);
  OnlineOptions options;
  options.memory = 1.0;
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.1), options);
  (void)learn(estimator, run.data, 0, 5000);
  const double before = learn(estimator, run.data, 5000, 6000);
  // twenty times its memory at rest
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(7);
  std::mt19937_64 seed(5);
  std::normal_distribution<double> normal;
  const Eigen::VectorXd tau = model.torques(true_numbers(model, random), run.data.q.col(0), still,
                                            still, model.features_of(still, still, still));
  Eigen::VectorXd holding(7);
  estimator.predict(run.data.q.col(0), still, still, holding);
  for (int s = 0; s < 20000; ++s) {
    Eigen::VectorXd noisy = holding;
    for (double& x : noisy) x += 0.05 * normal(seed);
    estimator.update(run.data.q.col(0), still, still, noisy);
  }
  const OnlineEstimator rested = estimator;
  Eigen::VectorXd predicted(7);
  double error = 0.0, size = 0.0;
  for (int s = 5000; s < 6000; ++s) {
    estimator.predict(run.data.q.col(s), run.data.v.col(s), run.data.a.col(s), predicted);
    error += (run.data.tau.col(s) - predicted).squaredNorm();
    size += run.data.tau.col(s).squaredNorm();
  }
  EXPECT_LT(std::sqrt(error / size), 2.0 * before);
}

// At rest, dry friction holds against anything up to its own size.
TEST(OnlineEstimator, learns_from_a_joint_that_rests_how_large_its_friction_is_at_least) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  const double noise = 0.05;
  OnlineOptions options;
  options.slow = 0.02;
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, noise), options);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(7, 0.3), still = Eigen::VectorXd::Zero(7);
  Eigen::VectorXd gravity(7), tau(7);
  estimator.predict(q, still, still, gravity);
  const auto rest = [&](double push, int samples) {
    for (int s = 0; s < samples; ++s) {
      tau = gravity;
      tau(4) += push;
      EXPECT_NE(estimator.update(q, still, still, tau), Outcome::ignored);
    }
  };
  /// What it is thought to take to move the joint.
  const auto holds = [&](double way) {
    const Eigen::VectorXd direction = way * Eigen::VectorXd::Unit(7, 4);
    estimator.predict(q, still, still, direction, tau);
    return way * (tau(4) - gravity(4));
  };
  rest(0.0, 100);
  EXPECT_LT(holds(1.0), 1.5);
  // pushed harder and harder, it does not move: the friction is at least that, either way
  for (const double way : {1.0, -1.0}) {
    for (double push = 0.0; push < 3.0; push += 0.01) rest(way * push, 2);
    rest(way * 3.0, 300);
  }
  // but for the noise that is allowed for
  for (const double way : {1.0, -1.0}) {
    EXPECT_GT(holds(way), 3.0 - 4.0 * noise);
    EXPECT_LT(holds(way), 4.5);  // friction and weight cannot be told apart at rest
  }
  // that less does not move it either is no news
  const Eigen::VectorXd pushed = estimator.z();
  rest(1.0, 500), rest(-2.0, 500);
  EXPECT_LE((estimator.z() - pushed).lpNorm<Eigen::Infinity>(), 1e-6);
}

// A sensor in the first joint sees the whole arm; friction it does not see.
TEST(OnlineEstimator, learns_from_wrenches) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(7);
  Eigen::VectorXd truth = true_numbers(model, random);
  truth.head(70) *= 1.3;
  const Drive run(robot, truth, 3000, 7);
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.1));
  const Eigen::VectorXd before = estimator.z();
  RegressorWorkspace<double> ws(robot);
  Kinematics<double> at(robot);
  RowMatX<double> W(6, 70);
  std::mt19937_64 seed(7);
  std::normal_distribution<double> normal;
  const Eigen::VectorXd noise{{0.02, 0.02, 0.02, 0.2, 0.2, 0.2}};
  double at_first = 0.0, at_last = 0.0;
  for (int s = 0; s < 3000; ++s) {
    const Eigen::VectorXd q = run.data.q.col(s), v = run.data.v.col(s), a = run.data.a.col(s);
    at.set(q, v, a);
    for (const int body : {1, 4}) {
      wrench_regressor<double>(at, body, ws, W);
      Eigen::VectorXd wrench = W * truth.head(70);
      const double error = ((wrench - W * estimator.z().head(70)).cwiseQuotient(noise)).norm();
      if (s < 10) at_first = std::max(at_first, error);
      if (s >= 2900) at_last = std::max(at_last, error);
      for (int i = 0; i < 6; ++i) wrench(i) += noise(i) * normal(seed);
      estimator.update_wrench(body, q, v, a, wrench, noise);
      EXPECT_TRUE(estimator.prior().inside(estimator.z()));
    }
  }
  // off by less than the noise of one measurement
  EXPECT_GT(at_first, 10.0);
  EXPECT_LT(at_last, 1.0);
  EXPECT_LE((estimator.z() - before).tail(14).lpNorm<Eigen::Infinity>(), 1e-6);
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(7);
  EXPECT_EQ(
      estimator.update_wrench(1, still, still, still, Eigen::VectorXd::Constant(6, NAN), noise),
      Outcome::ignored);
}

TEST(OnlineEstimator, takes_no_harm_from_nonsense) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(6);
  Drive run(robot, true_numbers(model, random), 3000, 6);
  OnlineEstimator clean(model, Eigen::VectorXd::Constant(7, 0.1)), hit = clean;
  const double undisturbed = learn(clean, run.data, 0, 3000);
  TorqueData bad = run.data;
  for (int s = 100; s < 3000; s += 100) {
    bad.tau(s / 100 % 7, s) = s % 300 == 0 ? NAN : s % 200 == 0 ? 1e293 : 80.0;
    bad.v(2, s + 1) = INFINITY;
  }
  for (int s = 0; s < 3000; ++s) {
    const Eigen::VectorXd before = hit.z();
    const Outcome outcome = feed(hit, bad, s);
    const bool sound = bad.tau.col(s).allFinite() && bad.v.col(s).allFinite() &&
                       bad.tau.col(s).cwiseAbs().maxCoeff() < 1e6;
    EXPECT_EQ(outcome == Outcome::ignored, !sound) << s;
    if (!sound) {
      EXPECT_EQ(hit.z(), before);
    }
  }
  EXPECT_GT(hit.ignored(), 40);
  OnlineEstimator copy = hit;
  EXPECT_LT(learn(copy, run.data, 2900, 3000), 3.0 * undisturbed + 0.01);
}

// A deviation of 1e-200 is information that no double holds.
TEST(OnlineEstimator, begins_anew_from_its_prior_when_its_numbers_overflow) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(1);
  Eigen::VectorXd truth = true_numbers(model, random);
  truth.head(70) *= 1.3;
  const Drive run(robot, truth, 6000, 1);
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.5));
  const Eigen::VectorXd first = estimator.z();
  (void)learn(estimator, run.data, 0, 1000);
  EXPECT_EQ(estimator.restarts(), 0);
  EXPECT_NE(estimator.z(), first);

  const Eigen::VectorXd q = run.data.q.col(1000), v = run.data.v.col(1000),
                        a = run.data.a.col(1000);
  RegressorWorkspace<double> ws(robot);
  Kinematics<double> at(robot);
  RowMatX<double> W(6, 70);
  at.set(q, v, a);
  wrench_regressor<double>(at, 1, ws, W);
  const Eigen::VectorXd expected = W * estimator.z().head(70);
  (void)estimator.update_wrench(1, q, v, a, expected, Eigen::VectorXd::Constant(6, 1e-200));
  EXPECT_EQ(estimator.restarts(), 1);
  EXPECT_EQ(estimator.z(), first);

  // and learns again
  (void)learn(estimator, run.data, 1000, 5000);
  const double floor = 0.05 * std::sqrt(7000.0) / run.data.tau.rightCols(1000).norm();
  EXPECT_LT(learn(estimator, run.data, 5000, 6000), 1.2 * floor);
  EXPECT_EQ(estimator.restarts(), 1);
}

TEST(OnlineEstimator, says_what_it_knows) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(7);
  const Drive run(robot, true_numbers(model, random), 3000, 7);
  OnlineEstimator estimator(model, Eigen::VectorXd::Constant(7, 0.05));
  Eigen::VectorXd before(model.unknowns()), after = before;
  estimator.deviations(before);
  (void)learn(estimator, run.data, 0, 3000);
  estimator.deviations(after);
  const int viscous = model.at(3, 0);
  EXPECT_LT(after(viscous), 0.25 * before(viscous));
  EXPECT_TRUE((after.array() > 0.0).all());
}

}  // namespace
}  // namespace ulna::test
