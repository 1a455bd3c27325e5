#include <gtest/gtest.h>

#include <random>

#include "mpc/loop_response.hpp"
#include "ulna/io/import.hpp"
#include "ulna/mpc/trial.hpp"

namespace ulna::test {
namespace {

using namespace mpc;
using Eigen::VectorXd;

constexpr double sample_period = 1e-3;
constexpr int channels = 3;

/// Torques such as a controller sends: a slow motion, and the noise of readings in it.
struct Sent {
  std::mt19937_64 random{11};
  std::normal_distribution<double> normal;
  long samples = 0;

  VectorXd noise(double deviation) {
    VectorXd x(channels);
    for (double& each : x) each = deviation * normal(random);
    return x;
  }
  VectorXd next() {
    const double time = sample_period * double(samples++);
    return VectorXd::Constant(channels, 20.0 * std::sin(3.0 * time)) + noise(0.3);
  }
};

/// What follows a signal late, by first order, by a gain and an offset.
struct Late {
  int delay;
  double lag, gain = 1.0, offset = 0.0, noise = 0.0;
  std::vector<VectorXd> past = {};
  VectorXd state = VectorXd::Zero(channels);

  VectorXd operator()(const VectorXd& x, Sent& sent) {
    past.push_back(x);
    const VectorXd& then = past[std::size_t(std::max(0L, long(past.size()) - 1 - delay))];
    state += (lag > 0.0 ? 1.0 - std::exp(-sample_period / lag) : 1.0) * (then - state);
    return gain * state + VectorXd::Constant(channels, offset) + sent.noise(noise);
  }
};

const std::vector<double> lags{0.0, 0.002, 0.005, 0.01, 0.02};

ResponseEstimator response_of(Late late, int steps = 2000) {
  ResponseEstimator estimator(VectorXd::Ones(channels), sample_period, lags, 8, {});
  Sent sent;
  for (int k = 0; k < steps; ++k) {
    const VectorXd x = sent.next();
    estimator.cause(x);
    (void)estimator.effect(late(x, sent));
  }
  return estimator;
}

TEST(ResponseEstimator, finds_a_delay_whatever_gain_and_offset_are) {
  for (int delay = 0; delay <= 8; ++delay)
    for (const double gain : {0.3, 1.0, 2.0}) {
      const ResponseEstimator found =
          response_of({.delay = delay, .lag = 0.0, .gain = gain, .offset = 30.0, .noise = 0.05});
      EXPECT_EQ(found.delay(), delay) << gain;
      EXPECT_EQ(found.lag(), 0.0) << delay << ' ' << gain;
      EXPECT_GT(found.explained(), 0.8);
    }
}

TEST(ResponseEstimator, tells_a_lag_from_a_delay) {
  for (const double lag : lags)
    for (const int delay : {0, 3}) {
      const ResponseEstimator found = response_of({.delay = delay, .lag = lag});
      EXPECT_EQ(found.delay(), delay) << lag;
      EXPECT_EQ(found.lag(), lag) << delay;
    }
}

// Slow signals hardly distinguish lags: then the shortest that explains as much is the first choice, and a better one the next.
TEST(ResponseEstimator, refines_a_lag_that_was_chosen_from_signals_that_are_slow) {
  for (const double lag : {0.005, 0.01}) {
    ResponseEstimator estimator(VectorXd::Ones(channels), sample_period, lags, 0, {});
    Sent sent;
    Late late{.delay = 0, .lag = lag, .noise = 0.5};
    double first = 0.0;
    for (int k = 0; k < 6000; ++k) {
      const double time = sample_period * k, hz = k < 1000 ? 6.0 : 25.0;
      const VectorXd x = VectorXd::Constant(channels, 3.0 * std::sin(2.0 * M_PI * hz * time));
      estimator.cause(x);
      (void)estimator.effect(late(x, sent));
      if (first == 0.0) first = estimator.lag();
    }
    EXPECT_LE(first, lag);
    EXPECT_EQ(estimator.lag(), lag) << first;
  }
}

TEST(ResponseEstimator, concludes_nothing_from_an_effect_that_is_none) {
  for (const double gain : {0.0, -1.0}) {
    const ResponseEstimator found =
        response_of({.delay = 4, .lag = 0.0, .gain = gain, .noise = 0.3});
    EXPECT_EQ(found.delay(), 0) << gain;
    EXPECT_EQ(found.lag(), 0.0) << gain;
  }
}

TEST(ResponseEstimator, keeps_its_choice_when_the_effect_is_not_a_number) {
  ResponseEstimator estimator(VectorXd::Ones(channels), sample_period, lags, 8, {});
  Sent sent;
  Late late{.delay = 2, .lag = 0.0};
  for (int k = 0; k < 2000; ++k) {
    const VectorXd x = sent.next();
    estimator.cause(x);
    (void)estimator.effect(late(x, sent));
  }
  ASSERT_EQ(estimator.delay(), 2);
  for (int k = 0; k < 100; ++k) {
    estimator.cause(sent.next());
    EXPECT_FALSE(estimator.effect(VectorXd::Constant(channels, std::nan(""))));
  }
  EXPECT_EQ(estimator.delay(), 2);
}

/// A Panda that is driven along a wave, on ulna's own plant.
struct LatePanda {
  Model model = load_robot("panda").model;
  VectorXd start{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
  rig::TestRigOptions options;
  double largest = 0.0;  ///< error from a second on, rad

  LatePanda() {
    options.sensors.position.noise = 1e-5, options.sensors.velocity.noise = 2e-3;
    options.sensors.torque.noise = 0.03;
  }
  void delay(int readings) {
    SensorsOptions& s = options.sensors;
    s.position.delay = s.velocity.delay = s.torque.delay = readings;
  }
  /// The controller after so many periods.
  IdentifyingController drive(int periods) {
    rig::TestRig robot(model, options);
    robot.start(start);
    IdentifyingController controller(model, {});
    const MotionReference reference = reach_and_wave(start, start, 0.1, VectorXd::Constant(7, 0.3),
                                                     VectorXd::LinSpaced(7, 0.3, 0.5));
    controller.follow(reference);
    rig::Reading reading(model);
    VectorXd q(7), v(7);
    for (int k = 0; k < periods; ++k) {
      const double time = k * sample_period;
      EXPECT_TRUE(robot.read(reading));
      EXPECT_TRUE(robot.write(controller.act(time, reading.q, reading.v)));
      controller.update(time, reading.q, reading.v, reading.tau);
      EXPECT_EQ(robot.advance(sample_period), SimulationStatus::moved);
      reference(time + sample_period, q, v);
      if (time > 1.0) largest = std::max(largest, (robot.q() - q).lpNorm<Eigen::Infinity>());
    }
    return controller;
  }
};

TEST(LoopResponse, readings_that_are_late_without_saying_so_are_found_and_made_up_for) {
  LatePanda punctual;
  const IdentifyingController usual = punctual.drive(2500);
  EXPECT_EQ(usual.reading_delay(), 0);
  EXPECT_EQ(usual.drive_lag(), 0.0);
  for (const int delay : {3, 5}) {
    LatePanda late;
    late.delay(delay);
    EXPECT_EQ(late.drive(2500).reading_delay(), delay);
    // its joints move at up to a radian a second: it is not late by the delay
    EXPECT_LT(late.largest, punctual.largest + 0.3e-3 * delay) << delay;
  }
}

TEST(LoopResponse, drives_that_lag_are_found_and_made_up_for) {
  LatePanda lagging;
  lagging.options.reality.commanded_torque = true;
  lagging.options.reality.drive_lag = 0.015;
  const IdentifyingController controller = lagging.drive(2500);
  EXPECT_EQ(controller.reading_delay(), 0);
  EXPECT_NEAR(controller.drive_lag(), 0.015, 0.006);
  EXPECT_LT(lagging.largest, 0.01);
}

}  // namespace
}  // namespace ulna::test
