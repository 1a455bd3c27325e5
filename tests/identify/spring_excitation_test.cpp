#include "ulna/identify/excite/spring_excitation.hpp"

#include <gtest/gtest.h>

#include "driven.hpp"
#include "support/finite_difference.hpp"
#include "ulna/identify/data/prepare.hpp"
#include "ulna/identify/excite/excite.hpp"

// Motions that show springs.
namespace ulna::test {
namespace {

using Kind = DriveUnknown::Kind;

const std::vector<Feature> friction{Feature::viscous, Feature::offset};

/// A slow motion of few iterations, with sines on top.
struct Shown {
  Model robot;
  TorqueModel model;
  SpringExcitation found;

  Shown(const Model& robot, const DriveSensors& sensors, std::uint64_t seed = 1,
        double duration = 10.0)
      : robot(robot),
        model(robot, friction, drive_unknowns(robot, friction, sensors)),
        found(with_sines(sensors, seed, duration)) {}

  SpringExcitation with_sines(const DriveSensors& sensors, std::uint64_t seed,
                              double duration) const {
    std::vector<Feature> features = friction;
    features.push_back(Feature::armature);
    const ExciteResult slow =
        excite(TorqueModel(with_plain_drives(robot), features), {.duration = duration,
                                                                 .harmonics = 5,
                                                                 .reserve = 0.15,
                                                                 .rest = 4,
                                                                 .capsules = {.distance = {}},
                                                                 .seed = seed,
                                                                 .starts = 1,
                                                                 .iterations = 5});
    return excite_springs(model, slow.motion, {.sensors = sensors, .seed = seed});
  }

  DrivenSamples samples() const {
    return drive_along(Plant<double>(robot), found.motion, found.motion.slow.times(1000.0));
  }
  /// As simulated, with noise: of a model that is described wrongly.
  Estimate estimate_of(const DriveSensors& sensors, const DriveNoise& noise,
                       std::uint64_t seed) const {
    const DrivenSamples s = samples();
    const Log log =
        recorded_log(robot, s.q.col(0), s.v.col(0), found.motion.duration(), sensors, noise, seed,
                     [&](Eigen::Index k, const Simulation& now) -> Eigen::VectorXd {
                       return s.tau.col(k) + motor_feedback(now, s.theta.col(k), s.omega.col(k));
                     });
    Diagnostics said;
    const Prepared prepared =
        prepare({&log, 1}, {.filter_hz = found.filter_hz, .torque_delay = -5e-4}, said);
    EXPECT_FALSE(said.has_errors());
    Random random(seed);
    const Model wrong = believed(robot, random);
    const TorqueModel unknown(wrong, friction, model.drives());
    return estimate_drives(unknown, drive_base_parameters(unknown),
                           gather_drives(unknown, prepared));
  }
  double worst_percent(const Estimate& e, Kind kind) const {
    const Eigen::VectorXd right = model.nominal();
    double worst = 0.0;
    for (std::size_t k = 0; k < model.drives().size(); ++k)
      if (const int at = model.drive_at(int(k)); model.drives()[k].kind == kind)
        worst = std::max(worst, 100.0 * std::abs(e.z(at) / right(at) - 1.0));
    return worst;
  }
};

TEST(FastSines, have_the_derivatives_that_they_state_and_begin_and_end_at_rest) {
  FastSines sines{5.0, 1.0, Eigen::MatrixXd::Constant(1, 2, 0.01), {}, {}};
  sines.hz = Eigen::RowVector2d(2.0, 3.3), sines.phase = Eigen::RowVector2d(0.4, -2.0);
  for (const double t : {0.0, 5.0, -1.0, 6.0})
    for (const double rate : sines.at(0, t)) EXPECT_EQ(rate, 0.0);
  for (const double t : {0.2, 0.9, 2.5, 4.3})
    for (int order = 0; order < 4; ++order) {
      const auto at = [&](double h) {
        return Eigen::VectorXd::Constant(1, sines.at(0, t + h)[std::size_t(order)]).eval();
      };
      const double slope = five_point_derivative(at, 1e-4)(0),
                   is = sines.at(0, t)[std::size_t(order) + 1];
      EXPECT_NEAR(slope, is, 1e-6 * std::max(1.0, std::abs(is))) << t << ", order " << order;
    }
}

TEST(SpringExcitation, keeps_all_limits_of_links_motors_and_springs) {
  const Model robot = iiwa_with_tool();
  const Shown shown(robot, {});
  const DrivenSamples s = shown.samples();
  const auto most = [](const Eigen::MatrixXd& x, const Eigen::VectorXd& limit) {
    return x.cwiseAbs().rowwise().maxCoeff().cwiseQuotient(limit).maxCoeff();
  };
  EXPECT_LE(most(s.tau, robot.effort_limit()), 0.9);
  EXPECT_LE(most(s.spring, robot.effort_limit()), 0.9);
  EXPECT_LE(most(s.v, robot.velocity_limit()), 0.9);
  EXPECT_LE(most(s.omega, robot.velocity_limit()), 0.9);
  // and uses what the sines may have: a third of it at least
  const ElasticMotion slow{shown.found.motion.slow, {}};
  const DrivenSamples without = drive_along(Plant<double>(robot), slow, s.t);
  for (const int c : robot.drives().elastic)
    EXPECT_GT((s.tau - without.tau).row(c).cwiseAbs().maxCoeff() +
                  (s.spring - without.spring).row(c).cwiseAbs().maxCoeff(),
              0.05 * robot.effort_limit()(c))
        << c;
}

TEST(SpringExcitation, is_the_same_for_the_same_seed) {
  const Model robot = load_robot("twolink_elastic").model;
  const Shown one(robot, {}), two(robot, {}), other(robot, {}, 2);
  EXPECT_EQ(one.found.motion.fast.hz, two.found.motion.fast.hz);
  EXPECT_NE(one.found.motion.fast.hz, other.found.motion.fast.hz);
}

// The noise of a log of the real arm, as tests of identification have it; the cut-off is that of the design. With more seeds: docs/drives.md.
TEST(SpringExcitation,
     a_log_of_the_motion_shows_springs_by_motor_encoders_alone_and_with_torque_sensors) {
  Eigen::VectorXd torque(7), link(7);
  torque << 0.5, 0.5, 0.3, 0.3, 0.2, 0.1, 0.1;
  link << 0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05;
  for (const bool torque_sensors : {false, true}) {
    SCOPED_TRACE(torque_sensors ? "torque sensors" : "motor encoders alone");
    const DriveSensors sensors{.torque_sensors = torque_sensors};
    const Shown shown(iiwa_with_tool(), sensors);
    const Estimate found = shown.estimate_of(sensors, {5e-6, torque, link}, 1);
    EXPECT_LT(shown.worst_percent(found, Kind::stiffness), torque_sensors ? 3.0 : 5.0);
    EXPECT_LT(shown.worst_percent(found, Kind::damping), torque_sensors ? 20.0 : 50.0);
    EXPECT_LT(shown.worst_percent(found, Kind::rotor), torque_sensors ? 1.0 : 3.0);
  }
}

// White noise at 1 kHz that is a tenth of what the design expects. What noise does by moving links in the equations is not expected: of these
// soft springs it is five times as much.
TEST(SpringExcitation, expects_deviations_of_the_size_that_the_estimate_has) {
  const Model robot = load_robot("twolink_elastic").model;
  const DriveSensors sensors{.torque_sensors = true};
  const Shown shown(robot, sensors);
  const double share_of_noise = 0.1, white = share_of_noise * std::sqrt(1000.0 / 100.0);
  const Eigen::VectorXd effort = robot.effort_limit();
  const Estimate found =
      shown.estimate_of(sensors, {1e-7, white * 0.01 * effort, white * 0.002 * effort}, 3);
  for (std::size_t k = 0; k < shown.model.drives().size(); ++k) {
    const DriveUnknown& u = shown.model.drives()[k];
    if (u.kind != Kind::stiffness && u.kind != Kind::rotor) continue;
    const int at = shown.model.drive_at(int(k));
    const double share = found.deviation(at) / found.z(at) /
                         (share_of_noise * shown.found.deviation(Eigen::Index(k)));
    EXPECT_GT(share, 0.3) << shown.model.names()[std::size_t(at)];
    EXPECT_LT(share, 8.0) << shown.model.names()[std::size_t(at)];
  }
}

TEST(SpringExcitation, refuses_robots_and_motions_that_it_is_not_for) {
  const Model rigid = load_robot("panda").model, elastic = load_robot("twolink_elastic").model;
  const ExcitingMotion jerky{MotionBasis(MotionKind::fourier, 5.0, 4), Eigen::MatrixXd::Zero(2, 7)};
  EXPECT_THROW((void)excite_springs(TorqueModel(rigid, {}), jerky), std::invalid_argument);
  EXPECT_THROW((void)excite_springs(TorqueModel(elastic, friction), jerky), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
