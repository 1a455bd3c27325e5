#include "ulna/identify/estimate/estimate.hpp"

#include <Eigen/Eigenvalues>

#include "excited.hpp"
#include "ulna/derivatives/regressor.hpp"

// Least squares and its relatives on motions whose truth is known.
namespace ulna::test {
namespace {

using namespace identify;

constexpr Method all_methods[] = {Method::ols, Method::wls,   Method::irls,
                                  Method::tls, Method::ridge, Method::consistent};

TEST(Estimate, finds_the_base_parameters_without_noise) {
  for (const char* name : {"panda", "ur5e", "scara", "double_pendulum"}) {
    SCOPED_TRACE(name);
    Random random(1);
    const Model robot = load_robot(name).model;
    const TorqueModel model(robot, plain_friction);
    const Eigen::VectorXd truth = true_numbers(model, random);
    const Excited run(robot, plain_friction, truth, 2000, 100.0, random);
    const BaseParameters base = find_base_parameters(model);
    for (const Method method : {Method::ols, Method::wls, Method::irls, Method::tls}) {
      SCOPED_TRACE(to_string(method));
      const Estimate found = estimate(model, base, run.data, {.method = method});
      expect_close(found.base, base.of(truth), 1e-6);
      EXPECT_LT(fit_of(model, found.z, run.data).total_percent, 1e-5);
      EXPECT_EQ(found.excitation.rank, base.size());
    }
  }
}

TEST(Estimate, consistent_is_physical_whatever_the_noise) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  const BaseParameters base = find_base_parameters(model);
  for (const double noise : {0.01, 1.0, 30.0}) {
    SCOPED_TRACE(noise);
    Random random(2);
    std::mt19937_64 seed(2);
    Excited run(robot, plain_friction, true_numbers(model, random), 1000, 100.0, random);
    add_noise(run.data.tau, Eigen::VectorXd::Constant(7, noise), seed);
    const Estimate found = estimate(model, base, run.data);
    EXPECT_TRUE(found.consistent);
    Plant<double> plant(robot);
    model.set(found.z, plant);
    for (int i = 0; i < 200; ++i) {
      Rig<double> rig(robot, random);
      rig.plant = plant;
      EXPECT_GT(rig.mass().selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.0);
    }
    // plain least squares is not, as soon as there is any noise to speak of
    if (noise >= 1.0) {
      EXPECT_FALSE(estimate(model, base, run.data, {.method = Method::ols}).consistent);
    }
  }
}

// Deviations mean what they say: of many runs, base parameters are within three of them, and within
// one of them about as often as normal numbers are.
TEST(Estimate, deviations_are_honest) {
  const Model robot = load_robot("ur5e").model;
  const TorqueModel model(robot, plain_friction);
  const BaseParameters base = find_base_parameters(model);
  for (const Method method : {Method::ols, Method::wls, Method::consistent}) {
    SCOPED_TRACE(to_string(method));
    int one = 0, three = 0, all = 0;
    Random random(3);
    const Eigen::VectorXd truth = true_numbers(model, random);
    const Excited clean(robot, plain_friction, truth, 1500, 100.0, random);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      std::mt19937_64 numbers(seed);
      TorqueData data = clean.data;
      add_noise(data.tau, Eigen::VectorXd::LinSpaced(6, 2.0, 0.1), numbers);
      const Estimate found = estimate(model, base, data, {.method = method});
      for (int i = 0; i < base.size(); ++i, ++all) {
        const double off = std::abs(found.base(i) - base.of(truth)(i)) / found.base_deviation(i);
        one += off < 1.0, three += off < 3.0;
      }
    }
    EXPECT_GE(three, 0.97 * all) << 100.0 * three / all << " %";
    EXPECT_GT(one, 0.60 * all) << 100.0 * one / all << " %";
    EXPECT_LT(one, 0.80 * all) << 100.0 * one / all << " %";
  }
}

// Noise that is alike over many samples tells no more than it does once.
TEST(Estimate, correlated_noise_counts_by_what_it_tells) {
  const Model robot = load_robot("double_pendulum").model;
  const TorqueModel model(robot, {Feature::viscous});
  const BaseParameters base = find_base_parameters(model);
  Random random(4);
  const Eigen::VectorXd truth = true_numbers(model, random);
  const Excited clean(robot, {Feature::viscous}, truth, 20000, 1000.0, random);
  int three = 0, all = 0;
  double correlated = 0.0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 numbers(seed);
    std::normal_distribution<double> normal;
    TorqueData data = clean.data;
    data.correlated = 100.0;
    Eigen::Vector2d state = Eigen::Vector2d::Zero();
    for (Eigen::Index s = 0; s < data.size(); ++s) {
      for (double& x : state) x = 0.98 * x + normal(numbers);
      data.tau.col(s) += 0.02 * state;
    }
    const Estimate found = estimate(model, base, data, {.method = Method::wls});
    correlated += found.correlated(0) / 40.0;
    for (int i = 0; i < base.size(); ++i, ++all)
      three += std::abs(found.base(i) - base.of(truth)(i)) < 3.0 * found.base_deviation(i);
  }
  EXPECT_GE(three, 0.97 * all) << 100.0 * three / all << " %";
  // (1 + 0.98) / (1 - 0.98) = 99 samples of this noise are one; a taper always sees fewer
  EXPECT_NEAR(correlated, 90.0, 15.0);
}

TEST(Estimate, robust_least_squares_shrugs_off_outliers) {
  const Model robot = load_robot("ur5e").model;
  const TorqueModel model(robot, plain_friction);
  const BaseParameters base = find_base_parameters(model);
  Random random(5);
  const Eigen::VectorXd truth = true_numbers(model, random);
  Excited run(robot, plain_friction, truth, 2000, 100.0, random);
  std::mt19937_64 seed(5);
  add_noise(run.data.tau, Eigen::VectorXd::Constant(6, 0.05), seed);
  const Excited clean = run;
  for (int s = 0; s < 2000; s += 50) run.data.tau.col(s).array() += 200.0;
  const auto error = [&](Method method) {
    return fit_of(model, estimate(model, base, run.data, {.method = method}).z, clean.data)
        .total_percent;
  };
  EXPECT_LT(error(Method::irls), 0.1 * error(Method::ols));
}

TEST(Estimate, what_was_not_moved_stays_as_the_prior_has_it) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  const BaseParameters base = find_base_parameters(model);
  Random random(6);
  Excited run(robot, plain_friction, true_numbers(model, random), 1000, 100.0, random);
  // the last joint stands still, and the others hardly turn it
  Eigen::MatrixXd q = run.data.q, v = run.data.v, a = run.data.a;
  for (int i = 0; i < 7; ++i)
    if (i != 1) q.row(i).setConstant(q(i, 0)), v.row(i).setZero(), a.row(i).setZero();
  run.data.q = q, run.data.v = v, run.data.a = a;
  run.data.x = model.features_of(v, a, run.data.tau);
  run.data.tau = model.torques(true_numbers(model, random), q, v, a, run.data.x);
  const Estimate found = estimate(model, base, run.data);
  EXPECT_TRUE(found.consistent);
  EXPECT_LT(found.excitation.rank, base.size());
  const int viscous6 = model.at(6, 0), viscous1 = model.at(1, 0);
  EXPECT_LT(found.learned(viscous6), 0.01);
  EXPECT_GT(found.learned(viscous1), 0.99);
}

TEST(Estimate, payload_alone_with_the_rest_known) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, plain_friction);
  Random random(7);
  Eigen::VectorXd truth = model.nominal();
  truth.segment<10>(60) +=
      Inertia<double>::about_com(2.0, {0.02, -0.01, 0.15}, 0.01 * Mat3<double>::Identity())
          .parameters();
  std::vector<int> known;
  for (int k = 0; k < 60; ++k) known.push_back(k);
  const BaseParameters base = find_base_parameters(model, known);
  Excited run(robot, plain_friction, truth, 1000, 100.0, random);
  std::mt19937_64 seed(7);
  add_noise(run.data.tau, Eigen::VectorXd::Constant(7, 0.1), seed);
  for (const Method method : all_methods) {
    SCOPED_TRACE(to_string(method));
    const Estimate found = estimate(model, base, run.data, {.method = method});
    EXPECT_EQ(found.z.head(60), truth.head(60));
    EXPECT_NEAR(found.z(60), truth(60), 0.02);
    EXPECT_EQ(found.deviation(5), 0.0);
  }
}

TEST(Estimate, refuses_too_few_samples) {
  const Model robot = load_robot("panda").model;
  const TorqueModel model(robot, {});
  Random random(8);
  const Excited run(robot, {}, model.nominal(), 3, 100.0, random);
  const std::string words =
      told([&] { (void)estimate(model, find_base_parameters(model), run.data); });
  EXPECT_NE(words.find("21 equations, too few for 43 base parameters"), std::string::npos) << words;
}

// Six-axis sensors in all joints: every link behind the first is found whole, and honestly.
TEST(Estimate, from_wrenches) {
  const Model robot = load_robot("ur5e").model;
  const TorqueModel model(robot, {});
  std::vector<int> sensors;
  for (int b = 1; b < robot.body_count(); ++b) sensors.push_back(b);
  const BaseParameters base = find_base_parameters(robot, sensors);
  Random random(11);
  Eigen::VectorXd truth = model.nominal();
  for (int b = 1; b < 6; ++b) truth.segment<10>(10 * b) *= random.real(0.8, 1.3);
  const Excited run(robot, {}, truth, 400, 100.0, random);
  WrenchData data{run.data.q, run.data.v, run.data.a, sensors, {}, {0}};
  data.wrench.resize(36, 400);
  RegressorWorkspace<double> ws(robot);
  Kinematics<double> at(robot);
  RowMatX<double> W(6, 60);
  for (int s = 0; s < 400; ++s) {
    at.set(data.q.col(s), data.v.col(s), data.a.col(s));
    for (int k = 0; k < 6; ++k) {
      wrench_regressor<double>(at, sensors[k], ws, W);
      data.wrench.col(s).segment<6>(6 * k) = W * truth;
    }
  }
  const Eigen::MatrixXd clean = data.wrench;
  for (const Method method : {Method::ols, Method::wls})
    expect_close(Eigen::VectorXd(estimate(model, base, data, {.method = method}).z.tail(50)),
                 Eigen::VectorXd(truth.tail(50)), 1e-8);
  int three = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::mt19937_64 numbers(seed);
    data.wrench = clean;
    add_noise(data.wrench, Eigen::VectorXd::Constant(36, 0.2), numbers);
    const Estimate found = estimate(model, base, data);
    EXPECT_TRUE(found.consistent);
    for (int k = 10; k < 60; ++k, ++all)
      three += std::abs(found.z(k) - truth(k)) < 3.0 * found.deviation(k);
  }
  EXPECT_GE(three, 0.97 * all) << 100.0 * three / all << " %";
  EXPECT_THROW((void)estimate(TorqueModel(robot, plain_friction), base, data),
               std::invalid_argument);
}

TEST(Estimate, gathers_shares_of_pieces) {
  const Model robot = load_robot("double_pendulum").model;
  const TorqueModel model(robot, {Feature::coulomb, Feature::offset});
  Prepared prepared;
  prepared.filter_hz = 5.0;
  for (const int size : {10, 20}) {
    Piece piece;
    piece.rate_hz = 100.0;
    piece.t = Eigen::VectorXd::LinSpaced(size, 0.0, 1.0);
    piece.q = Eigen::MatrixXd::Constant(2, size, size), piece.v = piece.q, piece.a = piece.q;
    piece.tau = piece.q, piece.direction = 0.5 * piece.q;
    prepared.pieces.push_back(piece);
  }
  const TorqueData half = gather(model, prepared.part(0.5, 1.0));
  EXPECT_EQ(half.size(), 15);
  EXPECT_EQ(half.breaks, (std::vector<Eigen::Index>{0, 5}));
  EXPECT_EQ(half.q(0, 4), 10.0);
  EXPECT_EQ(half.tau(1, 5), 20.0);
  EXPECT_EQ(half.x(0, 14), 10.0);  // the direction as it was filtered
  EXPECT_EQ(half.x(1, 14), 1.0);
  EXPECT_EQ(half.correlated, 20.0);
}

TEST(TorqueModel, identified_robot_has_the_numbers_and_round_trips) {
  for (const char* name : {"panda", "ur5e", "scara"}) {
    SCOPED_TRACE(name);
    const Model robot = load_robot(name).model;
    const TorqueModel model(robot, {Feature::viscous, Feature::coulomb, Feature::armature});
    Random random(9);
    const Eigen::VectorXd z = true_numbers(model, random);
    const Imported again = import_urdf(to_urdf(model.identified(z)), "identified.urdf");
    for (const Diagnostic& d : again.diagnostics.list())
      EXPECT_NE(d.severity, Severity::warning) << d.str();
    const TorqueModel read(again.model, model.features());
    const BaseParameters base = find_base_parameters(model);
    expect_close(read.nominal(), z, 1e-12);
  }
}

TEST(TorqueModel, rotors_are_unknowns_where_the_robot_has_some_unless_it_is_said_otherwise) {
  const Model plain = load_robot("panda").model, geared = load_robot("puma560").model;
  const std::vector<Feature> friction{Feature::viscous}, both{Feature::viscous, Feature::armature};
  EXPECT_EQ(with_rotors(friction, plain), friction);
  EXPECT_EQ(with_rotors(friction, plain, true), both);
  EXPECT_EQ(with_rotors(friction, geared), both);
  EXPECT_EQ(with_rotors(friction, geared, false), friction);
  // behind springs they are numbers of the drives
  EXPECT_EQ(with_rotors(friction, load_robot("iiwa14_elastic").model), friction);
}

}  // namespace
}  // namespace ulna::test
