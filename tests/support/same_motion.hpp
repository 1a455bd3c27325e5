#pragma once

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/robot/robot.hpp"

namespace ulna::test {

/// The same mass matrix and bias torque, of coordinates that have the same names, and the same limits.
inline void expect_same_motion(const Model& a, const Model& b, double tolerance = 1e-12) {
  ASSERT_EQ(a.velocity_names(), b.velocity_names());
  Robot first(a), second(b);
  Random random(7);
  std::mt19937_64 engine(7);
  for (int i = 0; i < 3; ++i) {
    const Eigen::VectorXd q = random_configuration(a, engine);
    const Eigen::VectorXd v =
        Eigen::VectorXd::NullaryExpr(a.nv(), [&] { return random.real(-1.0, 1.0); });
    const Eigen::MatrixXd M = first.mass_matrix(q), N = second.mass_matrix(q);
    EXPECT_LT((M - N).cwiseAbs().maxCoeff(), tolerance * (1.0 + M.cwiseAbs().maxCoeff()));
    const Eigen::VectorXd c = first.bias_torque(q, v), d = second.bias_torque(q, v);
    EXPECT_LT((c - d).cwiseAbs().maxCoeff(), tolerance * (1.0 + c.cwiseAbs().maxCoeff()));
  }
}

inline void expect_same_limits(const Model& a, const Model& b, bool velocity = true) {
  EXPECT_EQ(a.lower_limit(), b.lower_limit());
  EXPECT_EQ(a.upper_limit(), b.upper_limit());
  EXPECT_EQ(a.effort_limit(), b.effort_limit());
  if (velocity) {
    EXPECT_EQ(a.velocity_limit(), b.velocity_limit());
  }
}

}  // namespace ulna::test
