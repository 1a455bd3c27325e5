#include <gtest/gtest.h>

#include <functional>

#include "recorded.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/identify.hpp"

// Whatever is wrong with a log, it ends with an estimate that holds or with a reason that has a name.
namespace ulna::test {
namespace {

using namespace identify;

struct Fault {
  const char* name;
  std::function<void(Recorded&)> make;
  const char* said;  ///< in a finding, or a rule; empty: nothing is wrong with what is found
};

class Faults : public testing::TestWithParam<std::tuple<const char*, Fault>> {};

/// All remarks and rules, and what refused the log.
struct Outcome {
  std::string text;
  std::optional<Identification> found;
};
Outcome identified(const Model& robot, const std::vector<std::string>& tables) {
  Outcome outcome;
  try {
    std::vector<std::istringstream> streams;
    for (const std::string& table : tables) streams.emplace_back(table);
    LogInputs logs;
    for (std::size_t k = 0; k < streams.size(); ++k)
      logs.fit.push_back({"run" + std::to_string(k) + ".csv", &streams[k]});
    outcome.found = offline(robot, logs, {.choose = false});
    for (const Remark& remark : outcome.found->remarks) outcome.text += remark.text + "\n";
    for (const Diagnostic& d : outcome.found->found.list()) outcome.text += d.str() + "\n";
  } catch (const std::exception& e) {
    outcome.text = e.what();
  }
  return outcome;
}

TEST_P(Faults, end_with_an_estimate_or_a_reason) {
  const auto& [robot, fault] = GetParam();
  Recorded log(robot, 3, 12.0);
  fault.make(log);
  const Outcome outcome = identified(log.robot, {log.table()});
  EXPECT_NE(outcome.text.find(fault.said), std::string::npos) << outcome.text;
  EXPECT_EQ(outcome.text.find("Newton's method"), std::string::npos) << outcome.text;
  if (!outcome.found) return;
  const Estimate& found = outcome.found->chosen.estimate;
  EXPECT_TRUE(found.consistent);
  EXPECT_TRUE(found.z.allFinite());
  EXPECT_FALSE((found.deviation.array() < 0.0).any() || found.deviation.hasNaN());
  if (*fault.said) return;
  EXPECT_FALSE(outcome.found->has_findings()) << outcome.text;
  EXPECT_LT(fit_of(log.model, found.z, log.other).total_percent,
            fit_of(log.model, found.prior, log.other).total_percent);
}

void hold_all_but(Recorded& log, int moving) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(log.log.q.rows(), log.log.q.cols());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    if (i == moving) {
      for (Eigen::Index k = 1; k + 1 < a.cols(); ++k)
        a(i, k) = 0.5 * Recorded::rate_hz * (log.log.v(i, k + 1) - log.log.v(i, k - 1));
      continue;
    }
    log.log.q.row(i).setConstant(log.log.q(i, 0)), log.log.v.row(i).setZero();
  }
  log.log.tau = log.model.torques(log.truth, log.log.q, log.log.v, a,
                                  log.model.features_of(log.log.v, a, 0.0 * a));
  // dry friction holds what rests, up to its level, and it is not known at how much
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    if (i != moving) log.log.tau.row(i).array() += 0.8 * log.truth(log.model.at(int(i), 1));
  std::mt19937_64 noise(1);
  add_noise(log.log.tau, 0.02 * log.usual, noise);
  add_noise(log.log.v, Eigen::VectorXd::Constant(log.log.v.rows(), 1e-3), noise);
}

INSTANTIATE_TEST_SUITE_P(
    Identification, Faults,
    testing::Combine(
        testing::Values("ur5e", "panda"),
        testing::Values(
            Fault{"none", [](Recorded&) {}, ""},
            Fault{"single_outliers",
                  [](Recorded& log) {
                    for (Eigen::Index k = 50; k < log.log.size(); k += 97)
                      log.log.tau(k % 3, k) += 1e4;
                  },
                  "log-outlier"},
            Fault{"bursts",
                  [](Recorded& log) {
                    for (Eigen::Index k = 300; k < log.log.size(); k += 700)
                      log.log.tau.block(0, k, 2, 20).array() += 3.0 * log.usual(1);
                  },
                  ""},
            Fault{"all_rest", [](Recorded& log) { hold_all_but(log, -1); }, "log-no-motion"},
            Fault{"one_joint_moves", [](Recorded& log) { hold_all_but(log, 1); }, "log-still"},
            Fault{"all_negated", [](Recorded& log) { log.log.tau *= -1.0; },
                  "the torques of all joints look negated"},
            Fault{"wrist_joint_negated", [](Recorded& log) { log.log.tau.row(4) *= -1.0; },
                  "looks negated"},
            Fault{"millinewton_metres", [](Recorded& log) { log.log.tau *= 1e3; },
                  "times those of the robot as it is described"},
            Fault{"divided_by_100", [](Recorded& log) { log.log.tau *= 0.01; },
                  "times those of the robot as it is described"},
            Fault{"contact", [](Recorded& log) { log.push(5.0, 100.0); }, "log-contact"})),
    [](const auto& one) {
      return std::string(std::get<0>(one.param)) + "_" + std::get<1>(one.param).name;
    });

TEST(RobustIdentification, a_log_that_is_given_often_counts_once) {
  const Recorded log("ur5e", 4, 8.0);
  const Outcome once = identified(log.robot, {log.table()}),
                often = identified(log.robot, {log.table(), log.table(), log.table()});
  ASSERT_TRUE(once.found && often.found);
  EXPECT_NE(often.text.find("log-repeated"), std::string::npos) << often.text;
  expect_close(often.found->chosen.estimate.deviation, once.found->chosen.estimate.deviation, 0.0);
}

// A UR10e is a UR5e with other lengths and masses, and rotors that the description has not.
TEST(RobustIdentification, a_log_of_a_robot_with_other_bodies_is_a_finding) {
  Recorded log("ur5e", 5, 12.0);
  Eigen::VectorXd truth = log.truth;
  const double heavier[] = {1.9, 1.55, 1.3, 1.7, 1.7, 1.1};
  for (int b = 0; b < 6; ++b) truth.segment<10>(10 * b) *= heavier[b];
  const Eigen::MatrixXd a = Eigen::MatrixXd::Zero(6, log.log.q.cols());
  log.log.tau =
      log.model.torques(truth, log.log.q, log.log.v, a, log.model.features_of(log.log.v, a, a));
  const Outcome outcome = identified(log.robot, {log.table()});
  ASSERT_TRUE(outcome.found);
  EXPECT_TRUE(outcome.found->has_findings()) << outcome.text;
}

}  // namespace
}  // namespace ulna::test
