#include "mpc/payload_scale.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/changes.hpp"

namespace ulna::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using identify::AddedBody, identify::Belief, identify::TorqueEvidence;

struct Numbers {
  std::mt19937_64 random{5};
  std::normal_distribution<double> normal;
  MatrixXd operator()(Eigen::Index rows, Eigen::Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
  }
};

/// Two bodies and four numbers more, known with a covariance; then something is added to the second body, and torques are measured that do
/// not distinguish all of it.
struct Weighed {
  static constexpr int unknowns = 24, body = 2;
  Belief before{unknowns};
  TorqueEvidence since{unknowns};
  double mass;

  Weighed(Numbers& numbers, double ignorance, int torques, double noise = 1.0) {
    const MatrixXd root = ignorance * numbers(unknowns, unknowns),
                   covariance = root * root.transpose() + 1e-4 * MatrixXd::Identity(24, 24);
    before.information = covariance.inverse();
    before.z = 3.0 * numbers(unknowns, 1);
    VectorXd z = before.z + covariance.llt().matrixL() * VectorXd(numbers(unknowns, 1));
    const VectorXd added = numbers(10, 1);
    z.segment<10>(10) += added;
    mass = added(0);
    const MatrixXd shown = numbers(unknowns, 18);
    for (int k = 0; k < torques; ++k) {
      const VectorXd row = shown * VectorXd(numbers(18, 1));
      const double tau = row.dot(z) + noise * numbers.normal(numbers.random);
      since.R += row * row.transpose(), since.r += tau * row;
      since.square += tau * tau, since.count += 1.0;
    }
  }
};

// That of the numbers of before counts, and so does the torques' noise, also where it is larger than it is said to be.
TEST(AddedBody, errors_of_its_mass_are_as_large_as_its_deviation_states) {
  for (const double ignorance : {0.01, 0.3})
    for (const double noise : {1.0, 3.0}) {
      SCOPED_TRACE(testing::Message() << "ignorance " << ignorance << " noise " << noise);
      Numbers numbers;
      AddedBody added(Weighed::unknowns, Weighed::body);
      constexpr int trials = 400;
      double squares = 0.0;
      int within = 0;
      for (int trial = 0; trial < trials; ++trial) {
        const Weighed w(numbers, ignorance, 200, noise);
        added.find(w.before, w.since, 1.0);
        const double off = (added.inertia()(0) - w.mass) / added.mass_deviation();
        squares += off * off, within += std::abs(off) <= 2.0;
      }
      EXPECT_NEAR(std::sqrt(squares / trials), 1.0, 0.15);
      EXPECT_GE(within, int(0.92 * trials));
    }
}

TEST(AddedBody, is_not_known_where_nothing_shows_it) {
  Numbers numbers;
  const Weighed w(numbers, 0.1, 50);
  AddedBody added(Weighed::unknowns, Weighed::body);
  added.find(w.before, TorqueEvidence(Weighed::unknowns), 1.0);
  EXPECT_EQ(added.mass_deviation(), control::infinity);
  EXPECT_EQ(added.inertia()(0), 0.0);
  added.find(w.before, w.since, 1.0);
  EXPECT_LT(added.mass_deviation(), 10.0);
}

// Of errors e(k + 1) = r e(k) + noise, as many as (1 + r) / (1 - r) say as much as one.
TEST(ErrorCorrelation, is_that_of_errors_that_fade) {
  for (const double r : {0.0, 0.9, 0.98}) {
    SCOPED_TRACE(r);
    Numbers numbers;
    mpc::ErrorCorrelation correlation(7, 1000.0, 1.0);
    VectorXd error = VectorXd::Zero(7);
    for (int k = 0; k < 60000; ++k) {
      error = r * error + VectorXd(numbers(7, 1));
      correlation.sample(error);
    }
    const double expected = (1.0 + r) / (1.0 - r);
    EXPECT_NEAR(correlation.samples(), expected, 0.3 * expected);
  }
}

// As of a push: it leaves no trace, also where it is undone twice.
TEST(PayloadScale, weighs_after_a_change_that_was_none_what_it_weighed_before) {
  constexpr double rate = 1000.0;
  const Model robot = load_robot("panda").model;
  const identify::TorqueModel torques(robot,
                                      {identify::Feature::viscous, identify::Feature::coulomb});
  identify::OnlineOptions options;
  options.rate_hz = rate;
  identify::OnlineEstimator online(torques, VectorXd::Constant(7, 0.1), options);
  mpc::PayloadScale scale(torques, online, 7, rate, 1.0);
  Plant<double> truth(robot);
  Motion<double> at(robot);
  Workspace<double> ws(robot);
  VectorXd q(7), v(7), a(7), tau(7);
  Numbers numbers;
  int sampled = 0;
  const auto move = [&](int samples) {
    for (const int end = sampled + samples; sampled < end; ++sampled) {
      for (int i = 0; i < 7; ++i) {
        const double w = 2.0 + 0.7 * i, phase = w * sampled / rate;
        q(i) = 0.6 * std::sin(phase), v(i) = 0.6 * w * std::cos(phase), a(i) = -w * w * q(i);
      }
      at.set(q, v, a);
      inverse_dynamics<double>(truth, at, ws, tau);
      tau += 0.1 * VectorXd(numbers(7, 1));
      const auto outcome = online.update(q, v, a, tau);
      (void)scale.sample(online, outcome == identify::OnlineEstimator::Outcome::learned);
    }
  };
  move(3000);
  EXPECT_FALSE(scale.payload().known());
  add_payload(truth, robot.frames().back(),
              Inertia<double>::about_com(2.0, {0.0, 0.0, 0.1}, 0.01 * Mat3<double>::Identity()));
  scale.change();
  move(1500);
  const double mass = scale.payload().mass;
  EXPECT_NEAR(mass, 2.0, 0.2);
  scale.change();
  EXPECT_FALSE(scale.payload().known());
  for (int undone = 0; undone < 2; ++undone) {
    scale.undo_change();
    EXPECT_EQ(scale.payload().mass, mass);
  }
}

}  // namespace
}  // namespace ulna::test
