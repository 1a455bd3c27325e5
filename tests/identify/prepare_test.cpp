#include "ulna/identify/data/prepare.hpp"

#include <gtest/gtest.h>

#include "support/logs.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/identify/data/screen.hpp"

namespace ulna::test {
namespace {

using namespace identify;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Times about 1 / rate apart, some of them almost together.
VectorXd jittered_clock(Index count, double rate_hz, Random& random, double jitter = 0.45) {
  VectorXd t(count);
  for (Index k = 0; k < count; ++k) t[k] = 100.0 + (double(k) + jitter * random.real()) / rate_hz;
  return t;
}

TEST(Resampling, reproduces_cubic_polynomials_on_a_jittered_clock) {
  for_each_seed([](Random& random) {
    VectorXd t = jittered_clock(200, 100.0, random);
    t[50] = t[49] + 1e-9;  // almost the same time
    const auto polynomial = [](double s) {
      const double x = s - 101.0;
      return Eigen::Vector2d(1.0 + x - 2.0 * x * x + 0.5 * x * x * x, -3.0 * x * x * x);
    };
    MatrixXd x(2, t.size());
    for (Index k = 0; k < t.size(); ++k) x.col(k) = polynomial(t[k]);
    const Index count = 190;
    const Resampler resample(t, t[0], 100.0, count);
    const MatrixXd y = resample(x);
    for (Index k = 0; k < count; ++k)
      EXPECT_LT((y.col(k) - polynomial(t[0] + double(k) / 100.0)).norm(), 1e-10) << k;
  });
}

TEST(Resampling, of_a_smooth_signal_errs_by_the_fourth_power_of_the_step) {
  double before = 0.0;
  for (const double rate : {50.0, 100.0, 200.0, 400.0}) {
    Random random(3);
    const auto count = static_cast<Index>(4.0 * rate);
    const VectorXd t = jittered_clock(count + 2, rate, random, 0.2);
    const MatrixXd x = (5.0 * t.transpose().array()).sin();
    const MatrixXd y = Resampler(t, t[0], rate, count)(x);
    double worst = 0.0;
    for (Index k = 0; k < count; ++k)
      worst = std::max(worst, std::abs(y(0, k) - std::sin(5.0 * (t[0] + double(k) / rate))));
    if (before > 0.0) {
      EXPECT_LT(worst, before / 10.0);
    }
    before = worst;
  }
}

TEST(Resampling, does_not_blow_up_the_noise_of_samples_that_almost_coincide) {
  Random random(4);
  VectorXd t = jittered_clock(400, 100.0, random, 0.1);
  MatrixXd x(1, 400);
  for (Index k = 0; k < 400; ++k) {
    if (k % 3 == 1) t[k] = t[k - 1] + 1e-7;
    x(0, k) = random.real();
  }
  const MatrixXd y = Resampler(t, t[0], 100.0, 390)(x);
  EXPECT_LT(y.cwiseAbs().maxCoeff(), 3.0);
}

TEST(Resampling, by_lines_stays_between_the_samples) {
  Random random(5);
  const VectorXd t = jittered_clock(50, 10.0, random);
  const MatrixXd x = MatrixXd::NullaryExpr(1, 50, [&] { return random.real(); });
  const MatrixXd y = Resampler(t, t[0], 30.0, 140, Resampler::Kind::linear)(x);
  EXPECT_LE(y.maxCoeff(), x.maxCoeff());
  EXPECT_GE(y.minCoeff(), x.minCoeff());
  EXPECT_EQ(y(0, 0), x(0, 0));
}

TEST(Resampling, refuses_clocks_that_do_not_run_and_times_that_were_not_measured) {
  const VectorXd t = VectorXd::LinSpaced(10, 0.0, 9.0);
  EXPECT_THROW(Resampler(t, -0.1, 1.0, 5), std::invalid_argument);
  EXPECT_THROW(Resampler(t, 0.0, 1.0, 11), std::invalid_argument);
  EXPECT_THROW(Resampler(t, 0.0, 0.0, 5), std::invalid_argument);
  EXPECT_THROW(Resampler(t.head(1), 0.0, 1.0, 1), std::invalid_argument);
  EXPECT_THROW(Resampler(t.reverse(), 0.0, 1.0, 5), std::invalid_argument);
  EXPECT_THROW(Resampler(t, 0.0, 1.0, 5)(MatrixXd::Zero(1, 9)), std::invalid_argument);
}

// --- all together ---

/// A log without noise of three joints that swing, on an uneven clock.
Log swinging_log(Index count, double rate_hz, double jitter, std::uint64_t seed) {
  Random random(seed);
  Log log;
  log.file = "made.csv";
  log.joints = {"a", "b", "c"};
  log.t = jittered_clock(count, rate_hz, random, jitter).array() - 100.0;
  log.q.resize(3, count), log.v.resize(3, count), log.tau.resize(3, count);
  for (Index k = 0; k < count; ++k) {
    log.line.push_back(static_cast<int>(k) + 2);
    for (int i = 0; i < 3; ++i) {
      const Swing s = swing(i, log.t[k]);
      log.q(i, k) = s.q, log.v(i, k) = s.v, log.tau(i, k) = 2.0 * s.a + 0.3 * s.v;
    }
  }
  log.rows = count;
  return log;
}

Prepared prepared(const Log& log, const PrepareOptions& options) {
  Diagnostics found;
  Prepared data = prepare({&log, 1}, options, found);
  EXPECT_FALSE(found.has_errors());
  return data;
}

TEST(Preparation, yields_the_motion_and_its_rates_at_even_times) {
  const Log log = swinging_log(3000, 500.0, 0.3, 1);
  for (const bool logged : {true, false}) {
    const Prepared data = prepared(log, {.filter_hz = 20.0, .velocity_logged = logged});
    ASSERT_EQ(data.pieces.size(), 1u);
    const Piece& piece = data.pieces[0];
    EXPECT_EQ(data.velocity_measured, logged);
    EXPECT_NEAR(piece.rate_hz, 500.0, 5.0);
    // at a twentieth of the cut-off the filter takes away next to nothing; inside, where its ends
    // are not felt
    double worst = 0.0;
    for (Index k = 100; k < piece.size() - 100; ++k)
      for (int i = 0; i < 3; ++i) {
        const Swing s = swing(i, piece.t[k]);
        worst = std::max({worst, std::abs(piece.q(i, k) - s.q), 0.1 * std::abs(piece.v(i, k) - s.v),
                          0.01 * std::abs(piece.a(i, k) - s.a),
                          0.01 * std::abs(piece.tau(i, k) - 2.0 * s.a - 0.3 * s.v)});
      }
    EXPECT_LT(worst, 2e-6) << (logged ? "measured" : "from position");
  }
}

TEST(Preparation, keeps_a_linear_equation_true_whatever_the_filter_takes_away) {
  // signals far beyond the cut-off: little is left of them, but of all alike
  Log log = swinging_log(4000, 1000.0, 0.0, 1);
  for (Index k = 0; k < log.size(); ++k)
    for (int i = 0; i < 3; ++i) {
      const double w = 80.0 + 10.0 * i, t = log.t[k];
      log.q(i, k) = std::sin(w * t), log.v(i, k) = w * std::cos(w * t);
      log.tau(i, k) = -0.5 * w * w * std::sin(w * t) + 3.0 * w * std::cos(w * t) + std::sin(w * t);
    }
  const Piece piece = prepared(log, {.filter_hz = 10.0, .trim = 1.0}).pieces.at(0);
  const MatrixXd error = piece.tau - 0.5 * piece.a - 3.0 * piece.v - piece.q;
  EXPECT_LT(piece.q.cwiseAbs().maxCoeff(), 0.2);
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-6 * piece.tau.cwiseAbs().maxCoeff());
}

TEST(Preparation, filters_the_direction_of_motion_like_everything_else) {
  const Log log = swinging_log(3000, 500.0, 0.0, 1);
  const PrepareOptions options{.filter_hz = 10.0, .trim = 0.0};
  const Piece piece = prepared(log, options).pieces.at(0);
  MatrixXd expected = piece.v.cwiseSign();
  zero_phase(LowPass(10.0, piece.rate_hz, 4), expected);
  EXPECT_LT((piece.direction - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Preparation, states_how_it_was_done) {
  const Log log = swinging_log(2000, 500.0, 0.0, 1);
  const Prepared data =
      prepared(log, {.filter_hz = 12.5, .filter_order = 3, .decimation = 5, .torque_delay = 0.004});
  EXPECT_EQ(data.filter_hz, 12.5);
  EXPECT_EQ(data.filter_order, 3);
  EXPECT_EQ(data.torque_delay, 0.004);
  EXPECT_NEAR(data.pieces.at(0).rate_hz, 100.0, 1e-6);
  EXPECT_EQ(data.str(),
            "12.5 Hz zero-phase low-pass (Butterworth, order 3, forwards and backwards), samples "
            "at 100 Hz, "
            "velocity measured, acceleration from velocity, torque delay of 4 ms compensated");
}

TEST(Preparation, decimates_after_filtering) {
  const Log log = swinging_log(2000, 500.0, 0.2, 1);
  const Piece all = prepared(log, {}).pieces.at(0),
              some = prepared(log, {.decimation = 7}).pieces.at(0);
  ASSERT_EQ(some.size(), (all.size() + 6) / 7);
  for (Index k = 0; k < some.size(); ++k) {
    EXPECT_EQ(some.t[k], all.t[7 * k]);
    EXPECT_EQ(some.q.col(k), all.q.col(7 * k));
    EXPECT_EQ(some.a.col(k), all.a.col(7 * k));
    EXPECT_EQ(some.tau.col(k), all.tau.col(7 * k));
    EXPECT_EQ(some.direction.col(k), all.direction.col(7 * k));
  }
}

TEST(Preparation, takes_back_a_delay_of_the_torque) {
  for (const double delay : {0.0137, -0.0137}) {
    Log log = swinging_log(3000, 500.0, 0.2, 1), late = log;
    for (Index k = 0; k < log.size(); ++k)
      for (int i = 0; i < 3; ++i) {
        const Swing s = swing(i, log.t[k] - delay);
        late.tau(i, k) = 2.0 * s.a + 0.3 * s.v;
      }
    const Piece piece = prepared(late, {.filter_hz = 20.0, .torque_delay = delay}).pieces.at(0);
    const MatrixXd error = piece.tau - 2.0 * piece.a - 0.3 * piece.v;
    EXPECT_LT(error.middleCols(250, piece.size() - 500).cwiseAbs().maxCoeff(), 1e-3);
    const Piece kept = prepared(late, {.filter_hz = 20.0}).pieces.at(0);
    EXPECT_GT((kept.tau - 2.0 * kept.a - 0.3 * kept.v).cwiseAbs().maxCoeff(), 1.0);
  }
}

TEST(Preparation, keeps_runs_and_pieces_apart) {
  Table table = good_table();
  table.rows.erase(table.rows.begin() + 1500, table.rows.begin() + 1600);
  table.rows.erase(table.rows.begin() + 60, table.rows.begin() + 160);  // leaves 0.12 s before it
  Screened s = screened(table);
  const std::vector<Log> logs{s.log, screened(good_table()).log};
  const Prepared data = prepare(logs, {}, s.found);
  ASSERT_EQ(data.pieces.size(), 3u);
  EXPECT_EQ(data.pieces[0].log, 0);
  EXPECT_EQ(data.pieces[1].log, 0);
  EXPECT_EQ(data.pieces[2].log, 1);
  EXPECT_NEAR(data.pieces[0].t[0], 160 / 500.0 + 0.05, 1e-9);
  EXPECT_LT(data.pieces[0].t[data.pieces[0].size() - 1], 1500 / 500.0);
  EXPECT_GT(data.pieces[1].t[0], 1600 / 500.0);
  EXPECT_NE(s.says(log_rules::piece_short).find("1 piece (line 2)"), std::string::npos) << s.all();
  EXPECT_EQ(data.size(), data.pieces[0].size() + data.pieces[1].size() + data.pieces[2].size());
}

TEST(Preparation, refuses_what_it_cannot_do) {
  const Log log = swinging_log(60, 500.0, 0.0, 1);
  Diagnostics found;
  EXPECT_TRUE(prepare({&log, 1}, {.filter_hz = 10.0}, found).pieces.empty());
  EXPECT_NE(found.find(log_rules::too_short), nullptr);
  EXPECT_TRUE(prepare({&log, 1}, {.filter_hz = 300.0}, found).pieces.empty());
  EXPECT_NE(found.find(log_rules::rate_low), nullptr);
  for (const PrepareOptions& wrong :
       {PrepareOptions{.filter_hz = 0.0}, PrepareOptions{.filter_order = 9},
        PrepareOptions{.decimation = 0}, PrepareOptions{.rate_hz = -1.0},
        PrepareOptions{.torque_delay = NAN}})
    EXPECT_THROW(prepare({&log, 1}, wrong, found), std::invalid_argument);
  EXPECT_TRUE(prepare({}, {}, found).pieces.empty());
}

// --- the clock ---

/// Measured every millisecond, some samples lost, written down with a delay of the computer's.
Log computer_time_log(double jitter, bool even) {
  Random random(9);
  Log log = swinging_log(4000, 1000.0, even ? 0.0 : 0.4, 2);
  std::vector<char> kept(4000, 1);
  for (std::size_t k = 0; k < 4000; ++k) kept[k] = random.real(0.0, 1.0) > 0.05;
  log.keep(kept);
  for (Index k = 0; k < log.size(); ++k) {
    log.t[k] += 1e-3 * jitter * random.real();
    for (int i = 0; i < 3; ++i)
      log.q(i, k) += 1e-6 * random.real(), log.v(i, k) += 1e-3 * random.real();
  }
  return log;
}

TEST(ClockRepair, gives_a_robot_its_even_clock_back) {
  Log log = computer_time_log(0.4, true);
  const VectorXd jittered = log.t;
  Diagnostics found;
  const ClockRepair repair = repair_clock(log, found);
  ASSERT_TRUE(repair.repaired);
  EXPECT_NEAR(repair.period, 1e-3, 1e-8);
  EXPECT_GT(repair.share, 0.99);
  EXPECT_NEAR(repair.deviation, 0.4e-3 / std::sqrt(3.0), 2e-5);
  ASSERT_EQ(log.size(), jittered.size());
  // but for one origin of time, whole milliseconds, as exactly as the period is known
  VectorXd rest(log.size());
  for (Index k = 0; k < log.size(); ++k) rest[k] = std::remainder(log.t[k] - log.t[0], 1e-3);
  EXPECT_LT(rest.cwiseAbs().maxCoeff(), 4000 * 1e-8);
  EXPECT_LT((log.t - jittered).cwiseAbs().maxCoeff(), 0.5e-3);
  EXPECT_NE(found.find(log_rules::clock), nullptr);
}

TEST(ClockRepair, leaves_a_clock_alone_that_is_uneven_but_true) {
  Log log = computer_time_log(0.0, false);
  const VectorXd before = log.t;
  Diagnostics found;
  EXPECT_FALSE(repair_clock(log, found).repaired);
  EXPECT_EQ(log.t, before);
  EXPECT_EQ(found.list().size(), 0u);
}

TEST(ClockRepair, leaves_logs_alone_that_do_not_tell) {
  Log without_velocity = computer_time_log(0.4, true), at_rest = without_velocity;
  without_velocity.v.resize(0, 0);
  at_rest.v.setZero();
  at_rest.q.setZero();
  Diagnostics found;
  for (Log* log : {&without_velocity, &at_rest}) {
    const VectorXd before = log->t;
    EXPECT_FALSE(repair_clock(*log, found).repaired);
    EXPECT_EQ(log->t, before);
  }
}

}  // namespace
}  // namespace ulna::test
