#include "ulna/mpc/reentry.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ulna::test {
namespace {

using Eigen::VectorXd;
using mpc::Reentry;

const VectorXd speed{{2.0, 1.0}}, acceleration{{20.0, 10.0}};

/// Waves, at up to 0.6 and 0.5 rad/s.
void wave(double time, VectorXd& q, VectorXd& v) {
  q << 0.3 * std::sin(2.0 * time), 0.1 * std::cos(5.0 * time);
  v << 0.6 * std::cos(2.0 * time), -0.5 * std::sin(5.0 * time);
}

TEST(Reentry, is_the_motion_itself_before_any_stop) {
  const Reentry way(wave, speed, acceleration);
  VectorXd q(2), v(2), q_motion(2), v_motion(2);
  for (const double time : {0.0, 0.7, 3.0}) {
    way(time, q, v), wave(time, q_motion, v_motion);
    EXPECT_EQ(q, q_motion);
    EXPECT_EQ(v, v_motion);
  }
}

TEST(Reentry, stays_where_the_robot_is_until_it_may_go_on) {
  Reentry way(wave, speed, acceleration);
  const VectorXd place{{0.4, -0.2}};
  way.stay(place);
  VectorXd q(2), v(2);
  way(1.3, q, v);
  EXPECT_TRUE(way.stays());
  EXPECT_EQ(way.joined_at(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(q, place);
  EXPECT_EQ(v, VectorXd::Zero(2));
}

TEST(Reentry, goes_from_where_the_robot_is_to_the_motion_within_the_limits) {
  for (const double far : {0.0, 0.01, 0.3, 3.0})
    for (const double begin : {0.0, 1.0, 2.5}) {
      SCOPED_TRACE(testing::Message() << far << " away at " << begin << " s");
      Reentry way(wave, speed, acceleration);
      VectorXd q(2), v(2), q_before(2), v_before(2), q_motion(2), v_motion(2);
      wave(begin, q_motion, v_motion);
      const VectorXd q0 = q_motion + far * VectorXd{{1.0, -0.4}}, v0{{0.1, -0.1}};
      way.stay(q0);
      way.join(begin, q0, v0);
      way(begin, q_before, v_before);
      EXPECT_LT((q_before - q0).norm() + (v_before - v0).norm(), 1e-12);
      const double h = 1e-3, end = way.joined_at();
      ASSERT_LT(end, begin + 10.0);
      for (double time = begin + h; time < end + 0.1; time += h) {
        way(time, q, v);
        // the velocity is that of the positions, and nothing jumps
        ASSERT_LT((q - q_before - 0.5 * h * (v + v_before)).norm(), 1e-5);
        ASSERT_TRUE(((v.cwiseAbs() - 0.91 * speed).array() <= 0.0).all()) << v.transpose();
        ASSERT_TRUE((((v - v_before).cwiseAbs() / h - acceleration).array() <= 2.6).all())
            << "the motion's own acceleration is up to 2.5 rad/s²";
        q_before = q, v_before = v;
      }
      way(end + 0.1, q, v), wave(end + 0.1, q_motion, v_motion);
      EXPECT_EQ(q, q_motion);
    }
}

TEST(Reentry, is_as_quick_as_the_limits_allow) {
  Reentry way([](double, VectorXd& q, VectorXd& v) { q.setZero(), v.setZero(); }, speed,
              acceleration);
  const VectorXd far{{1.0, 0.0}};
  way.join(0.0, far, VectorXd::Zero(2));
  // a quintic of 1 rad at 0.9 of 2 rad/s
  const double least = 1.875 / 1.8;
  EXPECT_GE(way.joined_at(), least);
  EXPECT_LE(way.joined_at(), 1.2 * least);
}

TEST(Reentry, refuses_limits_that_are_none) {
  EXPECT_THROW(Reentry(wave, speed, VectorXd::Ones(3)), std::invalid_argument);
  EXPECT_THROW(Reentry(wave, VectorXd::Zero(2), acceleration), std::invalid_argument);
  EXPECT_THROW(Reentry(nullptr, speed, acceleration), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
