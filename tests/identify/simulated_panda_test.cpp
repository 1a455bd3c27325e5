#include <Eigen/Cholesky>

#include "excited.hpp"
#include "ulna/identify/excite/excite.hpp"

// From an exciting motion to a robot that can be trusted: a Panda whose numbers are known, moved as
// excite() says and measured as real ones are.
namespace ulna::test {
namespace {

using namespace identify;

/// A Panda other than the one it is taken for: links heavier or lighter by up to a third, with cables
/// and covers that nobody has told of, and friction as a real one's.
Eigen::VectorXd true_panda(const TorqueModel& model, std::uint64_t seed) {
  Random random(seed);
  Eigen::VectorXd z = model.nominal();
  for (int b = 0; b < 7; ++b) {
    z.segment<10>(10 * b) *= random.real(0.75, 1.3);
    const Vec3<double> at(random.real(-0.1, 0.1), random.real(-0.1, 0.1), random.real(-0.1, 0.1));
    z.segment<10>(10 * b) +=
        Inertia<double>::about_com(random.real(0.05, 0.3), at, 1e-4 * Mat3<double>::Identity())
            .parameters();
  }
  for (int i = 0; i < 7; ++i) {
    const double size = i < 4 ? 1.0 : 0.3;
    z(model.at(i, 0)) = size * random.real(0.5, 2.0);
    z(model.at(i, 1)) = size * random.real(0.5, 2.0);
    z(model.at(i, 2)) = size * random.real(-0.5, 0.5);
  }
  return z;
}

/// What sensors add: torque sensors of joints, and velocities from encoders.
const Eigen::VectorXd torque_noise =
    (Eigen::VectorXd(7) << 0.3, 0.3, 0.25, 0.25, 0.1, 0.1, 0.1).finished();
constexpr double velocity_noise = 1e-3, position_noise = 2e-5;

/// 1 kHz along a motion, as it is and as it is measured.
struct Measured {
  Log clean;

  Measured(const TorqueModel& model, const Eigen::VectorXd& z, const ExcitingMotion& motion) {
    clean.file = "simulated";
    clean.t = motion.times(1000.0);
    clean.q = motion.at(clean.t, 0), clean.v = motion.at(clean.t, 1);
    const Eigen::MatrixXd a = motion.at(clean.t, 2);
    clean.tau = model.torques(z, clean.q, clean.v, a,
                              model.features_of(clean.v, a, Eigen::MatrixXd::Zero(7, a.cols())));
  }
  Log measured(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    Log log = clean;
    add_noise(log.q, Eigen::VectorXd::Constant(7, position_noise), random);
    add_noise(log.v, Eigen::VectorXd::Constant(7, velocity_noise), random);
    add_noise(log.tau, torque_noise, random);
    return log;
  }
};

constexpr PrepareOptions preparation{.filter_hz = 10.0, .decimation = 20};

TorqueData prepared(const TorqueModel& model, const Log& log) {
  Diagnostics found;
  const Prepared data = prepare({&log, 1}, preparation, found);
  EXPECT_FALSE(found.has_errors());
  return gather(model, data);
}

class SimulatedPanda : public testing::Test {
 protected:
  static ExcitingMotion moved(std::uint64_t seed) {
    return excite(TorqueModel(load_robot("panda").model, plain_friction),
                  {.seed = seed, .starts = 1, .iterations = 15})
        .motion;
  }

  const Model robot = load_robot("panda").model;
  const TorqueModel model{robot, plain_friction};
  const BaseParameters base = find_base_parameters(model);
  const Eigen::VectorXd truth = true_panda(model, 1);
};

TEST_F(SimulatedPanda, is_predicted_to_the_noise_on_other_motions_and_can_exist) {
  const Measured run(model, truth, moved(1)), other(model, truth, moved(2));
  const Estimate found = estimate(model, base, prepared(model, run.measured(1)));
  EXPECT_TRUE(found.consistent);

  // the floor: what the same filter leaves of the noise of the other run's torques
  const Log log = other.measured(2);
  const TorqueData data = prepared(model, log), clean = prepared(model, other.clean);
  const Eigen::MatrixXd noise = data.tau - clean.tau;
  const double count = static_cast<double>(data.size());
  const Fit fit = fit_of(model, found.z, data);
  for (int i = 0; i < 7; ++i)
    EXPECT_LT(fit.rms(i), 1.5 * noise.row(i).norm() / std::sqrt(count)) << "joint " << i + 1;
  EXPECT_LT(fit.total_percent, 150.0 * noise.norm() / data.tau.norm());

  Plant<double> plant(robot);
  model.set(found.z, plant);
  std::mt19937_64 random(3);
  Eigen::MatrixXd Q(7, 20000), M(49, 20000);
  for (Eigen::Index s = 0; s < Q.cols(); ++s) Q.col(s) = random_configuration(robot, random);
  Batch(robot).mass_matrix(plant, Q, M);
  int positive = 0;
  for (Eigen::Index s = 0; s < Q.cols(); ++s)
    positive +=
        Eigen::Map<const Eigen::MatrixXd>(M.col(s).data(), 7, 7).llt().info() == Eigen::Success;
  EXPECT_EQ(positive, Q.cols());
}

TEST_F(SimulatedPanda, base_parameters_are_within_three_of_their_deviations) {
  const Measured run(model, truth, moved(1));
  const Eigen::VectorXd right = base.of(truth);
  int one = 0, three = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Estimate found = estimate(model, base, prepared(model, run.measured(seed)));
    const Eigen::VectorXd off = (found.base - right).cwiseQuotient(found.base_deviation);
    one += static_cast<int>((off.array().abs() < 1.0).count());
    three += static_cast<int>((off.array().abs() < 3.0).count());
    all += base.size();
  }
  EXPECT_GE(three, 0.97 * all) << 100.0 * three / all << " %";
  EXPECT_GT(one, 0.60 * all) << 100.0 * one / all << " %";
}

}  // namespace
}  // namespace ulna::test
