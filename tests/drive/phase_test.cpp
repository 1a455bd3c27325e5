#include <gtest/gtest.h>

#include "ulna/drive/run.hpp"
#include "ulna/io/import.hpp"
#include "ulna/rig/simulated_robot.hpp"

// Robots that measure and take torques at times of their own, in simulated time.
namespace ulna::drive {
namespace {

using Eigen::VectorXd;

/// A robot in another process: at multiples of its period it takes the torques that have come, moves, and sends what it measures. The loop's
/// clock may begin anywhere in a period, go at another speed, and stand still for a while.
class Elsewhere final : public rig::Rig, public Clock {
 public:
  Elsewhere(const Model& model, const rig::TestRigOptions& options, double period, bool real)
      : robot_(model, options),
        last_(model),
        tau_(VectorXd::Zero(model.nv())),
        period_(period),
        real_(real) {}
  void start(const VectorXd& q, double at) {
    robot_.start(q);
    while (now_ < at) sleep_until(std::min(at, now_ + period_));
  }

  const Model& model() const noexcept override { return robot_.model(); }
  bool read(rig::Reading& reading) noexcept override {
    if (periods_ == 0) return false;
    reading = last_;
    last_.fresh = false;
    return true;
  }
  bool write(const Eigen::Ref<const VectorXd>& tau) noexcept override {
    return tau_ = tau, driven_ = true;
  }
  bool hold() noexcept override { return driven_ = false, true; }
  bool holds() const noexcept override { return robot_.holds(); }
  double now() const noexcept override { return now_; }

  void sleep_until(double time) noexcept override {
    for (; double(periods_ + 1) * period_ <= time + 1e-12; ++periods_) {
      (void)(driven_ ? robot_.write(tau_) : robot_.hold());
      (void)robot_.advance(period_);
      (void)robot_.read(last_);
      last_.time = double(periods_ + 1) * period_, last_.fresh = true;
    }
    now_ = std::max(now_, time);
    if (stalls_at > 0.0 && now_ > stalls_at) stalls_at = 0.0, sleep_until(now_ + stalls_for);
  }
  bool is_real() const noexcept override { return real_; }

  double stalls_at = 0.0, stalls_for = 0.0;

 private:
  rig::SimulatedRobot robot_;
  rig::Reading last_;
  VectorXd tau_;
  double period_, now_ = 0.0;
  long periods_ = 0;
  bool driven_ = false, real_;
};

struct Driven {
  Summary summary;
  double rms, largest, disturbance;
};

constexpr double h = 2e-3;

/// Along sines of all joints of a Panda at 500 Hz; `after`: what is done with the robot before.
Driven drive(double phase, double period = h, bool real = false,
             const std::function<void(Elsewhere&)>& before = {}) {
  static const Model model = load_robot("panda").model;
  const VectorXd centre{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
  rig::TestRigOptions sensors;
  sensors.sensors.position.noise = 1e-5, sensors.sensors.velocity.noise = 1e-3;
  Elsewhere robot(model, sensors, period, real);
  robot.start(centre, 0.02 + phase * period);
  if (before) before(robot);
  IdentifyingOptions options;
  options.control.rate_hz = 1.0 / h, options.control.problem.steps = 8;
  options.speed = model.velocity_limit(), options.acceleration = 4.0 * options.speed;
  options.duration = 1.0;
  IdentifyingLaw law(
      model,
      [&](double t, VectorXd& q, VectorXd& v) {
        for (int i = 0; i < 7; ++i) {
          const double w = 1.5 + 0.3 * i;
          q(i) = centre(i) + 0.2 * (1.0 - std::cos(w * t)), v(i) = 0.2 * w * std::sin(w * t);
        }
      },
      options);
  supervise::Options supervision{.rate_hz = 1.0 / h};
  supervision.limits.emplace(model, supervise::LimitDefaults{.trusted_planner = true});
  supervise::Supervisor supervisor(model, supervision);
  Options loop{.rate_hz = 1.0 / h, .duration = 4.0};
  loop.realtime = {0, false, -1}, loop.watchdog = 4.0;
  Driven d{run(robot, law, supervisor, loop, robot), 0.0, 0.0, 0.0};
  d.rms = law.tracking_rms(), d.largest = law.largest_error();
  d.disturbance = law.controller().disturbance().lpNorm<Eigen::Infinity>();
  return d;
}

TEST(Phase, a_robot_is_followed_as_well_wherever_in_its_periods_the_loop_looks) {
  const double best = drive(0.0).rms;
  EXPECT_LT(best, 1e-4);
  for (const double phase : {0.05, 0.3, 0.5, 0.7, 0.95}) {
    const Driven d = drive(phase);
    EXPECT_EQ(d.summary.end, End::finished) << d.summary.report();
    EXPECT_LE(d.summary.not_fresh, 1) << phase;  // the loop begins with a reading that was seen
    EXPECT_LT(d.rms, 1.1 * best) << phase;
  }
}

TEST(Phase, in_real_time_the_loop_comes_to_where_readings_are_half_a_period_old_and_keeps_up) {
  // the robot's clock goes at another speed, by which the loop would miss a reading or get two every 10 s
  for (const double drift : {-2e-4, 0.0, 2e-4})
    for (const double phase : {0.02, 0.98}) {
      const Driven d = drive(phase, h * (1.0 + drift), true);
      SCOPED_TRACE(std::to_string(drift) + " " + std::to_string(phase) + "\n" + d.summary.report());
      EXPECT_EQ(d.summary.end, End::finished);
      EXPECT_LE(d.summary.not_fresh, 1);
      EXPECT_NEAR(d.summary.reading_age.quantile(0.5), 1000.0, 120.0);
      EXPECT_LT(d.rms, 1e-4);
    }
}

TEST(Phase, a_robot_of_a_higher_rate_is_left_alone) {
  const Driven d = drive(0.5, 0.2 * h, true);
  EXPECT_EQ(d.summary.end, End::finished);
  EXPECT_LE(d.summary.not_fresh, 1);
  EXPECT_LT(d.summary.reading_age.largest(), 410.0);
}

TEST(Phase, periods_that_were_left_out_are_no_disturbance) {
  const Driven without = drive(0.5);
  const Driven with = drive(
      0.5, h, false, [](Elsewhere& robot) { robot.stalls_at = 0.7, robot.stalls_for = 12e-3; });
  EXPECT_GE(with.summary.skipped, 5);
  EXPECT_EQ(with.summary.end, End::finished) << with.summary.report();
  // 12 ms with the torques of before; then it is brought back
  EXPECT_LT(with.largest, 2e-3);
  EXPECT_LT(with.rms, without.rms + 2e-4);
}

}  // namespace
}  // namespace ulna::drive
