#include "ulna/identify/estimate/select.hpp"

#include "excited.hpp"

// How much of a model data can bear.
namespace ulna::test {
namespace {

using namespace identify;

TEST(Essential, drops_what_is_zero_and_keeps_what_matters) {
  const Model robot = load_robot("ur5e").model;
  const TorqueModel model(robot, plain_friction);
  const BaseParameters base = find_base_parameters(model);
  Random random(1);
  Eigen::VectorXd truth = true_numbers(model, random);
  for (int i = 0; i < 6; ++i) truth(model.at(i, 2)) = 0.0;  // no offsets
  Excited run(robot, plain_friction, truth, 3000, 100.0, random);
  std::mt19937_64 seed(1);
  add_noise(run.data.tau, Eigen::VectorXd::Constant(6, 0.2), seed);
  const Essential found = essential_parameters(model, base, run.data);
  EXPECT_EQ(found.kept.size() + found.dropped.size(), static_cast<std::size_t>(base.size()));
  EXPECT_LT(found.kept.size(), 40u);
  const Eigen::VectorXd beta = base.of(truth);
  int offsets = 0;
  for (const int i : found.dropped) {
    const int k = base.independent[i];
    if (k >= model.inertial_size() && (k - model.inertial_size()) % 3 == 2) ++offsets;
  }
  EXPECT_GE(offsets, 5);  // chance may keep one
  for (std::size_t i = 0; i < found.kept.size(); ++i) {
    EXPECT_GT(std::abs(found.values(i)), 2.0 * found.deviation(i));
    EXPECT_LT(std::abs(found.values(i) - beta(found.kept[i])), 0.1 + 8.0 * found.deviation(i));
  }
}

TEST(CrossValidation, sees_what_a_fit_does_not) {
  const Model robot = load_robot("ur5e").model;
  Random random(2);
  const TorqueModel plain(robot, {});
  const TorqueModel rich(robot, {Feature::viscous, Feature::coulomb_positive,
                                 Feature::coulomb_negative, Feature::offset, Feature::armature});
  const auto validated = [&](const TorqueModel& model, double& fit) {
    Random same(3);
    // a short run with much noise, whose truth has no friction
    Eigen::VectorXd z = Eigen::VectorXd::Zero(model.unknowns());
    z.head(60) = plain.nominal();
    Excited run(robot, model.features(), z, 150, 50.0, same);
    std::mt19937_64 seed(2);
    add_noise(run.data.tau, Eigen::VectorXd::Constant(6, 3.0), seed);
    const BaseParameters base = find_base_parameters(model);
    const EstimateOptions options{.method = Method::ols};
    fit = fit_of(model, estimate(model, base, run.data, options).z, run.data).total_percent;
    return cross_validate(model, base, run.data, options).total_percent;
  };
  double plain_fit = 0.0, rich_fit = 0.0;
  const double plain_error = validated(plain, plain_fit), rich_error = validated(rich, rich_fit);
  EXPECT_LT(rich_fit, plain_fit);
  EXPECT_GT(rich_error, plain_error);
  EXPECT_GT(plain_error, plain_fit);
}

TEST(CrossValidation, refuses_more_parts_than_samples) {
  const Model robot = load_robot("double_pendulum").model;
  const TorqueModel model(robot, {});
  Random random(4);
  const Excited run(robot, {}, model.nominal(), 10, 50.0, random);
  EXPECT_THROW((void)cross_validate(model, find_base_parameters(model), run.data, {}, 11),
               std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
