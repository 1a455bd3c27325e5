#include "ulna/identify/refine/refine.hpp"

#include "excited.hpp"
#include "identify/refine/shooting.hpp"

// Multiple shooting on motions whose truth is known.
namespace ulna::test {
namespace {

using namespace identify;

/// An excited robot as prepare() would hand it over, with noise on positions and velocities as asked.
struct Moved {
  TorqueModel model;
  BaseParameters base;
  Eigen::VectorXd truth;
  Prepared prepared;
  TorqueData clean;

  Moved(const Model& robot, std::vector<Feature> features, std::uint64_t seed, int count,
        double rate_hz = 100.0, double speed = 2.0)
      : model(robot, std::move(features)), base(find_base_parameters(model)) {
    Random random(seed);
    truth = true_numbers(model, random);
    const Excited run(robot, model.features(), truth, count, rate_hz, random, speed);
    clean = run.data;
    Piece piece;
    piece.rate_hz = rate_hz;
    piece.t = Eigen::VectorXd::LinSpaced(count, 0.0, (count - 1) / rate_hz);
    piece.q = run.data.q, piece.v = run.data.v, piece.a = run.data.a, piece.tau = run.data.tau;
    piece.direction = piece.v.cwiseSign();
    prepared.pieces.push_back(piece);
    prepared.velocity_measured = true;
  }

  Piece& piece() { return prepared.pieces.front(); }

  void add_noise_to_motion(double position, double velocity, std::uint64_t seed) {
    std::mt19937_64 numbers(seed);
    const int n = model.model().nv();
    add_noise(piece().q, Eigen::VectorXd::Constant(n, position), numbers);
    add_noise(piece().v, Eigen::VectorXd::Constant(n, velocity), numbers);
  }

  /// The estimate of torques that are off by so much.
  Estimate start(double noise, std::uint64_t seed) const {
    std::mt19937_64 numbers(seed);
    TorqueData data = gather(model, prepared);
    data.correlated = 1.0;
    add_noise(data.tau, Eigen::VectorXd::Constant(model.model().nv(), noise), numbers);
    // with the prior that refinement has
    return estimate(model, base, data, {.weigh_prior = false});
  }
  /// Of base parameters, as torques on the true motion.
  double error_of(const Eigen::VectorXd& z) const { return fit_of(model, z, clean).total_percent; }
};

const std::vector<Feature> geared{Feature::viscous, Feature::offset, Feature::armature};

// --- simulations ---

TEST(Shooting, slopes_are_those_of_differences) {
  const Model robot = load_robot("scara").model;
  Moved run(robot,
            {Feature::viscous, Feature::coulomb, Feature::load, Feature::offset, Feature::armature},
            1, 60);
  const ShootingNumbers layout{run.model.unknowns(), robot.nv(), true, true};
  Random random(1);
  Eigen::VectorXd x(layout.size());
  x.head(layout.unknowns) = run.truth;
  for (int i = 0; i < robot.nv(); ++i)
    x(layout.level(i)) = random.real(0.1, 0.5), x(layout.velocity(i)) = random.real(0.2, 0.5);
  x(layout.delay_at()) = 0.013;
  Shooting shooting(run.model, layout);
  const Window window{&run.piece(), 20, 2, 5, 3};
  Eigen::VectorXd state(3 * robot.nv());
  state << run.piece().q.col(20), run.piece().v.col(20), Eigen::VectorXd::Zero(robot.nv());
  for (int i = 0; i < robot.nv(); ++i) state(2 * robot.nv() + i) = random.real();
  shooting.set(x);
  ASSERT_TRUE(shooting(window, state, true));
  const Eigen::MatrixXd slope = shooting.slopes[5];
  const Eigen::VectorXd end = shooting.states[5];
  ASSERT_TRUE(shooting(window, state, false));
  expect_close(shooting.states[5], end, 1e-12);

  Eigen::MatrixXd differences(slope.rows(), slope.cols());
  for (Eigen::Index k = 0; k < slope.cols(); ++k) {
    const auto moved = [&](double by) {
      Eigen::VectorXd from = state, numbers = x;
      (k < state.size() ? from(k) : numbers(k - state.size())) += by;
      shooting.set(numbers);
      EXPECT_TRUE(shooting(window, from, false));
      return Eigen::VectorXd(shooting.states[5]);
    };
    const double h = 1e-6;
    differences.col(k) = (moved(h) - moved(-h)) / (2.0 * h);
  }
  expect_close(slope, differences, 1e-6);
}

TEST(Shooting, follows_the_motion_that_the_torques_are_of) {
  Moved run(load_robot("panda").model, {Feature::viscous, Feature::offset, Feature::armature}, 2,
            100);
  const ShootingNumbers layout{run.model.unknowns(), 7, false, false};
  Shooting shooting(run.model, layout);
  shooting.set(run.truth);
  Eigen::VectorXd state(21);
  state << run.piece().q.col(30), run.piece().v.col(30), Eigen::VectorXd::Zero(7);
  ASSERT_TRUE(shooting({&run.piece(), 30, 1, 30}, state, false));
  expect_close(Eigen::VectorXd(shooting.states[30].head(7)), Eigen::VectorXd(run.piece().q.col(60)),
               1e-5);
  expect_close(Eigen::VectorXd(shooting.states[30].tail(7)), Eigen::VectorXd(run.piece().v.col(60)),
               1e-4);
}

// --- refinement ---

class Refine : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_refine()) GTEST_SKIP() << "built without Ceres";
  }
};

TEST_F(Refine, finds_the_truth_from_a_poor_start) {
  for (const char* name : {"double_pendulum", "scara", "panda"}) {
    SCOPED_TRACE(name);
    Moved run(load_robot(name).model, geared, 3, 300);
    const Estimate start = run.start(5.0, 3);
    run.add_noise_to_motion(1e-5, 1e-4, 3);
    const Refinement found = refine(run.model, run.base, start, run.prepared, {.passes = 2});
    EXPECT_EQ(found.status, RefineStatus::converged) << found.reason;
    EXPECT_TRUE(found.estimate.consistent);
    EXPECT_GT(run.error_of(start.z), 0.5);
    EXPECT_LT(run.error_of(found.estimate.z), 0.01) << found.str();
    EXPECT_LT(found.velocity_after.norm(), 0.01 * found.velocity_before.norm()) << found.str();
  }
}

// What no number explains in the torques stays with the torques: the answer is as good as that of
// regression, where taking torques for exact would bend the numbers.
TEST_F(Refine, takes_torques_that_are_off) {
  Moved run(load_robot("panda").model, geared, 14, 400);
  for (Eigen::Index s = 0; s < run.piece().size(); ++s)
    for (int i = 0; i < 7; ++i)
      run.piece().tau(i, s) += (i < 4 ? 0.5 : 0.1) * std::sin(20.0 * run.piece().t(s) + i);
  run.add_noise_to_motion(1e-5, 1e-4, 14);
  const Estimate start = run.start(0.0, 14);
  const auto error = [&](const RefineOptions& options) {
    return run.error_of(refine(run.model, run.base, start, run.prepared, options).estimate.z);
  };
  const double noisy =
      error({.torques_noisy = true, .window = 0.02, .continuity = 0.3, .most_iterations = 40});
  EXPECT_LT(noisy, 2.0 * run.error_of(start.z));
  EXPECT_LT(noisy, error({.most_iterations = 40}));
}

// Light links with much friction decay faster than samples come.
TEST_F(Refine, takes_stiff_joints) {
  const Moved run(load_robot("ur5e").model, {Feature::viscous}, 4, 100);
  const Estimate start = run.start(2.0, 4);
  const Refinement found = refine(run.model, run.base, start, run.prepared, {.passes = 1});
  EXPECT_EQ(found.window, 0.2);
  EXPECT_LT(run.error_of(found.estimate.z), 0.1 * run.error_of(start.z)) << found.str();
}

TEST_F(Refine, tells_stribeck_friction_and_delay_apart) {
  Moved run(load_robot("double_pendulum").model,
            {Feature::viscous, Feature::coulomb, Feature::offset}, 5, 600, 100.0, 1.0);
  const Eigen::Vector2d level(0.8, 0.5), width(0.3, 0.2);
  for (Eigen::Index s = 0; s < run.piece().size(); ++s)
    for (int i = 0; i < 2; ++i) {
      const double v = run.piece().v(i, s), u = v / width(i);
      run.piece().tau(i, s) += level(i) * std::exp(-u * u) * sign_of(v);
    }
  // torques are measured 20 ms late
  Eigen::MatrixXd late = run.piece().tau;
  late.rightCols(598) = run.piece().tau.leftCols(598);
  run.piece().tau = late;
  run.add_noise_to_motion(1e-4, 1e-2, 5);

  const Estimate start = run.start(0.1, 5);
  const Refinement plain = refine(run.model, run.base, start, run.prepared, {.passes = 1});
  const Refinement found = refine(run.model, run.base, start, run.prepared,
                                  {.stribeck = true, .delay = true, .passes = 2});
  EXPECT_EQ(found.status, RefineStatus::converged) << found.reason;
  EXPECT_NEAR(found.delay, 0.020, 0.001);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.stribeck_level(i), level(i), 0.1 * level(i)) << i;
    EXPECT_NEAR(found.stribeck_velocity(i), width(i), 0.1 * width(i)) << i;
  }
  EXPECT_LT(run.error_of(found.estimate.z), 0.2 * run.error_of(plain.estimate.z));
  EXPECT_EQ(plain.stribeck_level.size(), 0);
}

// Of many runs, base parameters are within three deviations, and within one about as often as normal
// numbers are.
TEST_F(Refine, deviations_are_honest) {
  const Moved clean(load_robot("double_pendulum").model, {Feature::viscous, Feature::offset}, 6,
                    300);
  const Estimate start = clean.start(0.5, 6);
  int one = 0, three = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    Moved run = clean;
    run.add_noise_to_motion(1e-3, 2e-2, seed);
    const Estimate found = refine(run.model, run.base, start, run.prepared, {.passes = 2}).estimate;
    for (int i = 0; i < run.base.size(); ++i, ++all) {
      const double off =
          std::abs(found.base(i) - run.base.of(run.truth)(i)) / found.base_deviation(i);
      one += off < 1.0, three += off < 3.0;
    }
  }
  EXPECT_GE(three, 0.97 * all) << 100.0 * three / all << " %";
  EXPECT_GT(one, 0.5 * all) << 100.0 * one / all << " %";
}

TEST_F(Refine, keeps_what_is_known) {
  Moved run(load_robot("scara").model, geared, 7, 300);
  std::vector<int> known;
  for (int k = 0; k < 30; ++k) known.push_back(k);
  run.base = find_base_parameters(run.model, known);
  Estimate start = run.start(1.0, 7);
  ASSERT_EQ(start.z.head(30), run.truth.head(30));
  const Refinement found = refine(run.model, run.base, start, run.prepared);
  EXPECT_EQ(found.estimate.z.head(30), run.truth.head(30));
  EXPECT_EQ(found.estimate.deviation(3), 0.0);
  EXPECT_LT(run.error_of(found.estimate.z), 0.01);
}

// With masses a hundred times too small the robot shoots off in simulation.
TEST_F(Refine, survives_a_start_that_runs_away) {
  const Moved run(load_robot("panda").model, geared, 8, 300);
  Estimate start = run.start(1.0, 8);
  start.z *= 0.01;
  const Refinement found =
      refine(run.model, run.base, start, run.prepared, {.most_iterations = 15});
  EXPECT_TRUE(found.estimate.z.allFinite());
  EXPECT_TRUE(found.estimate.consistent);
  EXPECT_LE(run.error_of(found.estimate.z), run.error_of(start.z));
}

TEST_F(Refine, limits_are_kept_and_the_best_point_is_returned) {
  const Moved run(load_robot("scara").model, geared, 9, 300);
  const Estimate start = run.start(5.0, 9);
  const auto refined = [&](const RefineOptions& options) {
    return refine(run.model, run.base, start, run.prepared, options);
  };
  const Refinement few = refined({.most_iterations = 2});
  EXPECT_EQ(few.status, RefineStatus::iteration_limit);
  EXPECT_EQ(few.iterations, 2);
  EXPECT_LT(few.velocity_after.norm(), few.velocity_before.norm());
  const Refinement none = refined({.most_seconds = 0.0});
  EXPECT_EQ(none.status, RefineStatus::time_limit);
  expect_close(none.estimate.z, start.z, 1e-9);

  int told = 0;
  double last = 1e300;
  const Refinement stopped = refined({.progress = [&](const RefineProgress& p) {
    EXPECT_LE(p.cost, last);
    last = p.cost;
    return ++told < 3;
  }});
  EXPECT_EQ(stopped.status, RefineStatus::stopped);
  EXPECT_EQ(told, 3);
  EXPECT_LT(stopped.velocity_after.norm(), stopped.velocity_before.norm());

  // in the middle of an iteration, the best before it counts
  int iterations = 0, asked = 0;
  const Refinement interrupted = refined({.progress =
                                              [&](const RefineProgress& p) {
                                                iterations = p.iteration;
                                                return true;
                                              },
                                          .go_on = [&] { return iterations < 2 || ++asked < 2; }});
  EXPECT_EQ(interrupted.status, RefineStatus::stopped);
  EXPECT_GE(iterations, 2);
  expect_close(interrupted.velocity_after, few.velocity_after, 1e-12);

  // before the first, nothing is better than the start, and libraries write nothing
  testing::internal::CaptureStderr();
  const Refinement at_once = refined({.go_on = [] { return false; }});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(at_once.status, RefineStatus::stopped);
  EXPECT_EQ(at_once.iterations, 0);
}

TEST_F(Refine, that_is_stopped_does_not_compute_deviations) {
  const Moved run(load_robot("double_pendulum").model, geared, 10, 200);
  const Estimate start = run.start(1.0, 10);
  const auto asking = [&](long most, long& asked) {
    RefineOptions options{.stribeck = false, .delay = true, .passes = 1};
    asked = 0;
    options.go_on = [&asked, most] { return asked++ < most; };
    return refine(run.model, run.base, start, run.prepared, options);
  };
  long all = 0, some = 0;
  const Refinement whole = asking(1'000'000'000, all);
  EXPECT_TRUE(whole.has_deviations);
  EXPECT_GT(whole.delay_deviation, 0.0);
  EXPECT_NE(whole.estimate.deviation, start.deviation);
  // in the middle, and while deviations are computed; nothing is simulated with slopes after that
  for (const long most : {0L, all / 2, all - 1}) {
    const Refinement found = asking(most, some);
    EXPECT_EQ(some, most + 1);
    EXPECT_EQ(found.status, RefineStatus::stopped);
    EXPECT_FALSE(found.has_deviations);
    EXPECT_EQ(found.estimate.deviation, start.deviation);
    EXPECT_EQ(found.estimate.base_deviation, start.base_deviation);
    EXPECT_EQ(found.covariance.size(), 0);
    EXPECT_TRUE(std::isnan(found.delay_deviation));
    EXPECT_TRUE(found.estimate.consistent);
  }
}

TEST_F(Refine, is_the_same_each_time) {
  const Moved run(load_robot("double_pendulum").model, geared, 10, 200);
  const Estimate start = run.start(1.0, 10);
  const Refinement one = refine(run.model, run.base, start, run.prepared, {.passes = 1}),
                   two = refine(run.model, run.base, start, run.prepared, {.passes = 1});
  EXPECT_EQ(one.estimate.z, two.estimate.z);
  EXPECT_EQ(one.iterations, two.iterations);
}

TEST_F(Refine, leaves_windows_out_where_there_are_too_many) {
  const Moved run(load_robot("double_pendulum").model, {Feature::viscous}, 11, 2000);
  const Refinement found = refine(run.model, run.base, run.start(0.5, 11), run.prepared,
                                  {.most_steps = 400, .passes = 1});
  EXPECT_LE(found.samples, 420);
  EXPECT_GE(found.windows, 18);
  EXPECT_LT(run.error_of(found.estimate.z), 0.1);
}

TEST_F(Refine, refuses_what_it_cannot_start_from) {
  Moved run(load_robot("double_pendulum").model, {Feature::viscous}, 12, 100);
  const Estimate start = run.start(0.1, 12);
  const auto words = [&](const Estimate& from, const RefineOptions& options = {}) {
    return told([&] { (void)refine(run.model, run.base, from, run.prepared, options); });
  };
  Estimate wrong = start;
  wrong.z(0) = -1.0;
  EXPECT_NE(words(wrong).find("not physically consistent"), std::string::npos) << words(wrong);
  EXPECT_NE(words(start, {.stribeck = true}).find("add feature 'coulomb'"), std::string::npos);
  EXPECT_NE(words(start, {.delay = true, .torques_noisy = true}).find("exact torques"),
            std::string::npos);
  EXPECT_NE(words(start, {.window = 5.0}).find("no piece of motion is as long as a window"),
            std::string::npos);
  EXPECT_NE(words(start, {.window = -1.0}).find("must be positive"), std::string::npos);
  run.piece().tau.resize(2, 0);
  EXPECT_NE(words(start).find("no torques"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
