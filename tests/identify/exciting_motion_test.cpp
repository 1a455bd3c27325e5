#include "ulna/identify/excite/exciting_motion.hpp"

#include "support/close.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"
#include "support/spatial.hpp"

// Motions from rest to rest, linear in their coefficients.
namespace ulna::test {
namespace {

using namespace identify;

class Motions : public testing::TestWithParam<MotionKind> {
 protected:
  static ExcitingMotion random_motion(std::uint64_t seed, double duration = 7.0,
                                      int harmonics = 6) {
    Random random(seed);
    ExcitingMotion motion{MotionBasis(GetParam(), duration, harmonics), {}};
    motion.coefficients.resize(3, motion.basis.size());
    for (double& c : motion.coefficients.reshaped()) c = random.real();
    return motion;
  }
};

TEST_P(Motions, begin_and_end_at_rest) {
  for (const int harmonics : {2, 3, 10, 40}) {
    const ExcitingMotion motion = random_motion(1, 7.0, harmonics);
    for (const double t : {0.0, 7.0})
      for (const int order : {1, 2})
        EXPECT_LT(motion.at(t, order).cwiseAbs().maxCoeff(), 1e-9) << t << ", order " << order;
    EXPECT_GT(motion.at(2.0, 1).cwiseAbs().maxCoeff(), 0.01);
  }
}

TEST_P(Motions, begin_and_end_at_rest_up_to_the_fourth_derivative_if_so_asked) {
  Random random(1);
  for (const int harmonics : {3, 10, 40}) {
    ExcitingMotion motion{MotionBasis(GetParam(), 7.0, harmonics, 4), {}};
    EXPECT_EQ(motion.basis.size(), 2 * harmonics - 3);
    motion.coefficients.resize(2, motion.basis.size());
    for (double& c : motion.coefficients.reshaped()) c = random.real();
    for (int order = 1; order <= 4; ++order) {
      const double size = motion.at(motion.times(100.0), order).cwiseAbs().maxCoeff();
      EXPECT_GT(size, 0.01);
      for (const double t : {0.0, 7.0})
        EXPECT_LT(motion.at(t, order).cwiseAbs().maxCoeff(), 1e-9 * size) << t << " " << order;
    }
  }
  EXPECT_THROW((MotionBasis{GetParam(), 7.0, 2, 4}), std::invalid_argument);
  EXPECT_THROW((MotionBasis{GetParam(), 7.0, 5, 3}), std::invalid_argument);
}

TEST_P(Motions, stand_still_before_and_after) {
  const ExcitingMotion motion = random_motion(2);
  EXPECT_EQ(motion.at(-1.0), motion.at(0.0));
  EXPECT_EQ(motion.at(9.0), motion.at(7.0));
  EXPECT_EQ(motion.at(9.0, 1), Eigen::VectorXd::Zero(3));
}

TEST_P(Motions, derivatives_are_those_of_the_motion) {
  const ExcitingMotion motion = random_motion(3);
  Random random(3);
  for (int k = 0; k < 50; ++k) {
    const double t = random.real(0.1, 6.9);
    for (int order = 0; order < 4; ++order) {
      // a spline's last derivatives are broken lines and steps: keep clear of the knots
      const double piece = 7.0 / 10.0, from_knot = std::abs(t / piece - std::round(t / piece));
      if (GetParam() == MotionKind::bspline && from_knot * piece < 0.005) continue;
      const Eigen::VectorXd slope =
          five_point_derivative([&](double h) { return motion.at(t + h, order); }, 1e-3);
      const double size = std::max(1.0, motion.at(t, order + 1).norm());
      EXPECT_LT((motion.at(t, order + 1) - slope).norm(), 1e-7 * size) << t << ", order " << order;
    }
  }
}

TEST_P(Motions, many_times_are_as_one_by_one) {
  const ExcitingMotion motion = random_motion(4);
  const Eigen::VectorXd t = motion.times(10.0);
  EXPECT_EQ(t.size(), 71);
  EXPECT_EQ(t(70), 7.0);
  for (Eigen::Index s = 0; s < t.size(); ++s)
    EXPECT_LT((motion.at(t, 1).col(s) - motion.at(t(s), 1)).norm(), 1e-12);
}

TEST_P(Motions, refuse_what_cannot_be) {
  for (const auto& [duration, harmonics] :
       {std::pair{0.0, 5}, {-1.0, 5}, {std::nan(""), 5}, {1.0, 1}, {1.0, 100000}})
    EXPECT_THROW((MotionBasis{GetParam(), duration, harmonics}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Motions, testing::Values(MotionKind::fourier, MotionKind::bspline),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST(MotionBasis, fourier_series_repeat) {
  const MotionBasis basis(MotionKind::fourier, 5.0, 8);
  for (int order = 0; order < 6; ++order)
    EXPECT_LT((basis.at(0.0, order) - basis.at(5.0, order)).norm(),
              1e-10 * std::max(1.0, basis.at(0.0, order).norm()));
}

TEST(MotionBasis, bsplines_sum_to_one) {
  const MotionBasis basis(MotionKind::bspline, 5.0, 8);
  for (const double t : {0.0, 0.1, 1.7, 2.5, 4.99, 5.0}) {
    EXPECT_NEAR(basis.at(t).sum(), 1.0, 1e-14);
    EXPECT_GE(basis.at(t).minCoeff(), 0.0);
  }
}

}  // namespace
}  // namespace ulna::test
