#include "mpc/payload_hypothesis.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ulna::test {
namespace {

using mpc::PayloadHypothesis;
using Row = Eigen::Matrix<double, 10, 1>;

/// What samples of torques show that are those of a body, as rows at random have it.
identify::BodyEvidence evidence_of(const Row& x, std::mt19937_64& random, int samples = 5000) {
  identify::BodyEvidence evidence(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < samples; ++k) {
    Row row;
    for (double& r : row) r = 10.0 * normal(random);
    const double torque = row.dot(x);
    evidence.R += row * row.transpose();
    evidence.r += torque * row;
    evidence.square += torque * torque, evidence.count += 1.0;
  }
  return evidence;
}

Row ball_of_water(double mass, const Eigen::Vector3d& com) {
  const double r = std::cbrt(0.75 * mass / (double(EIGEN_PI) * 1000.0));
  const Eigen::Matrix3d I = 0.4 * mass * r * r * Eigen::Matrix3d::Identity();
  return Inertia<double>::about_com(mass, com, I).parameters();
}

TEST(PayloadHypothesis, finds_mass_and_place_of_a_ball_and_its_inertia_follows) {
  std::mt19937_64 random(3);
  for (const double mass : {0.1, 2.0, 30.0}) {
    const Row truth = ball_of_water(mass, {0.05, -0.1, 0.12});
    const identify::BodyEvidence evidence = evidence_of(truth, random);
    PayloadHypothesis hypothesis(0.2);
    for (int k = 0; k < 20; ++k) hypothesis.step(evidence, 1.0);
    EXPECT_LE((hypothesis.parameters() - truth).norm(), 0.01 * truth.norm()) << mass;
  }
}

TEST(PayloadHypothesis, what_is_put_down_has_a_negative_mass) {
  std::mt19937_64 random(4);
  const Row truth = -ball_of_water(2.0, {0.0, 0.02, 0.1});
  PayloadHypothesis hypothesis(0.2);
  const identify::BodyEvidence evidence = evidence_of(truth, random);
  for (int k = 0; k < 20; ++k) hypothesis.step(evidence, 1.0);
  EXPECT_LE((hypothesis.parameters() - truth).norm(), 0.01 * truth.norm());
}

// Ten numbers would explain them, however far from a body they are.
TEST(PayloadHypothesis, does_not_explain_torques_that_only_an_inertia_without_mass_would) {
  std::mt19937_64 random(5);
  Row turning = Row::Zero();
  turning(9) = 0.5;  // kg m², about one axis
  const identify::BodyEvidence evidence = evidence_of(turning, random);
  PayloadHypothesis hypothesis(0.2);
  for (int k = 0; k < 20; ++k) hypothesis.step(evidence, 1.0);
  const Row x = hypothesis.parameters();
  const double left = evidence.square - 2.0 * x.dot(evidence.r) + x.dot(evidence.R * x);
  EXPECT_GT(left, 0.5 * evidence.square);
}

TEST(PayloadHypothesis, without_evidence_there_is_none) {
  PayloadHypothesis hypothesis(0.2);
  hypothesis.step(identify::BodyEvidence(1), 1.0);
  EXPECT_EQ(hypothesis.parameters(), Row::Zero());
}

}  // namespace
}  // namespace ulna::test
