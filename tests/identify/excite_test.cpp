#include "ulna/identify/excite/excite.hpp"

#include "excited.hpp"
#include "support/finite_difference.hpp"

// The motion that tells most: its measure, its limits, and the search for it.
namespace ulna::test {
namespace {

using namespace identify;

ExcitationProblem problem_of(const TorqueModel& model, MotionKind kind, int harmonics = 4) {
  ExcitationLimits limits = excitation_limits(model.model(), 0.9);
  limits.acceleration.setConstant(10.0);
  Random random(1);
  return {model,           find_base_parameters(model), true_numbers(model, random), limits,
          {.floor = -0.3}, {kind, 8.0, harmonics}};
}

Eigen::VectorXd random_point(const ExcitationProblem& problem, Random& random) {
  Eigen::VectorXd x(problem.variables());
  for (double& value : x) value = random.real(-0.4, 0.4);
  return x;
}

TEST(ExcitationProblem, slopes_are_those_of_the_functions) {
  for (const char* name : {"panda", "scara", "ur5e"})
    for (const MotionKind kind : {MotionKind::fourier, MotionKind::bspline}) {
      SCOPED_TRACE(std::string(name) + " " + std::string(to_string(kind)));
      const TorqueModel model(load_robot(name).model,
                              {Feature::viscous, Feature::coulomb_positive,
                               Feature::coulomb_negative, Feature::offset, Feature::armature});
      ExcitationProblem problem = problem_of(model, kind);
      Random random(2);
      const Eigen::VectorXd x = random_point(problem, random), way = random_point(problem, random);
      problem.evaluate(x);
      problem.differentiate();
      const double slope = problem.log_det_slope.dot(way);
      const Eigen::VectorXd use_slope = problem.use_slope * way;
      const auto at = [&](double h) {
        problem.evaluate(x + h * way);
        Eigen::VectorXd all(1 + problem.constraints());
        all << problem.log_det, problem.use;
        return all;
      };
      const Eigen::VectorXd finite = five_point_derivative(at, 1e-4);
      EXPECT_NEAR(slope, finite(0), 1e-6 * std::max(1.0, std::abs(finite(0))));
      // where the closest of two segments changes its end, a distance has a kink: none is met here
      EXPECT_LT((use_slope - finite.tail(problem.constraints())).cwiseAbs().maxCoeff(),
                1e-5 * std::max(1.0, use_slope.cwiseAbs().maxCoeff()));
    }
}

TEST(ExcitationProblem, use_bounds_the_peaks_from_above) {
  const TorqueModel model(load_robot("panda").model, plain_friction);
  ExcitationProblem problem = problem_of(model, MotionKind::fourier);
  Random random(3);
  for (int k = 0; k < 5; ++k) {
    problem.evaluate(random_point(problem, random));
    EXPECT_GE(problem.use.maxCoeff(), problem.peak.maxCoeff());
    EXPECT_LT(problem.use.maxCoeff(), problem.peak.maxCoeff() + 0.06);
  }
}

TEST(ExcitationProblem, a_motion_tells_more_than_standing_still) {
  const TorqueModel model(load_robot("ur5e").model, plain_friction);
  ExcitationProblem problem = problem_of(model, MotionKind::fourier);
  Random random(4);
  problem.evaluate(Eigen::VectorXd::Zero(problem.variables()));
  const double still = problem.log_det;
  EXPECT_GE(still, 0.0);
  EXPECT_LT(excitation(problem.information()).rank, problem.information().rows());
  problem.evaluate(random_point(problem, random));
  EXPECT_GT(problem.log_det, 2.0 * still);
}

class Excite : public testing::TestWithParam<MotionKind> {
 protected:
  const Model robot = load_robot("panda").model;
  const TorqueModel model{robot, plain_friction};
  ExciteOptions options{
      .kind = GetParam(), .duration = 10.0, .harmonics = 5, .starts = 1, .iterations = 12};
};

TEST_P(Excite, finds_a_motion_that_tells_more_within_all_limits) {
  options.acceleration = 8.0;
  options.capsules.floor = 0.0;
  const ExciteResult found = excite(model, options);
  EXPECT_GT(found.log_det, found.log_det_start + (excite_has_solver() ? 30.0 : 0.0));
  EXPECT_EQ(found.excitation.rank, find_base_parameters(model).size());

  // at 1 kHz, far finer than the search: within a thousandth
  const Eigen::VectorXd t = found.motion.times(1000.0);
  const Eigen::MatrixXd q = found.motion.at(t, 0), v = found.motion.at(t, 1),
                        a = found.motion.at(t, 2);
  const auto at_most = [&](const Eigen::MatrixXd& x, const Eigen::VectorXd& limit) {
    EXPECT_LT((limit.cwiseInverse().asDiagonal() * x).cwiseAbs().maxCoeff(), 0.9 * 1.001);
  };
  const Eigen::VectorXd middle = 0.5 * (robot.lower_limit() + robot.upper_limit());
  at_most(q.colwise() - middle, 0.5 * (robot.upper_limit() - robot.lower_limit()));
  at_most(v, robot.velocity_limit());
  at_most(a, Eigen::VectorXd::Constant(7, 8.0 / 0.9));
  Eigen::MatrixXd tau(7, t.size());
  Batch(robot).inverse_dynamics(Plant<double>(robot), q, v, a, tau);
  at_most(tau, robot.effort_limit());

  Capsules capsules(robot, options.capsules);
  Eigen::VectorXd d(capsules.size());
  double least = 1.0;
  for (Eigen::Index s = 0; s < t.size(); s += 5) {
    capsules.distances(q.col(s), d);
    least = std::min(least, d.minCoeff());
  }
  EXPECT_GT(least, 0.0099);
  EXPECT_NEAR(least, found.distance, 1e-3);
  for (const int order : {1, 2})
    for (const double end : {0.0, found.motion.duration()})
      EXPECT_LT(found.motion.at(end, order).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(Excite, is_the_same_for_the_same_seed) {
  options.iterations = 4;
  const ExciteResult one = excite(model, options), two = excite(model, options);
  EXPECT_EQ(one.motion.coefficients, two.motion.coefficients);
  options.seed = 2;
  EXPECT_NE(excite(model, options).motion.coefficients, one.motion.coefficients);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Excite, testing::Values(MotionKind::fourier, MotionKind::bspline),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST(ExciteAnswers, the_best_of_what_there_was_time_for) {
  const TorqueModel model(load_robot("ur5e").model, plain_friction);
  const ExciteResult found = excite(model, {.starts = 1, .seconds = 1e-6});
  EXPECT_EQ(found.status, ExciteStatus::time_limit);
  EXPECT_EQ(found.seeds, std::vector<std::uint64_t>{1});
  EXPECT_GT(found.log_det, 0.0);
}

TEST(ExciteAnswers, what_it_assumes_of_joints_without_limits) {
  const TorqueModel model(load_robot("double_pendulum").model, {});
  const ExciteResult found =
      excite(model, {.duration = 5.0, .harmonics = 3, .starts = 1, .iterations = 3});
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes[0].find("has no limit"), std::string::npos) << found.notes[0];
}

TEST(ExciteRefuses, what_it_cannot_move) {
  for (const char* name : {"ball_wrist", "planar_cart", "quadruped"}) {
    const Model robot = load_robot(name, {.floating_base = name == std::string("quadruped")}).model;
    const std::string words = told([&] { (void)excite(TorqueModel(robot, {})); });
    EXPECT_NE(words.find("has several coordinates"), std::string::npos) << name << ": " << words;
  }
  const TorqueModel loop(load_robot("fourbar").model, {});
  EXPECT_NE(told([&] { (void)excite(loop); }).find("closed loops"), std::string::npos);
  const TorqueModel panda(load_robot("panda").model, {Feature::load});
  EXPECT_NE(told([&] { (void)excite(panda); }).find("load-dependent friction"), std::string::npos);
  const TorqueModel chain(load_robot("chain:50").model, {});
  EXPECT_NE(told([&] { (void)excite(chain); }).find("50 joints"), std::string::npos);
  const TorqueModel plain(load_robot("panda").model, {});
  EXPECT_NE(told([&] { (void)excite(plain, {.share = 0.0}); }).find("share"), std::string::npos);
  EXPECT_NE(told([&] { (void)excite(plain, {.harmonics = 200}); }).find("fewer harmonics"),
            std::string::npos);
  // nowhere to stand: the floor is above the robot, or torques overflow; the limit that is in the way is named
  const std::string floor = told<std::runtime_error>(
      [&] { (void)excite(plain, {.harmonics = 2, .capsules = {.floor = 5.0}}); });
  EXPECT_NE(floor.find("from the floor"), std::string::npos) << floor;
  EXPECT_EQ(floor.find("effort"), std::string::npos) << floor;
  Eigen::VectorXd heavy = plain.nominal();
  heavy.segment<10>(plain.inertial_size() - 10).setConstant(1e308);
  const std::string torques =
      told<std::runtime_error>([&] { (void)excite(plain, {.harmonics = 2, .parameters = heavy}); });
  EXPECT_NE(torques.find("effort limits"), std::string::npos) << torques;
  EXPECT_EQ(torques.find("from the floor"), std::string::npos) << torques;
}

}  // namespace
}  // namespace ulna::test
