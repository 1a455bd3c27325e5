#include "ulna/identify/data/filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "support/random.hpp"

namespace ulna::test {
namespace {

using namespace identify;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// H(e^(jw)) of the sections.
std::complex<double> response(const LowPass& filter, double hz) {
  const std::complex<double> z = std::polar(1.0, -2.0 * pi * hz / filter.rate_hz());
  std::complex<double> h = 1.0;
  for (const Biquad& s : filter.sections())
    h *= (s.b0 + s.b1 * z + s.b2 * z * z) / (1.0 + s.a1 * z + s.a2 * z * z);
  return h;
}

MatrixXd random_signals(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  return MatrixXd::NullaryExpr(rows, cols, [&] { return random.real(); });
}

TEST(LowPass, is_butterworths) {
  for (int order = 1; order <= LowPass::max_order; ++order) {
    const LowPass filter(10.0, 1000.0, order);
    EXPECT_NEAR(std::abs(response(filter, 0.0)), 1.0, 1e-12);
    EXPECT_NEAR(std::norm(response(filter, 10.0)), 0.5, 1e-9);
    for (const double hz : {0.1, 1.0, 5.0, 9.0, 20.0, 100.0, 400.0})
      EXPECT_NEAR(std::abs(response(filter, hz)), filter.gain(hz), 1e-10) << order << ", " << hz;
    // the delay of slow signals is the slope of the phase at zero
    EXPECT_NEAR(-std::arg(response(filter, 1e-3)) / (2.0 * pi * 1e-3), filter.delay(), 1e-8);
  }
  // the delay of an analogue Butterworth filter of order 2 is sqrt(2) / wc
  EXPECT_NEAR(LowPass(10.0, 1e5, 2).delay(), std::sqrt(2.0) / (2.0 * pi * 10.0), 1e-7);
}

TEST(LowPass, refuses_what_no_filter_can_be) {
  for (const double cutoff : {0.0, -1.0, 500.0, 600.0, nan})
    EXPECT_THROW(LowPass(cutoff, 1000.0), std::invalid_argument) << cutoff;
  EXPECT_THROW(LowPass(10.0, std::numeric_limits<double>::infinity()), std::invalid_argument);
  EXPECT_THROW(LowPass(10.0, 1000.0, 0), std::invalid_argument);
  EXPECT_THROW(LowPass(10.0, 1000.0, 9), std::invalid_argument);
}

TEST(ZeroPhase, multiplies_a_sine_by_the_square_of_the_gain_and_shifts_nothing) {
  const double rate = 1000.0;
  const Index count = 6000;
  for (const int order : {1, 2, 3, 4, 7})
    for (const double hz : {0.5, 3.0, 8.0, 10.0, 15.0}) {
      const LowPass filter(10.0, rate, order);
      MatrixXd x(1, count);
      for (Index k = 0; k < count; ++k) x(0, k) = std::sin(2.0 * pi * hz * double(k) / rate + 0.3);
      const MatrixXd expected = std::pow(filter.gain(hz), 2) * x;
      zero_phase(filter, x);
      // away from the ends, the rest of which dies away like the filter
      EXPECT_LT((x - expected).middleCols(1500, 3000).cwiseAbs().maxCoeff(), 1e-9)
          << "order " << order << ", " << hz << " Hz";
    }
}

TEST(ZeroPhase, leaves_constants_and_slopes_alone_up_to_the_ends) {
  MatrixXd x(2, 1000);
  for (Index k = 0; k < 1000; ++k) x(0, k) = 3.0, x(1, k) = 2.0 - 0.5 * double(k);
  const MatrixXd before = x;
  zero_phase(LowPass(10.0, 1000.0), x);
  EXPECT_LT((x - before).row(0).cwiseAbs().maxCoeff(), 1e-10);
  // what is felt of the end of the padding, where the slope begins
  EXPECT_LT((x - before).row(1).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(ZeroPhase, is_the_same_backwards) {
  const LowPass filter(20.0, 500.0, 4);
  MatrixXd x = random_signals(3, 1000, 5), y = x.rowwise().reverse();
  zero_phase(filter, x);
  zero_phase(filter, y);
  // but for what the beginning of the padding leaves behind
  EXPECT_LT((x - y.rowwise().reverse()).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(ZeroPhase, filters_every_channel_as_if_it_were_alone) {
  const LowPass filter(20.0, 500.0, 5);
  for (const Index channels : {1, 2, 3, 4, 7, 9}) {
    const MatrixXd x = random_signals(channels, 200, 11);
    MatrixXd together = x;
    zero_phase(filter, together);
    for (Index i = 0; i < channels; ++i) {
      MatrixXd alone = x.row(i);
      zero_phase(filter, alone);
      EXPECT_LT((together.row(i) - alone).cwiseAbs().maxCoeff(), 1e-14);
    }
  }
}

TEST(ZeroPhase, takes_signals_of_any_length_and_refuses_what_is_not_finite) {
  const LowPass filter(20.0, 500.0);
  for (Index count = 0; count < 40; ++count) {
    MatrixXd x = random_signals(2, count, 3);
    zero_phase(filter, x);
    EXPECT_TRUE(x.allFinite());
  }
  MatrixXd x = random_signals(2, 50, 3);
  x(1, 20) = nan;
  EXPECT_THROW(zero_phase(filter, x), std::invalid_argument);
}

TEST(Derivative, is_exact_for_polynomials_of_degree_eight) {
  const double rate = 50.0;
  MatrixXd x(9, 40), dx(9, 40);
  for (Index k = 0; k < 40; ++k)
    for (Index p = 0; p < 9; ++p) {
      const double t = double(k) / rate;
      x(p, k) = std::pow(t, double(p));
      dx(p, k) = p ? double(p) * std::pow(t, double(p - 1)) : 0.0;
    }
  EXPECT_LT((derivative(x, rate) - dx).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Derivative, of_a_sine_loses_the_stated_share) {
  for (const double w : {0.05, 0.1, 0.3, 0.6, 0.9}) {
    MatrixXd x(1, 400);
    for (Index k = 0; k < 400; ++k) x(0, k) = std::sin(w * double(k));
    const MatrixXd dx = derivative(x, 1.0);
    double worst = 0.0;
    for (Index k = 4; k < 396; ++k)
      worst = std::max(worst, std::abs(dx(0, k) - w * std::cos(w * double(k))));
    EXPECT_LE(worst, w * std::pow(w, 8) / 630.0 + 1e-13) << w;
    if (w > 0.2) {
      EXPECT_GT(worst, 0.7 * w * std::pow(w, 8) / 630.0) << w;
    }
  }
}

TEST(Derivative, of_few_samples_is_that_of_the_polynomial_through_them) {
  EXPECT_EQ(derivative(MatrixXd::Constant(2, 0, 1.0), 10.0).cols(), 0);
  EXPECT_EQ(derivative(MatrixXd::Constant(2, 1, 1.0), 10.0), MatrixXd::Zero(2, 1));
  EXPECT_EQ(derivative((MatrixXd(1, 2) << 1, 3).finished(), 10.0), MatrixXd::Constant(1, 2, 20.0));
  for (Index count = 3; count < 12; ++count) {
    MatrixXd x(1, count);
    for (Index k = 0; k < count; ++k) x(0, k) = double(k * k);
    for (Index k = 0; k < count; ++k)
      EXPECT_NEAR(derivative(x, 1.0)(0, k), 2.0 * double(k), 1e-9) << count;
  }
}

// --- sample by sample ---

/// What MotionFilter should do, written as the difference equation says.
VectorXd difference_equation(const LowPass& filter, VectorXd x) {
  for (const Biquad& s : filter.sections()) {
    VectorXd y(x.size());
    for (Index k = 0; k < x.size(); ++k) {
      // before the beginning, all was as the first sample
      const auto in = [&](Index i) { return x[std::max<Index>(i, 0)]; };
      const auto out = [&](Index i) { return i < 0 ? x[0] : y[i]; };
      y[k] = s.b0 * in(k) + s.b1 * in(k - 1) + s.b2 * in(k - 2) - s.a1 * out(k - 1) -
             s.a2 * out(k - 2);
    }
    x = y;
  }
  return x;
}

TEST(MotionFilter, is_the_difference_equation) {
  const Index count = 300;
  const MatrixXd q = random_signals(2, count, 1), v = random_signals(2, count, 2),
                 tau = random_signals(2, count, 3);
  for (const int order : {1, 2, 3, 4}) {
    const LowPass low_pass(30.0, 500.0, order);
    MotionFilter measured(2, low_pass, MotionFilter::Velocity::measured);
    MotionFilter derived(2, low_pass, MotionFilter::Velocity::from_position);
    MatrixXd fq(2, count), fv(2, count), ft(2, count);
    for (Index i = 0; i < 2; ++i) {
      fq.row(i) = difference_equation(low_pass, q.row(i));
      fv.row(i) = difference_equation(low_pass, v.row(i));
      ft.row(i) = difference_equation(low_pass, tau.row(i));
    }
    for (Index k = 0; k < count; ++k) {
      ASSERT_TRUE(measured.update(q.col(k), v.col(k), tau.col(k)));
      ASSERT_TRUE(derived.update(q.col(k), VectorXd(), tau.col(k)));
      if (k < 2) continue;
      const auto near = [](const VectorXd& a, const VectorXd& b, double size) {
        EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12 * size);
      };
      near(measured.q(), 0.5 * (fq.col(k) + fq.col(k - 1)), 1.0);
      near(measured.v(), 0.5 * (fv.col(k) + fv.col(k - 1)), 1.0);
      near(measured.tau(), 0.5 * (ft.col(k) + ft.col(k - 1)), 1.0);
      near(measured.a(), 500.0 * (fv.col(k) - fv.col(k - 1)), 500.0);
      near(derived.q(), 0.25 * (fq.col(k) + 2.0 * fq.col(k - 1) + fq.col(k - 2)), 1.0);
      near(derived.tau(), 0.25 * (ft.col(k) + 2.0 * ft.col(k - 1) + ft.col(k - 2)), 1.0);
      near(derived.v(), 250.0 * (fq.col(k) - fq.col(k - 2)), 500.0);
      near(derived.a(), 250000.0 * (fq.col(k) - 2.0 * fq.col(k - 1) + fq.col(k - 2)), 250000.0);
    }
  }
}

TEST(MotionFilter, delays_position_velocity_acceleration_and_torque_alike) {
  const double rate = 1000.0, w = 2.0 * pi * 0.5;
  for (const auto velocity :
       {MotionFilter::Velocity::measured, MotionFilter::Velocity::from_position}) {
    MotionFilter filter(1, LowPass(20.0, rate, 2), velocity);
    EXPECT_FALSE(filter.settled());
    for (Index k = 0; k < 4000; ++k) {
      const double t = double(k) / rate;
      const VectorXd q = VectorXd::Constant(1, std::sin(w * t)),
                     v = VectorXd::Constant(1, w * std::cos(w * t)),
                     tau = VectorXd::Constant(1, -w * w * std::sin(w * t));
      filter.update(q, v, tau);
      if (!filter.settled()) continue;
      const double late = t - filter.delay();
      // at the beginning the position began to move all at once: after ten delays, exp(-10) of that is left
      if (t < 0.5) {
        EXPECT_NEAR(filter.a()[0], -w * w * std::sin(w * late), 5e-3 * w * w);
        continue;
      }
      // at a fortieth of the cut-off, gain and delay are nearly those of slow signals
      EXPECT_NEAR(filter.q()[0], std::sin(w * late), 5e-5);
      EXPECT_NEAR(filter.v()[0], w * std::cos(w * late), 5e-5 * w);
      EXPECT_NEAR(filter.a()[0], -w * w * std::sin(w * late), 5e-5 * w * w);
      EXPECT_NEAR(filter.tau()[0], -w * w * std::sin(w * late), 5e-5 * w * w);
    }
    EXPECT_TRUE(filter.settled());
  }
}

// At low rates half a sample is as long as a joint takes to turn round.
TEST(MotionFilter, delays_the_direction_as_dry_friction_in_torques) {
  const double rate = 40.0, w = 2.0 * pi * 0.37;
  for (const auto velocity :
       {MotionFilter::Velocity::measured, MotionFilter::Velocity::from_position}) {
    MotionFilter filter(1, LowPass(8.0, rate, 4), velocity);
    double late = 0.0, size = 0.0, before = 0.0;
    for (Index k = 0; k < 8000; ++k) {
      const double t = double(k) / rate, v = w * std::cos(w * t);
      filter.update(VectorXd::Constant(1, std::sin(w * t)), VectorXd::Constant(1, v),
                    VectorXd::Constant(1, v > 0.0 ? 1.0 : -1.0));
      // what is later by d samples is less by d times the change of a sample
      const double change = filter.tau()[0] - std::exchange(before, filter.tau()[0]);
      if (!filter.settled()) continue;
      late += (filter.tau()[0] - filter.direction()[0]) * change, size += change * change;
    }
    EXPECT_LT(std::abs(late / size), 0.1);
  }
}

TEST(MotionFilter, lets_nothing_out_that_is_not_finite) {
  MotionFilter filter(2, LowPass(20.0, 1000.0, 2), MotionFilter::Velocity::measured);
  const auto finite = [&] {
    return filter.q().allFinite() && filter.v().allFinite() && filter.a().allFinite() &&
           filter.tau().allFinite();
  };
  const Eigen::Vector2d good(1.0, 2.0), bad(nan, 3.0),
      endless(1.0, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(filter.update(bad, good, good));
  EXPECT_TRUE(finite());
  EXPECT_TRUE(filter.update(good, good, good));
  EXPECT_EQ(filter.q(), good) << "the first sample is taken for rest";
  EXPECT_FALSE(filter.update(good, endless, good));
  EXPECT_FALSE(filter.update(good, good, bad));
  for (int k = 0; k < 200; ++k) EXPECT_FALSE(filter.update(bad, bad, endless));
  EXPECT_TRUE(finite());
  EXPECT_LT((filter.q() - Eigen::Vector2d(1.0, 3.0)).norm(), 0.1)
      << "numbers that are lost are held";
  filter.reset();
  EXPECT_TRUE(filter.update(good, good, good));
  EXPECT_EQ(filter.q(), good);
  EXPECT_THROW(filter.update(good, VectorXd(), good), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
