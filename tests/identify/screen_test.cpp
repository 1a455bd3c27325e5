#include "ulna/identify/data/screen.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/documented_rules.hpp"
#include "support/logs.hpp"

namespace ulna::test {
namespace {

using namespace identify;

using Eigen::Index;
using std::numbers::pi;

// row k of a table stands on line k + 2

TEST(Screening, has_nothing_but_the_clock_to_tell_of_a_good_log) {
  const Screened s = screened(good_table());
  EXPECT_EQ(s.found.list().size(), 1u) << s.all();
  EXPECT_EQ(
      s.says(log_rules::clock),
      "log.csv: note: clock: median step 2 ms (500 Hz), jitter 0 %, steps from 2 to 2 ms, 2000 "
      "samples in 3.998 s [log-clock]");
  EXPECT_EQ(s.log.size(), 2000);
  EXPECT_NEAR(s.figures.rate_hz, 500.0, 1e-6);
  EXPECT_EQ(s.figures.jitter, 0.0);
  EXPECT_EQ(s.figures.pieces, 1);
}

TEST(Screening, tells_the_jitter_of_an_uneven_clock) {
  Random random(7);
  Table table = good_table();
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const double t = (double(k) + 0.3 * random.real()) / 500.0;
    table.rows[k][0] = t;
    for (int i = 0; i < 3; ++i)
      table.rows[k][Table::q + static_cast<std::size_t>(i)] = swing(i, t).q,
                               table.rows[k][Table::qd + static_cast<std::size_t>(i)] =
                                   swing(i, t).v;
  }
  const Screened s = screened(table);
  // the step has two ends, each even in -0.3 .. 0.3: standard deviation 0.3 sqrt(2 / 3)
  EXPECT_NEAR(s.figures.jitter, 0.3 * std::sqrt(2.0 / 3.0), 0.01);
  EXPECT_EQ(s.found.list().size(), 1u) << s.all();
}

TEST(Screening, drops_absurd_numbers_wherever_they_stand) {
  Table table = good_table();
  table.rows[100][Table::q + 1] = 1e293;
  table.rows[200][Table::tau + 2] = -1e293;
  table.rows[300][Table::qd] = 7e4;
  table.rows[0][Table::tau] = 500.0;
  table.rows[1999][Table::q] = -40.0;
  for (std::size_t k = 1500; k < 1520; ++k) table.rows[k][Table::tau + 1] = 1e300;
  const Screened s = screened(table);
  EXPECT_FALSE(s.found.has_errors()) << s.all();
  EXPECT_EQ(s.figures.outliers, 25);
  EXPECT_EQ(s.log.size(), 1975);
  EXPECT_LT(s.log.q.cwiseAbs().maxCoeff(), 0.9);
  EXPECT_LT(s.log.tau.cwiseAbs().maxCoeff(), 30.0);
  EXPECT_NE(
      s.says(log_rules::outlier).find("outliers in 25 rows (lines 2, 102, 202, 302, 1502, ...)"),
      std::string::npos)
      << s.all();
}

TEST(Screening, keeps_steps_and_bursts_because_real_torques_have_them) {
  Table table = good_table();
  // a step of the torque at every reversal, and a contact of ten samples
  for (auto& row : table.rows) row[Table::tau] += row[Table::qd] > 0 ? 20.0 : -20.0;
  for (std::size_t k = 700; k < 710; ++k) table.rows[k][Table::tau + 1] += 60.0;
  const Screened s = screened(table);
  EXPECT_EQ(s.figures.outliers, 0) << s.all();
}

TEST(Screening, drops_rows_that_stand_twice) {
  Table table = good_table();
  table.rows.insert(table.rows.begin() + 10, table.rows[9]);
  table.rows.insert(table.rows.begin() + 11, table.rows[9]);
  const Screened s = screened(table);
  EXPECT_EQ(s.figures.duplicates, 2);
  EXPECT_EQ(s.log.size(), 2000);
  EXPECT_NE(s.says(log_rules::row_duplicate).find("2 rows (lines 12, 13)"), std::string::npos)
      << s.all();
}

TEST(Screening, drops_measurements_that_are_held_while_the_clock_goes_on) {
  Table table = good_table();
  for (const std::size_t k : {500u, 501u, 900u})
    std::copy(table.rows[k - 1].begin() + 1, table.rows[k - 1].end(), table.rows[k].begin() + 1);
  const Screened s = screened(table);
  EXPECT_EQ(s.figures.held, 3);
  EXPECT_EQ(s.log.size(), 1997);
  EXPECT_NE(s.says(log_rules::row_held).find("lines 502, 503, 902"), std::string::npos) << s.all();
}

TEST(Screening, drops_single_rows_that_are_out_of_time) {
  Table table = good_table();
  table.rows[50][0] = 0.0;  // back
  table.rows[60][0] = 1e9;  // far ahead: itself wrong, not all that follow
  table.rows[70][0] = table.rows[69][0];
  const Screened s = screened(table);
  EXPECT_EQ(s.log.size(), 1997);
  EXPECT_EQ(s.figures.out_of_time, 3);
  EXPECT_NE(s.says(log_rules::time_backwards).find("2 rows (lines 52, 62)"), std::string::npos)
      << s.all();
  EXPECT_NE(s.says(log_rules::time_stands).find("1 row (line 72)"), std::string::npos) << s.all();
  for (Index k = 1; k < s.log.size(); ++k) EXPECT_GT(s.log.t[k], s.log.t[k - 1]);
}

TEST(Screening, refuses_a_clock_that_starts_again) {
  Table table = good_table();
  for (std::size_t k = 1200; k < 2000; ++k) table.rows[k][0] -= 2.4;
  const Screened s = screened(table);
  EXPECT_TRUE(s.log.empty());
  EXPECT_NE(s.says(log_rules::mostly_lost).find("goes backwards, from 2.398 to 0 s at line 1202"),
            std::string::npos)
      << s.all();
}

TEST(Screening, refuses_a_clock_that_is_too_coarse) {
  Table table = good_table();
  for (auto& row : table.rows) row[0] = std::floor(row[0] * 100.0) / 100.0;
  const Screened s = screened(table);
  EXPECT_TRUE(s.log.empty());
  EXPECT_NE(s.says(log_rules::mostly_lost).find("stands still"), std::string::npos) << s.all();
}

TEST(Screening, bridges_short_gaps_and_cuts_at_long_ones) {
  Table table = good_table();
  table.rows.erase(table.rows.begin() + 1500, table.rows.begin() + 1600);  // 0.2 s
  table.rows.erase(table.rows.begin() + 400, table.rows.begin() + 405);    // 10 ms
  const Screened s = screened(table);
  EXPECT_EQ(s.figures.gaps, 2);
  EXPECT_EQ(s.figures.pieces, 2);
  EXPECT_EQ(s.log.breaks, (std::vector<Index>{1495}));
  int notes = 0, warnings = 0;
  for (const Diagnostic& d : s.found.list()) {
    if (d.rule != &log_rules::gap) continue;
    (d.severity == Severity::note ? notes : warnings) += 1;
    EXPECT_EQ(d.source.line, d.severity == Severity::note ? 402 : 1497);
  }
  EXPECT_EQ(notes, 1);
  EXPECT_EQ(warnings, 1);
}

TEST(Screening, tells_of_mixed_rates) {
  Table table = good_table(), mixed = table;
  mixed.rows.resize(1000);
  for (std::size_t k = 1000; k < 2000; k += 4) mixed.rows.push_back(table.rows[k]);
  const Screened s = screened(mixed);
  EXPECT_NE(s.says(log_rules::mixed_rates).find("125 Hz"), std::string::npos) << s.all();
  EXPECT_NE(s.says(log_rules::mixed_rates).find("500 Hz"), std::string::npos);
}

TEST(Screening, refuses_a_rate_that_the_filter_cannot_have) {
  const Screened slow = screened(good_table(200, 20.0));
  EXPECT_TRUE(slow.log.empty());
  EXPECT_NE(slow.says(log_rules::rate_low).find("20 Hz"), std::string::npos) << slow.all();
  const Screened scant = screened(good_table(200, 40.0));
  EXPECT_FALSE(scant.log.empty()) << scant.all();
  EXPECT_NE(scant.found.find(log_rules::rate_scant), nullptr);
}

TEST(Screening, refuses_logs_of_a_few_rows) {
  const Screened s = screened(good_table(3));
  EXPECT_TRUE(s.log.empty());
  EXPECT_NE(s.says(log_rules::too_short).find("3 usable rows of 3"), std::string::npos) << s.all();
}

TEST(Screening, refuses_logs_that_are_mostly_lost) {
  std::string text = good_table(100).text();
  for (int k = 0; k < 30; ++k) text += "1,2,3\n";
  const Screened s = screened(text);
  EXPECT_TRUE(s.log.empty());
  EXPECT_NE(s.says(log_rules::mostly_lost).find("30 rows of 130"), std::string::npos) << s.all();
}

TEST(Screening, tells_of_joints_at_rest_and_refuses_a_robot_at_rest) {
  Table table = good_table();
  for (auto& row : table.rows) row[Table::q + 1] = 0.3, row[Table::qd + 1] = 0.0;
  const Screened one = screened(table);
  EXPECT_FALSE(one.log.empty()) << one.all();
  EXPECT_NE(one.says(log_rules::still).find("joint 'b': its position never changes"),
            std::string::npos);
  for (auto& row : table.rows)
    for (std::size_t i = 0; i < 3; ++i) row[Table::q + i] = 0.3, row[Table::qd + i] = 0.0;
  const Screened all = screened(table);
  EXPECT_TRUE(all.log.empty());
  EXPECT_NE(all.found.find(log_rules::no_motion), nullptr) << all.all();
}

TEST(Screening, tells_of_measurements_that_never_change) {
  Table table = good_table();
  for (auto& row : table.rows) row[Table::tau + 2] = 1.5;
  const Screened s = screened(table);
  EXPECT_NE(s.says(log_rules::constant).find("joint 'c': its torque is 1.5 in every row"),
            std::string::npos)
      << s.all();
}

TEST(Screening, counts_angles_on_that_jump_by_a_turn) {
  Table table = good_table();
  for (auto& row : table.rows) {
    row[Table::q + 2] = std::remainder(2.0 * row[0], 2.0 * pi);
    row[Table::qd + 2] = 2.0;
  }
  const Screened s = screened(table, three_joints(true));
  EXPECT_NE(s.found.find(log_rules::wrapped), nullptr) << s.all();
  EXPECT_FALSE(s.found.has_errors()) << s.all();
  EXPECT_EQ(s.figures.pieces, 1);
  EXPECT_NEAR(s.log.q(2, 1999) - s.log.q(2, 0), 2.0 * 3.998, 1e-9);
}

TEST(Screening, cuts_where_a_position_jumps) {
  Table table = good_table();
  for (std::size_t k = 1000; k < 2000; ++k) table.rows[k][Table::q + 1] += 0.5;
  const Screened s = screened(table);
  EXPECT_EQ(s.log.breaks, (std::vector<Index>{1000}));
  EXPECT_NE(s.says(log_rules::jump).find("joint 'b': its position jumps at 1 row (line 1002)"),
            std::string::npos)
      << s.all();
}

TEST(Screening, holds_positions_against_the_limits) {
  Table table = good_table();
  for (auto& row : table.rows) row[Table::q] += 1.8;
  const Screened near = screened(table);
  EXPECT_NE(near.found.find(log_rules::limits), nullptr) << near.all();
  EXPECT_FALSE(near.log.empty());
  for (auto& row : table.rows) row[Table::q] += 2.5;
  const Screened far = screened(table);
  EXPECT_NE(far.says(log_rules::far_outside).find("joint 'a'"), std::string::npos) << far.all();
  EXPECT_TRUE(far.log.empty());
  EXPECT_FALSE(screened(table, three_joints(), {.limits_known = false}).log.empty());
}

TEST(Screening, finds_degrees) {
  Table both = good_table(), positions = both, velocities = both;
  for (std::size_t k = 0; k < both.rows.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      both.rows[k][Table::q + i] *= 180.0 / pi, both.rows[k][Table::qd + i] *= 180.0 / pi;
      positions.rows[k][Table::q + i] *= 180.0 / pi;
      velocities.rows[k][Table::qd + i] *= 180.0 / pi;
    }
  for (const Table* table : {&both, &positions, &velocities}) {
    const Screened s = screened(*table);
    EXPECT_TRUE(s.log.empty());
    EXPECT_NE(s.says(log_rules::units).find("degrees"), std::string::npos) << s.all();
  }
  const Screened endless = screened(both, three_joints(true));
  EXPECT_TRUE(endless.log.empty());
}

TEST(Screening, finds_a_clock_in_milliseconds) {
  Table table = good_table();
  for (auto& row : table.rows) row[0] *= 1000.0;
  const Screened s = screened(table);
  EXPECT_TRUE(s.log.empty());
  EXPECT_NE(s.says(log_rules::units).find("milliseconds"), std::string::npos) << s.all();
}

TEST(Screening, finds_swapped_velocities_and_whose_they_are) {
  Table table = good_table();
  for (auto& row : table.rows) std::swap(row[Table::qd], row[Table::qd + 2]);
  const Screened s = screened(table);
  EXPECT_TRUE(s.log.empty());
  EXPECT_NE(s.says(log_rules::swapped)
                .find("joint 'a': its velocity is the rate of the position of joint 'c'"),
            std::string::npos)
      << s.all();
}

TEST(Screening, finds_velocities_that_are_wrong_in_other_ways) {
  Table sign = good_table(), noise = sign, scaled = sign;
  Random random(3);
  for (std::size_t k = 0; k < sign.rows.size(); ++k) {
    sign.rows[k][Table::qd + 1] *= -1.0;
    noise.rows[k][Table::qd + 1] = random.real();
    scaled.rows[k][Table::qd + 1] *= 1.3;
  }
  EXPECT_NE(screened(sign).found.find(log_rules::sign), nullptr);
  EXPECT_NE(screened(noise).found.find(log_rules::velocity_unrelated), nullptr);
  const Screened s = screened(scaled);
  EXPECT_FALSE(s.log.empty());
  EXPECT_NE(s.says(log_rules::velocity_differs).find("0.769"), std::string::npos) << s.all();
}

TEST(Screening, holds_torques_against_the_effort_limits) {
  Screened s = screened(good_table());
  const Model model = three_joints();
  screen_efforts(s.log, model, s.found);
  EXPECT_EQ(s.says(log_rules::torque_limits), "");
  s.log.tau.row(1) *= 1000.0;  // mNm
  screen_efforts(s.log, model, s.found);
  EXPECT_NE(s.says(log_rules::torque_limits).find("joint 'b': its torque reaches"),
            std::string::npos)
      << s.all();
  EXPECT_NE(s.says(log_rules::torque_limits).find("its effort limit is 50"), std::string::npos);
}

TEST(Screening, torques_that_stay_at_the_effort_limits_are_reported) {
  Screened s = screened(good_table());
  const Model model = three_joints();
  const double peak = s.log.tau.row(1).cwiseAbs().maxCoeff();
  s.log.tau.row(1) *= 60.0 / peak;
  s.log.tau.row(1) = s.log.tau.row(1).cwiseMin(50.0).cwiseMax(-50.0).eval();
  screen_efforts(s.log, model, s.found);
  EXPECT_NE(
      s.says(log_rules::torque_saturated).find("joint 'b': its torque is at its effort limit"),
      std::string::npos)
      << s.all();
  EXPECT_EQ(s.says(log_rules::torque_limits), "");
}

TEST(Screening, refuses_a_log_without_torques) {
  Table table = good_table();
  for (auto& row : table.rows)
    for (std::size_t i = 0; i < 3; ++i) row[Table::tau + i] = 0.0;
  EXPECT_NE(screened(table).says(log_rules::no_torque), "");
}

TEST(Screening, noise_is_no_motion) {
  Random random(3);
  Table table = good_table();
  for (auto& row : table.rows)
    for (std::size_t i = 0; i < 3; ++i) {
      row[Table::q + i] = 0.3 + 3e-4 * random.real();
      row[Table::qd + i] = 1e-3 * random.real();
    }
  const Screened s = screened(table);
  EXPECT_NE(s.says(log_rules::no_motion), "") << s.all();
  EXPECT_EQ(s.says(log_rules::velocity_unrelated), "");
}

TEST(Screening, counts_the_samples_that_another_log_has_too) {
  const Screened a = screened(good_table(2000, 500.0, 1)), b = screened(good_table(2000, 500.0, 2));
  Table later = good_table(2000, 500.0, 1);
  later.rows.erase(later.rows.begin(), later.rows.begin() + 500);
  for (auto& row : later.rows) row[Table::t] += 100.0;
  EXPECT_EQ(shared_samples(a.log, a.log), 1.0);
  EXPECT_EQ(shared_samples(a.log, b.log), 0.0);
  EXPECT_EQ(shared_samples(screened(later).log, a.log), 1.0);
  EXPECT_NEAR(shared_samples(a.log, screened(later).log), 0.75, 1e-3);
}

TEST(Screening, compares_torques_with_predicted_ones) {
  const Screened s = screened(good_table());
  Diagnostics found;
  screen_torques(s.log, s.log.tau, s.log.tau, found);
  EXPECT_EQ(found.list().size(), 0u);
  Eigen::MatrixXd swapped = s.log.tau;
  swapped.row(0).swap(swapped.row(1));
  screen_torques(s.log, s.log.tau, swapped, found);
  ASSERT_EQ(found.list().size(), 2u);
  EXPECT_NE(found.list()[0].str().find("with that of joint 'b' it is 1"), std::string::npos);
  EXPECT_THROW(screen_torques(s.log, s.log.tau, swapped.leftCols(5), found), std::invalid_argument);
}

// --- the document ---

TEST(LogRules, are_documented_with_their_severity_and_no_others) {
  expect_documented(log_rules::all, "docs/identification.md");
}

}  // namespace
}  // namespace ulna::test
