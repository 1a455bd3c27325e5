#include <gtest/gtest.h>

#include <set>

#include "robustness/rows.hpp"
#include "ulna/io/import.hpp"

namespace robustness {
namespace {

using ulna::mpc::TrialResult;

TEST(RobustnessTable, names_each_row_once) {
  std::set<std::string> names;
  for (const Row& row : rows()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(RobustnessTable, every_row_is_a_trial_that_runs_and_the_same_seed_gives_the_same_bits) {
  const ulna::Model model = ulna::load_robot("panda").model;
  for (const Row& row : rows()) {
    const auto run = [&](std::uint64_t seed) {
      Case c(model, seed);
      row.change(c);
      c.trial.plant =
          ulna::rig::has_mujoco() ? ulna::rig::PlantKind::mujoco : ulna::rig::PlantKind::ulna;
      c.trial.duration = 0.02;
      return c.run();
    };
    const TrialResult one = run(3), again = run(3), other = run(4);
    EXPECT_TRUE(one.finished) << row.name;
    EXPECT_EQ(one.record.q_measured, again.record.q_measured) << row.name;
    EXPECT_NE(one.record.q_measured, other.record.q_measured) << row.name;
  }
}

}  // namespace
}  // namespace robustness
