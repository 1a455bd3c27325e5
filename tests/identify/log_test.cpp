#include "ulna/identify/data/log.hpp"

#include <gtest/gtest.h>

#include "support/logs.hpp"

namespace ulna::test {
namespace {

using namespace identify;

using Eigen::Index;

Log read(const std::string& text, Diagnostics& found, const LogOptions& options = {}) {
  std::istringstream in(text);
  return read_log(in, "log.csv", three_joints(), options, found);
}

std::string refusal_of_columns(const std::string& header, const LogOptions& options = {}) {
  Diagnostics found;
  const Log log = read(header + "\n", found, options);
  EXPECT_TRUE(log.empty());
  EXPECT_TRUE(found.has_errors());
  const Diagnostic* d = found.find(log_rules::columns);
  return d ? d->str() : "no message";
}

TEST(Log, holds_a_sample_per_column_in_the_order_of_the_joints) {
  Diagnostics found;
  const Log log = read(
      "tau_c,t,q_b,q_a,q_c,tau_a,tau_b,note\n9,0.5,2,1,3,7,8,0\n90,0.6,20,10,30,70,80,0\n", found);
  EXPECT_EQ(log.joints, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(log.t, Eigen::Vector2d(0.5, 0.6));
  EXPECT_EQ(log.q, (Eigen::Matrix<double, 3, 2>() << 1, 10, 2, 20, 3, 30).finished());
  EXPECT_EQ(log.tau, (Eigen::Matrix<double, 3, 2>() << 7, 70, 8, 80, 9, 90).finished());
  EXPECT_EQ(log.v.size() + log.a.size() + log.current.size(), 0);
  EXPECT_EQ(log.line, (std::vector<int>{2, 3}));
  EXPECT_EQ(found.list().size(), 0u);
}

TEST(Log, knows_the_names_that_loggers_use) {
  const std::string row = "0,1,2,3,4,5,6,7,8,9,10,11,12\n";
  for (const std::string header :
       {"time,q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3,i1,i2,i3",
        "t,q_1,q_2,q_3,dq1,dq2,dq3,ddq1,ddq2,ddq3,current1,current2,current3",
        "t,q_a,q_b,q_c,dq_a,dq_b,dq_c,ddq_1,ddq_2,ddq_3,current_a,current_b,current_c",
        "t,q_a,q_b,q_c,qd_1,qd_2,qd_3,qdd_a,qdd_b,qdd_c,i_a,i_b,i_c"}) {
    SCOPED_TRACE(header);
    Diagnostics found;
    const Log log = read(header + "\n" + row, found);
    ASSERT_EQ(log.size(), 1) << found.has_errors();
    EXPECT_EQ(log.q, Eigen::Vector3d(1, 2, 3));
    EXPECT_EQ(log.v, Eigen::Vector3d(4, 5, 6));
    EXPECT_EQ(log.a, Eigen::Vector3d(7, 8, 9));
    EXPECT_EQ(log.current, Eigen::Vector3d(10, 11, 12));
  }
}

TEST(Log, says_which_columns_are_missing_which_are_there_and_what_would_do) {
  EXPECT_EQ(
      refusal_of_columns("t,x,y"),
      "log.csv:1: error: columns are missing; positions: q_a, q_b, ... or q1 .. q3; torques: "
      "tau_a, tau_b, ... or tau1 .. tau3, or currents: i_a, i_b, ... or i1 .. i3; the table has "
      "the columns t, x, y [log-columns]");
  EXPECT_NE(refusal_of_columns("q1,q2,q3,tau1,tau2,tau3").find("time: t or time"),
            std::string::npos);
  EXPECT_NE(refusal_of_columns("t,q1,q2,tau1,tau2,tau3").find("missing: 'q3'"), std::string::npos);
  EXPECT_NE(refusal_of_columns("t,q_a,q_b,q_d,tau1,tau2,tau3").find("no coordinate 'd'"),
            std::string::npos);
  EXPECT_NE(refusal_of_columns("t,q0,q1,q2,tau1,tau2,tau3").find("counted from q1 to q3"),
            std::string::npos);
  EXPECT_NE(refusal_of_columns("t,q1,q2,q3,q4,tau1,tau2,tau3").find("has 3 coordinates"),
            std::string::npos);
  EXPECT_NE(refusal_of_columns("t,time,q1,q2,q3,tau1,tau2,tau3").find("both give the time"),
            std::string::npos);
  EXPECT_NE(refusal_of_columns("t,q1,q2,q3,qd1,dq1,qd2,qd3,tau1,tau2,tau3").find("occurs twice"),
            std::string::npos);
  EXPECT_NE(refusal_of_columns("t,q1,q2,q3,q_a,q_b,q_c,tau1,tau2,tau3").find("both give q"),
            std::string::npos);
  EXPECT_NE(refusal_of_columns("t,q1,q2,q3,i1,i2").find("missing: 'i3'"), std::string::npos);
}

TEST(Log, needs_no_torque_or_no_time_if_so_told) {
  Diagnostics found;
  EXPECT_EQ(read("t,q1,q2,q3\n0,1,2,3\n", found, {.torque_needed = false}).size(), 1);
  const Log log = read("q1,q2,q3,tau1,tau2,tau3\n1,2,3,4,5,6\nnan,2,3,4,5,6\n1,2,3,4,5,7\n", found,
                       {.rate_hz = 100.0});
  EXPECT_EQ(log.t, Eigen::Vector2d(0.0, 0.02)) << "the clock goes on in the row that is lost";
  EXPECT_FALSE(found.has_errors());
}

TEST(Log, drops_rows_that_are_no_numbers_and_tells_their_lines) {
  std::string text =
      "t,q1,q2,q3,tau1,tau2,tau3\n0,1,2,3,4,5,6\n1,2,3\n2,nan,2,3,4,5,6\n3,1,2,3,4,5,6\n";
  text +=
      "4,1,2,3,4,5,inf\n5,1,2,3,4,5,6,7\n6,x,2,3,4,5,6\n7,1e999,2,3,4,5,6\n8,1,2,3,4,5,6\n9,1,2";
  Diagnostics found;
  const Log log = read(text, found);
  EXPECT_EQ(log.t, Eigen::Vector3d(0, 3, 8));
  EXPECT_EQ(log.line, (std::vector<int>{2, 5, 10}));
  EXPECT_EQ(log.rows, 10);
  const Diagnostic* d = found.find(log_rules::row_corrupt);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->source.line, 3);
  EXPECT_EQ(d->seen,
            "7 rows (lines 3, 4, 6, 7, 8, ...) of 10 cannot be read; the first: 3 cells, the "
            "header has 7 "
            "columns");
}

TEST(Log, that_cannot_be_read_at_all_is_refused_and_says_why) {
  const auto refused = [](const std::string& text, const Rule& rule) {
    Diagnostics found;
    const Log log = read(text, found);
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(found.count(Severity::error), 1u);
    const Diagnostic* d = found.find(rule);
    return d ? d->str() : std::string("no message");
  };
  const std::string header = "t,q1,q2,q3,tau1,tau2,tau3\n";
  EXPECT_NE(refused("", log_rules::unreadable).find("empty"), std::string::npos);
  EXPECT_NE(refused("1,2,3\n", log_rules::unreadable).find("header line"), std::string::npos);
  EXPECT_NE(refused(header, log_rules::too_short).find("no rows"), std::string::npos);
  EXPECT_NE(refused(header + "a\nb\n", log_rules::mostly_lost).find("none of the 2 rows"),
            std::string::npos);
  EXPECT_NE(refused(header + "0,1,2,3,4,5,6\n" + std::string(3u << 20, '1'), log_rules::unreadable)
                .find("not a table"),
            std::string::npos);
  Diagnostics found;
  EXPECT_TRUE(load_log("/nonexistent/log.csv", three_joints(), {}, found).empty());
  EXPECT_NE(found.find(log_rules::unreadable), nullptr);
}

TEST(Log, that_is_larger_than_allowed_is_refused) {
  Diagnostics found;
  std::string text = "t,q1,q2,q3,tau1,tau2,tau3\n";
  for (int k = 0; k < 11; ++k) text += std::to_string(k) + ",1,2,3,4,5,6\n";
  EXPECT_EQ(read(text, found, {.max_numbers = 77}).size(), 11);
  EXPECT_TRUE(read(text, found, {.max_numbers = 76}).empty());
  ASSERT_NE(found.find(log_rules::too_large), nullptr);
}

TEST(Log, of_a_robot_with_a_ball_joint_is_refused) {
  const auto ball = load_robot("ball_wrist");
  Diagnostics found;
  std::istringstream in("t,q1\n0,1\n");
  EXPECT_TRUE(read_log(in, "log.csv", ball.model, {}, found).empty());
  EXPECT_NE(found.find(log_rules::joint_kind), nullptr);
}

TEST(Log, keeps_breaks_in_their_places_when_samples_go) {
  Log log;
  log.t = Eigen::VectorXd::LinSpaced(10, 0, 9);
  log.q = log.t.transpose();
  log.line = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  log.breaks = {3, 5, 6, 9};
  log.keep({1, 0, 1, 0, 1, 0, 1, 1, 1, 0});
  EXPECT_EQ(log.t, (Eigen::VectorXd(6) << 0, 2, 4, 6, 7, 8).finished());
  EXPECT_EQ(log.q.row(0), log.t.transpose());
  EXPECT_EQ(log.line, (std::vector<int>{2, 4, 6, 8, 9, 10}));
  EXPECT_EQ(log.breaks, (std::vector<Index>{2, 3}));
}

TEST(DriveGains, make_torques_of_currents) {
  Diagnostics found;
  Log log = read("t,q1,q2,q3,i1,i2,i3\n0,0,0,0,1,2,3\n1,0,0,0,-1,-2,-3\n", found);
  apply_gains(log, Eigen::Vector3d(10, 20, -30));
  EXPECT_EQ(log.tau, (Eigen::Matrix<double, 3, 2>() << 10, -10, 40, -40, -90, 90).finished());
  EXPECT_THROW(apply_gains(log, Eigen::Vector2d(1, 2)), std::invalid_argument);
  EXPECT_THROW(apply_gains(log, Eigen::Vector3d(1, 0, 2)), std::invalid_argument);
  Log without = read("t,q1,q2,q3,tau1,tau2,tau3\n0,0,0,0,1,2,3\n", found);
  EXPECT_THROW(apply_gains(without, Eigen::Vector3d(1, 1, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
