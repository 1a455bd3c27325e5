#include "ulna/identify/estimate/contact.hpp"

#include <gtest/gtest.h>

#include "recorded.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/identify.hpp"

// What touched the robot for a while is no part of it, and everything else is.
namespace ulna::test {
namespace {

using namespace identify;

using Case = Recorded;
constexpr double rate_hz = Recorded::rate_hz;

TEST(Contact, a_push_on_the_hand_is_left_out_and_nothing_is_lost_by_it) {
  for (const char* name : {"ur5e", "panda"})
    for (const std::uint64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Case c(name, seed, 20.0);
      const double untouched = c.error(c.samples());
      c.push(8.0, 80.0);
      const Prepared samples = c.samples();
      const std::vector<Contact> found = find_contacts(c.model, c.base, samples);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].log, 0);
      EXPECT_NEAR(found[0].begin, 8.0, 0.3);
      EXPECT_NEAR(found[0].end, 9.0, 0.3);
      EXPECT_GT(found[0].torque, 0.0);
      const Prepared rest = without(samples, found);
      EXPECT_GT(rest.size(), 0.9 * double(samples.size()));
      EXPECT_LT(rest.size(), samples.size());
      EXPECT_EQ(rest.pieces.size(), 2u);
      EXPECT_TRUE(find_contacts(c.model, c.base, rest).empty());
      const double with = c.error(samples), left = c.error(rest);
      EXPECT_LT(left, 1.3 * untouched + 0.02);
      EXPECT_GT(with, 3.0 * left);
    }
}

TEST(Contact, offline_leaves_it_out_and_says_so) {
  Case c("ur5e", 7, 15.0);
  const auto identified = [&] {
    std::istringstream table(c.table());
    return offline(c.robot, {.fit = {{"run.csv", &table}}}, {.choose = false});
  };
  const Identification untouched = identified();
  c.push(5.0, 80.0);
  const Identification pushed = identified();
  EXPECT_FALSE(untouched.found.find(log_rules::contact));
  const Diagnostic* found = pushed.found.find(log_rules::contact);
  ASSERT_TRUE(found);
  EXPECT_NE(found->str().find("run.csv"), std::string::npos) << found->str();
  EXPECT_FALSE(pushed.has_findings());
  EXPECT_LT(pushed.samples, untouched.samples);
  EXPECT_GT(pushed.samples, 0.85 * double(untouched.samples));
  const auto error = [&](const Identification& of) {
    return fit_of(c.model, of.chosen.estimate.z, c.other).total_percent;
  };
  EXPECT_LT(error(pushed), 1.3 * error(untouched) + 0.02);
  // what is shown is the whole log
  ASSERT_EQ(pushed.traces.size(), 1u);
  EXPECT_EQ(pushed.traces[0].t.size(), untouched.traces[0].t.size());
}

TEST(Contact, is_found_beside_effects_that_the_model_has_not) {
  for (const std::uint64_t seed : {4, 5, 6}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case c("ur5e", seed, 20.0);
    c.add_what_the_model_has_not();
    const double untouched = c.error(c.samples());
    c.push(12.0, 150.0);
    const Prepared samples = c.samples();
    const std::vector<Contact> found = find_contacts(c.model, c.base, samples);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].begin, 12.0, 0.3);
    EXPECT_NEAR(found[0].end, 13.0, 0.3);
    EXPECT_LT(c.error(without(samples, found)), 1.3 * untouched);
  }
}

TEST(Contact, is_not_found_where_there_was_none) {
  for (const char* name : {"ur5e", "panda", "iiwa14"})
    for (std::uint64_t seed = 11; seed < 17; ++seed)
      for (const bool effects : {false, true}) {
        Case c(name, seed, 10.0);
        if (effects) c.add_what_the_model_has_not();
        EXPECT_TRUE(find_contacts(c.model, c.base, c.samples()).empty())
            << name << ", seed " << seed << (effects ? ", with effects" : "");
      }
}

TEST(Contact, motion_between_long_rests_is_none) {
  for (const std::uint64_t seed : {21, 22, 23})
    for (const bool effects : {false, true}) {
      Case c("ur5e", seed, 16.0);
      // the robot rests but for 3 s: what shows most parameters is a small part of the log
      const auto begin = Eigen::Index(6.0 * rate_hz), end = Eigen::Index(9.0 * rate_hz);
      const Eigen::Index count = c.log.tau.cols();
      Eigen::MatrixXd q = c.log.q, v = Eigen::MatrixXd::Zero(q.rows(), count), a = v;
      q.leftCols(begin).colwise() = c.log.q.col(begin);
      q.rightCols(count - end).colwise() = c.log.q.col(begin);
      for (Eigen::Index k = begin; k < end; ++k) {
        // there and back: half a turn of a cosine in each joint
        const double w = 2.0 * M_PI / 3.0, u = w * double(k - begin) / rate_hz;
        q.col(k) = c.log.q.col(begin).array() + 0.4 * (1.0 - std::cos(u));
        v.col(k).setConstant(0.4 * w * std::sin(u));
        a.col(k).setConstant(0.4 * w * w * std::cos(u));
      }
      c.log.q = q, c.log.v = v;
      c.log.tau = c.model.torques(c.truth, q, v, a, c.model.features_of(v, a, 0.0 * v));
      if (effects) c.add_what_the_model_has_not();
      std::mt19937_64 noise(seed);
      add_noise(c.log.tau, 0.005 * c.usual, noise);
      const std::vector<Contact> found = find_contacts(c.model, c.base, c.samples());
      EXPECT_TRUE(found.empty()) << found[0].begin << " to " << found[0].end << " s, joint "
                                 << found[0].joint << ", " << found[0].torque << " Nm; seed "
                                 << seed << (effects ? ", with effects" : "");
    }
}

TEST(Contact, stretches_are_cut_out_of_their_own_log_only) {
  Case c("double_pendulum", 31, 4.0);
  Prepared samples = c.samples();
  samples.pieces.push_back(samples.pieces.front());
  samples.pieces.back().log = 1;
  const Prepared rest = without(samples, {{.log = 1, .begin = 1.0, .end = 2.0}});
  ASSERT_EQ(rest.pieces.size(), 3u);
  EXPECT_EQ(rest.pieces[0].size(), samples.pieces[0].size());
  EXPECT_LT(rest.pieces[1].t.maxCoeff(), 1.0);
  EXPECT_GT(rest.pieces[2].t.minCoeff(), 2.0);
  EXPECT_EQ(rest.pieces[1].log, 1);
  EXPECT_EQ(without(samples, {}).size(), samples.size());
}

}  // namespace
}  // namespace ulna::test
