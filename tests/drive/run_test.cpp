#include "ulna/drive/run.hpp"

#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/run_cli.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/identify/data/log.hpp"
#include "ulna/io/csv.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::drive {
namespace {

using Eigen::VectorXd;
using rig::Reading;

/// A clock of simulated time that sleeps too long at some of its calls.
class LateClock final : public Clock {
 public:
  LateClock(rig::SimulatedRobot& robot, std::function<double(long)> late)
      : clock_(robot), late_(std::move(late)) {}
  double now() const noexcept override { return clock_.now(); }
  void sleep_until(double time) noexcept override { clock_.sleep_until(time + late_(calls_++)); }
  bool is_real() const noexcept override { return false; }

 private:
  SimulatedClock clock_;
  std::function<double(long)> late_;
  long calls_ = 0;
};

/// A rig whose answers a test spoils.
class SpoiltRig final : public rig::Rig {
 public:
  explicit SpoiltRig(rig::SimulatedRobot& robot) : robot_(robot) {}
  const Model& model() const noexcept override { return robot_.model(); }
  bool read(Reading& reading) noexcept override {
    const bool any = robot_.read(reading);
    if (silent || robot_.now() < silent_until) reading.fresh = false;
    if (moves) reading.v.setConstant(0.5), reading.q.array() += 0.5 * robot_.now();
    return any;
  }
  bool write(const Eigen::Ref<const VectorXd>& tau) noexcept override {
    return !refuses && robot_.write(tau);
  }
  bool hold() noexcept override {
    asked_to_hold = true;
    return !cannot_hold && (loses_holds || robot_.hold());
  }
  bool holds() const noexcept override { return robot_.holds(); }
  double now() const noexcept override { return robot_.now(); }
  /// loses_holds: as a link that is cut, which the rig does not see.
  bool silent = false, refuses = false, cannot_hold = false, loses_holds = false,
       asked_to_hold = false, moves = false;
  double silent_until = 0.0;

 private:
  rig::SimulatedRobot& robot_;
};

struct Scene {
  Model model = load_robot("panda").model;
  VectorXd q0 = (VectorXd(7) << 0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.5).finished();
  rig::SimulatedRobot robot{model};
  SpoiltRig rig{robot};
  SimulatedClock clock{robot};
  supervise::Supervisor supervisor{model};
  Plant<double> plant{model};
  Motion<double> motion{model};
  Workspace<double> ws{model};

  Scene() { robot.start(q0); }
  /// Holds the robot by a spring, or along a small motion.
  void spring(double time, const Reading& r, VectorXd& tau, double amplitude = 0.0) {
    motion.set(r.q);
    gravity_torque<double>(plant, motion, ws, tau);
    for (Eigen::Index i = 0; i < 7; ++i) {
      const double inertia = i < 4 ? 1.0 : 0.05;
      tau(i) +=
          inertia * (100.0 * (q0(i) + amplitude * std::sin(3.0 * time) - r.q(i)) - 20.0 * r.v(i));
    }
  }
  Law law(double amplitude = 0.0) {
    return Law([this, amplitude](double t, const Reading& r, VectorXd& tau) {
      spring(t, r, tau, amplitude);
    });
  }
};

TEST(Run, every_period_is_a_step_or_is_counted_as_skipped) {
  Scene s;
  Law law = s.law(0.05);
  // some late by 0.6 periods, one by 7.2
  LateClock clock(s.robot, [](long call) {
    return call == 500 ? 7.2e-3 : call % 50 == 49 ? 0.6e-3 : 0.0;
  });
  const Summary summary = run(s.rig, law, s.supervisor, {.duration = 1.0}, clock);
  EXPECT_EQ(summary.end, End::finished) << summary.why;
  EXPECT_EQ(summary.skipped, 7);
  EXPECT_GE(summary.late, 19);
  EXPECT_LE(summary.late, 22);
  EXPECT_GT(summary.updates_left_out, 10);
  EXPECT_NEAR(double(summary.steps + summary.skipped) * 1e-3,
              summary.seconds + summary.stop_seconds, 2.5e-3);
  EXPECT_EQ(summary.jitter.count(), summary.steps);
  EXPECT_NEAR(summary.jitter.largest(), 7200.0, 1.0);
  EXPECT_TRUE(summary.rests && summary.holds);
}

TEST(Run, ends_with_a_robot_that_holds_itself_whatever_ends_it) {
  struct Case {
    const char* name;
    End end;
    std::function<void(Scene&, double, VectorXd&)> spoil;
  };
  const Case cases[] = {
      {"throws", End::controller_failed,
       [](Scene&, double, VectorXd&) { throw std::runtime_error("no idea"); }},
      {"throws what is no exception", End::controller_failed,
       [](Scene&, double, VectorXd&) { throw 7; }},
      {"wants NaN", End::controller_failed,
       [](Scene&, double, VectorXd& tau) { tau(3) = std::nan(""); }},
      {"wants too few", End::controller_failed,
       [](Scene&, double, VectorXd& tau) { tau.resize(3); }},
      {"robot is silent", End::robot_gone,
       [](Scene& s, double, VectorXd&) { s.rig.silent = true; }},
      {"torques are refused", End::refused,
       [](Scene& s, double, VectorXd&) { s.rig.refuses = true; }},
      {"runs away", End::supervisor,
       [](Scene& s, double t, VectorXd&) {
         if (t > 0.5) s.supervisor.request_hold(true);
       }},
  };
  for (const Case& c : cases) {
    Scene s;
    Law law([&](double t, const Reading& r, VectorXd& tau) {
      s.spring(t, r, tau, 0.1);
      if (t > 0.5) c.spoil(s, t, tau);
    });
    const Summary summary = run(s.rig, law, s.supervisor, {.duration = 5.0}, s.clock);
    EXPECT_EQ(summary.end, c.end) << c.name << ": " << summary.report();
    EXPECT_LT(summary.seconds, 1.5) << c.name;
    EXPECT_TRUE(s.robot.holds()) << c.name;
    EXPECT_EQ(summary.rests && summary.holds, c.end != End::robot_gone)
        << c.name << ": " << summary.report();
    (void)s.robot.advance(0.5);
    EXPECT_LT(s.robot.truth().v().lpNorm<Eigen::Infinity>(), 1e-3) << c.name;
    EXPECT_LT((s.robot.truth().q() - s.q0).lpNorm<Eigen::Infinity>(), 0.2) << c.name;
  }
}

/// A law whose functions throw, one after the other.
class ThrowingLaw final : public Controller {
 public:
  ThrowingLaw(Scene& scene, int which) : scene_(scene), which_(which) {}
  void act(double time, const Reading& reading, VectorXd& tau) override {
    time_ = time;
    scene_.spring(time, reading, tau, 0.1);
  }
  void update(double, const Reading&, const VectorXd&) override { fail(0); }
  void sent(double, const VectorXd&, const supervise::Supervisor&) override { fail(1); }
  const Plant<double>* plant() const override { return fail(2), nullptr; }
  bool is_done(double) const override { return fail(3), false; }
  void fail(int which) const {
    if (which == which_ && time_ > 0.5) throw std::runtime_error("no idea");
  }

 private:
  Scene& scene_;
  int which_;
  double time_ = 0.0;
};

TEST(Run, ends_with_a_robot_that_holds_itself_whatever_throws) {
  for (int which = 0; which < 5; ++which) {
    Scene s;
    ThrowingLaw law(s, which);
    Options options{.duration = 5.0};
    options.go_on = [&] { return law.fail(4), true; };
    const Summary summary = run(s.rig, law, s.supervisor, options, s.clock);
    EXPECT_EQ(summary.end, End::controller_failed) << which << ": " << summary.report();
    EXPECT_EQ(summary.why, "no idea");
    EXPECT_LT(summary.seconds, 0.6) << which;
    EXPECT_TRUE(summary.rests && summary.holds) << which << ": " << summary.report();
    EXPECT_TRUE(s.robot.holds()) << which;
  }
}

TEST(Run, says_whether_the_robot_rests_and_whether_it_holds_itself) {
  const auto ended = [](auto spoil, Options options = {.duration = 0.5}) {
    Scene s;
    Law law = s.law(0.3);
    spoil(s);
    const Summary summary = run(s.rig, law, s.supervisor, options, s.clock);
    EXPECT_EQ(summary.end, s.rig.moves ? End::supervisor : End::finished);
    EXPECT_TRUE(s.rig.asked_to_hold);
    EXPECT_EQ(summary.holds, s.robot.holds()) << summary.report();
    return summary;
  };
  const Summary cannot = ended([](Scene& s) { s.rig.cannot_hold = true; });
  EXPECT_TRUE(cannot.rests && !cannot.holds && !cannot.is_fine());
  EXPECT_NE(cannot.report().find("does NOT hold itself"), std::string::npos) << cannot.report();
  const Summary cut = ended([](Scene& s) { s.rig.loses_holds = true; });
  EXPECT_TRUE(!cut.holds && !cut.is_fine()) << cut.report();
  // no time for a brake, and a robot that goes on
  const Summary moving = ended([](Scene& s) { s.rig.loses_holds = true, s.rig.moves = true; },
                               {.duration = 0.5, .stop_within = 0.01});
  EXPECT_TRUE(!moving.rests && !moving.holds && !moving.is_fine()) << moving.report();
  // a brake that is cut short: the robot's own means do the rest
  const Summary brief = ended([](Scene&) {}, {.duration = 0.5, .stop_within = 0.001});
  EXPECT_TRUE(brief.rests && brief.holds && brief.is_fine()) << brief.report();
}

TEST(Run, a_controller_that_takes_long_to_begin_finds_the_robot_again) {
  Scene s;
  class SlowLaw final : public Controller {
   public:
    explicit SlowLaw(Scene& scene) : scene_(scene) {}
    void begin(double, const Reading&) override {
      scene_.rig.silent_until = scene_.robot.now() + 1.5;
    }
    void act(double time, const Reading& reading, VectorXd& tau) override {
      scene_.spring(time, reading, tau);
    }

   private:
    Scene& scene_;
  } law(s);
  const Summary summary = run(s.rig, law, s.supervisor, {.duration = 0.2}, s.clock);
  EXPECT_EQ(summary.end, End::finished) << summary.report();
  EXPECT_NEAR(double(summary.steps), 200.0 + 1e3 * summary.stop_seconds, 1.5);
  EXPECT_EQ(summary.skipped, 0);
}

TEST(Run, begins_with_a_new_reading_or_not_at_all) {
  Scene s;
  Law law = s.law();
  s.rig.silent = true;
  const Summary summary = run(s.rig, law, s.supervisor, {.duration = 1.0}, s.clock);
  EXPECT_EQ(summary.end, End::robot_gone);
  EXPECT_EQ(summary.steps, 0);
  EXPECT_TRUE(s.robot.holds());
}

TEST(Run, ends_when_go_on_says_so_and_after_its_duration) {
  Scene s;
  Law law = s.law(0.1);
  int asked = 0;
  Summary summary =
      run(s.rig, law, s.supervisor, {.go_on = [&] { return ++asked < 200; }}, s.clock);
  EXPECT_EQ(summary.end, End::interrupted);
  EXPECT_NEAR(summary.seconds, 0.2, 2e-3);
  EXPECT_TRUE(summary.rests && summary.holds);
  EXPECT_TRUE(s.robot.holds());
  summary = run(s.rig, law, s.supervisor, {.duration = 0.25}, s.clock);
  EXPECT_EQ(summary.end, End::finished);
  EXPECT_NEAR(summary.seconds, 0.25, 2e-3);
}

TEST(Run, sends_nothing_beyond_the_supervisors_limits) {
  Scene s;
  double largest = 0.0;
  Law law([&](double, const Reading&, VectorXd& tau) { tau.setConstant(1e4); });
  const Summary summary = run(s.rig, law, s.supervisor, {.duration = 0.3}, s.clock);
  largest = s.robot.truth().tau().cwiseAbs().cwiseQuotient(s.model.effort_limit()).maxCoeff();
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(summary.cut, 100);
  EXPECT_TRUE(s.robot.holds());
}

TEST(Run, refuses_options_that_make_no_sense) {
  Scene s;
  Law law = s.law();
  for (const Options& o :
       {Options{.rate_hz = 0.0}, Options{.duration = 0.0}, Options{.late_share = 2.0},
        Options{.gone_after = 0.0}, Options{.watchdog = -1.0}})
    EXPECT_THROW((void)run(s.rig, law, s.supervisor, o, s.clock), std::invalid_argument);
}

TEST(Run, allocates_nothing_after_the_first_step) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  Scene s;
  const test::Folder folder;
  Recorder recorder(folder.path("run.csv"), record_names(s.model));
  long before = -1, after = -1;
  int step = 0;
  Law law([&](double t, const Reading& r, VectorXd& tau) {
    s.spring(t, r, tau, 0.1);
    if (++step == 3) before = test::allocations;
    if (step == 900) after = test::allocations;
  });
  const Summary summary =
      run(s.rig, law, s.supervisor, {.duration = 1.0, .recorder = &recorder}, s.clock);
  EXPECT_EQ(summary.end, End::finished);
  EXPECT_GE(before, 0);
  EXPECT_EQ(after - before, 0);
  EXPECT_EQ(summary.recorded, summary.steps);
}

TEST(Run, identifies_and_follows_a_motion_from_where_the_robot_is) {
  Scene s;
  VectorXd goal = s.q0;
  goal.array() += 0.2;
  IdentifyingOptions options;
  options.control.rate_hz = 500.0;
  options.control.problem.steps = 8;
  options.speed = 0.5 * s.model.velocity_limit();
  options.acceleration = 4.0 * options.speed;
  options.duration = 0.3;
  IdentifyingLaw law(
      s.model, [&](double, VectorXd& q, VectorXd& v) { q = goal, v.setZero(); }, options);
  supervise::Options supervision{.rate_hz = 500.0};
  supervision.limits.emplace(s.model, supervise::LimitDefaults{.trusted_planner = true});
  supervise::Supervisor supervisor(s.model, supervision);
  const Summary summary = run(s.rig, law, supervisor, {.rate_hz = 500.0, .duration = 5.0}, s.clock);
  EXPECT_EQ(summary.end, End::finished) << summary.report();
  EXPECT_LT(summary.seconds, 3.0);
  EXPECT_LT((s.robot.truth().q() - goal).lpNorm<Eigen::Infinity>(), 2e-3);
  EXPECT_LT(law.tracking_rms(), 2e-3);
}

TEST(Run, hits_its_times_by_the_machines_clock) {
  // no law about how late a shared machine may be, but about what is counted
  Scene s;
  class RealRobot final : public rig::Rig {
   public:
    explicit RealRobot(rig::SimulatedRobot& robot) : robot_(robot) {}
    const Model& model() const noexcept override { return robot_.model(); }
    bool read(Reading& reading) noexcept override {
      if (const double left = clock_.now() - begin_ - robot_.now(); left > 1e-3)
        (void)robot_.advance(left);
      return robot_.read(reading);
    }
    bool write(const Eigen::Ref<const VectorXd>& tau) noexcept override {
      return robot_.write(tau);
    }
    bool hold() noexcept override { return robot_.hold(); }
    double now() const noexcept override { return robot_.now(); }

   private:
    rig::SimulatedRobot& robot_;
    RealClock clock_;
    double begin_ = clock_.now();
  } robot(s.robot);
  Law law = s.law(0.05);
  const Summary summary =
      run(robot, law, s.supervisor,
          {.rate_hz = 200.0, .duration = 0.5, .gone_after = 2.0, .watchdog = 2.0});
  EXPECT_EQ(summary.end, End::finished) << summary.report();
  EXPECT_NEAR(double(summary.steps + summary.skipped) / 200.0,
              summary.seconds + summary.stop_seconds, 0.25);
  EXPECT_FALSE(summary.realtime.empty());
  EXPECT_TRUE(summary.rests && summary.holds);
}

TEST(Run, a_controller_that_hangs_is_noticed_while_it_hangs) {
  Scene s;
  std::atomic<bool> cut_off = false;
  bool seen = false;
  int step = 0;
  Law law([&](double t, const Reading& r, VectorXd& tau) {
    s.spring(t, r, tau);
    if (++step != 20) return;
    for (int i = 0; i < 400 && !cut_off; ++i) RealClock().sleep_until(RealClock().now() + 0.01);
    seen = cut_off;
  });
  const Summary summary = run(s.robot, law, s.supervisor,
                              {.duration = 5.0,
                               .gone_after = 10.0,
                               .stopped_for = 10.0,
                               .stop_within = 0.1,
                               .watchdog = 0.5,
                               .hangs = [&] { cut_off = true; }});
  EXPECT_TRUE(seen);
  EXPECT_EQ(summary.end, End::hung) << summary.report();
  EXPECT_TRUE(s.robot.holds());
}

TEST(Recorder, loses_nothing_unless_its_ring_overflows_and_says_so) {
  const test::Folder folder;
  const std::vector<std::string> names{"t", "x"};
  {
    Recorder all(folder.path("all.csv"), names, 20000);
    for (int k = 0; k < 10000; ++k) EXPECT_TRUE(all.push(std::array{1e-3 * k, 1.0 / (k + 1.0)}));
    EXPECT_TRUE(all.finish());
    EXPECT_EQ(all.written(), 10000);
    EXPECT_EQ(all.lost(), 0);
  }
  std::ifstream in(folder.path("all.csv"));
  CsvReader reader(in, "all.csv");
  std::array<double, 2> row;
  for (int k = 0; k < 10000; ++k) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row[0], 1e-3 * k);
    EXPECT_EQ(row[1], 1.0 / (k + 1.0));
  }
  EXPECT_FALSE(reader.next(row));
  // a ring of 2 rows that are pushed at once
  Recorder few(folder.path("few.csv"), names, 2);
  long taken = 0;
  for (int k = 0; k < 1000; ++k) taken += few.push(std::array{double(k), 0.0});
  EXPECT_TRUE(few.finish());
  EXPECT_EQ(few.written(), taken);
  EXPECT_EQ(few.lost(), 1000 - taken);
  EXPECT_GT(few.lost(), 0);
  // a row of another width, a file that is there, a folder that is not
  EXPECT_FALSE(few.push(std::array{1.0}));
  EXPECT_THROW(Recorder(folder.path("few.csv"), names), std::runtime_error);
  EXPECT_THROW(Recorder(folder.path("no/few.csv"), names), std::runtime_error);
}

TEST(Run, identify_reads_what_it_records) {
  Scene s;
  const test::Folder folder;
  Recorder recorder(folder.path("run.csv"), record_names(s.model));
  Law law = s.law(0.1);
  const Summary summary =
      run(s.rig, law, s.supervisor, {.duration = 0.5, .recorder = &recorder}, s.clock);
  EXPECT_EQ(summary.record_lost, 0);
  Diagnostics found;
  const identify::Log log = identify::load_log(folder.path("run.csv"), s.model, {}, found);
  EXPECT_FALSE(found.has_errors());
  EXPECT_EQ(log.size(), summary.recorded);
  EXPECT_EQ(log.q.rows(), 7);
  EXPECT_EQ(log.tau.rows(), 7);
}

TEST(Histogram, quantiles_are_within_an_eighth_of_the_true_ones) {
  Histogram h;
  std::vector<double> all;
  std::uint64_t x = 1;
  for (int k = 0; k < 20000; ++k) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    all.push_back(std::exp(14.0 * double(x >> 11) / double(1ull << 53)));
    h.add(all.back());
  }
  std::ranges::sort(all);
  for (const double share : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const double truth = all[std::size_t(share * double(all.size()))];
    EXPECT_GE(h.quantile(share) + 1.0, truth * 0.99) << share;
    EXPECT_LE(h.quantile(share), 1.13 * truth + 1.0) << share;
  }
  EXPECT_EQ(h.quantile(1.0), all.back());
  EXPECT_EQ(h.largest(), all.back());
  EXPECT_EQ(Histogram().quantile(0.5), 0.0);
}

TEST(TableMotion, goes_through_its_places_with_its_velocities) {
  const VectorXd t = (VectorXd(3) << 5.0, 5.5, 7.0).finished();
  const Eigen::MatrixXd q = (Eigen::MatrixXd(1, 3) << 0.0, 1.0, -0.5).finished(),
                        v = (Eigen::MatrixXd(1, 3) << 0.0, 2.0, 0.0).finished();
  const TableMotion motion(t, q, v);
  VectorXd at(1), rate(1), more(1), ignored(1);
  motion(0.5, at, rate);
  EXPECT_NEAR(at(0), 1.0, 1e-12);
  EXPECT_NEAR(rate(0), 2.0, 1e-12);
  for (const double time : {0.1, 0.4, 0.9, 1.7}) {
    constexpr double h = 1e-6;
    motion(time, at, rate), motion(time + h, more, ignored);
    EXPECT_NEAR((more(0) - at(0)) / h, rate(0), 1e-4);
  }
  motion(9.0, at, rate);
  EXPECT_EQ(at(0), -0.5);
  EXPECT_EQ(rate(0), 0.0);
  EXPECT_EQ(motion.slower(2.0).duration(), 4.0);
  motion.slower(2.0)(1.0, at, rate);
  EXPECT_NEAR(at(0), 1.0, 1e-12);
  EXPECT_NEAR(rate(0), 1.0, 1e-12);
  EXPECT_THROW(TableMotion(t.reverse(), q, v), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::drive
