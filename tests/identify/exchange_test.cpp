#include "ulna/identify/estimate/select.hpp"

#include "excited.hpp"

// Joints confused in a log.
namespace ulna::test {
namespace {

using namespace identify;

struct Confusable {
  Model robot;
  TorqueModel model{robot, plain_friction};
  BaseParameters base = find_base_parameters(model);
  TorqueData data;

  Confusable(const char* name, int seed) : robot(load_robot(name).model) {
    Random random(seed);
    std::mt19937_64 noise(static_cast<std::uint64_t>(seed));
    data = Excited(robot, plain_friction, true_numbers(model, random), 1500, 100.0, random).data;
    const Eigen::VectorXd size =
        (data.tau.rowwise().squaredNorm() / static_cast<double>(data.size())).cwiseSqrt();
    add_noise(data.tau, 0.05 * size, noise);
  }
};

// Of the UR5e's last two joints, whose torques are nearly all friction, it could not be told.
TEST(Exchange, is_found_for_every_pair_of_joints_that_carry_something) {
  for (const auto& [name, n] : {std::pair{"panda", 7}, std::pair{"ur5e", 5}}) {
    const Confusable log(name, 3);
    EXPECT_FALSE(find_exchange(log.model, log.base, log.data)) << "nothing is exchanged";
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) {
        TorqueData confused = log.data;
        for (Eigen::MatrixXd* x : {&confused.q, &confused.v, &confused.a, &confused.tau})
          x->row(i).swap(x->row(j));
        confused.x = log.model.features_of(confused.v, confused.a, confused.tau);
        const std::optional<Exchange> found = find_exchange(log.model, log.base, confused);
        ASSERT_TRUE(found) << name << ": " << i << " and " << j;
        EXPECT_EQ(found->one, i);
        EXPECT_EQ(found->other, j);
        EXPECT_LT(found->after_percent, 10.0);  // noise of 5 %, and some percent of it in no column
      }
  }
}

TEST(Exchange, of_torques_alone_is_found_too) {
  const Confusable log("panda", 3);
  for (const auto& [i, j] : {std::pair{0, 3}, {4, 5}, {5, 6}}) {
    TorqueData confused = log.data;
    confused.tau.row(i).swap(confused.tau.row(j));
    const std::optional<Exchange> found = find_exchange(log.model, log.base, confused);
    ASSERT_TRUE(found) << i << " and " << j;
    EXPECT_TRUE(found->torques_only);
    EXPECT_EQ(found->one, i);
    EXPECT_EQ(found->other, j);
  }
}

TEST(Exchange, is_not_seen_in_noise_or_in_too_little_data) {
  Confusable log("panda", 4);
  std::mt19937_64 seed(4);
  add_noise(log.data.tau, Eigen::VectorXd::Constant(7, 100.0), seed);
  EXPECT_FALSE(find_exchange(log.model, log.base, log.data));
  EXPECT_FALSE(find_exchange(log.model, log.base, TorqueData{}));
}

// The last joint of a UR5e without friction: its torque is nothing but the noise of its sensor. In other units the
// prior counts less, and such a joint is overfitted less.
TEST(Rescaling, is_not_seen_in_the_noise_of_a_joint_that_carries_nothing) {
  const Model robot = load_robot("ur5e").model;
  const TorqueModel model(robot, {});
  const BaseParameters base = find_base_parameters(model);
  Random random(3);
  std::mt19937_64 noise(3);
  TorqueData data = Excited(robot, {}, model.nominal(), 10000, 1000.0, random).data;
  data.tau.row(5).setZero();
  add_noise(data.tau, Eigen::VectorXd::Constant(6, 0.1), noise);
  EXPECT_FALSE(find_rescaling(model, base, data));
  EXPECT_FALSE(find_exchange(model, base, data));
  // and what is wrong beside it still is
  TorqueData negated = data;
  negated.tau.row(1) *= -1.0;
  const std::optional<Rescaling> found = find_rescaling(model, base, negated);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->joint, 1);
  EXPECT_NEAR(found->factor, -1.0, 0.1);
  negated.tau = -data.tau;
  const std::optional<Rescaling> all = find_rescaling(model, base, negated);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->joint, -1);
  EXPECT_EQ(all->factor, -1.0);
}

}  // namespace
}  // namespace ulna::test
