#include "thesis/identification.hpp"

#include <gtest/gtest.h>

#include "ulna/io/import.hpp"
#include "ulna/model/edit.hpp"

// What docs/thesis.md says of Figure 6.8, on the smallest sizes.
namespace thesis {
namespace {

Experiment panda(int links, std::uint64_t seed) {
  const ulna::Model whole = ulna::load_robot("panda").model;
  return {ulna::sub_chain(whole, "panda_link0", "panda_link" + std::to_string(links)), seed};
}

TEST(ThesisIdentification, linear_least_squares_find_every_link_count) {
  for (int links = 1; links <= 7; ++links)
    for (const std::uint64_t seed : {1, 2}) {
      SCOPED_TRACE(std::to_string(links) + " links, seed " + std::to_string(seed));
      const Experiment experiment = panda(links, seed);
      EXPECT_EQ(experiment.parameters(), 10 * links);
      EXPECT_EQ(experiment.base_parameters(), 7 * links - 6);  // of hinges that are not parallel
      EXPECT_GT(experiment.before().torque_percent, 4.0);
      const Errors errors = experiment.errors(experiment.linear().z);
      EXPECT_LT(errors.torque_percent, 0.3);
      EXPECT_LT(errors.base_percent, 1.0);
    }
}

TEST(ThesisIdentification, multiple_shooting_converges_from_the_description) {
  if (!ulna::identify::can_refine()) GTEST_SKIP() << "built without Ceres";
  for (int links = 1; links <= 3; ++links) {
    SCOPED_TRACE(std::to_string(links) + " links");
    const Experiment experiment = panda(links, 1);
    const ulna::identify::Refinement shot = experiment.shooting(weighed_once());
    EXPECT_EQ(shot.status, ulna::identify::RefineStatus::converged) << shot.reason;
    const Errors errors = experiment.errors(shot.estimate.z);
    EXPECT_LT(errors.torque_percent, 0.5);
    EXPECT_LT(errors.torque_percent, 0.1 * experiment.before().torque_percent);
  }
}

TEST(ThesisIdentification, the_same_seed_gives_the_same_numbers) {
  const Eigen::VectorXd z = panda(3, 4).linear().z;
  EXPECT_EQ(z, panda(3, 4).linear().z);
  EXPECT_NE(z, panda(3, 5).linear().z);
}

}  // namespace
}  // namespace thesis
