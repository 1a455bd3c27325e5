#pragma once

#include "support/dynamics.hpp"
#include "ulna/identify/estimate/estimate.hpp"
#include "ulna/io/import.hpp"

/// Robots moved so that their torques tell of their parameters.
namespace ulna::test {

using namespace identify;

inline const std::vector<Feature> plain_friction{Feature::viscous, Feature::coulomb,
                                                 Feature::offset};

/// Random sums of sines in each joint, sampled without noise; torques of given numbers.
struct Excited {
  TorqueModel model;
  TorqueData data;

  Excited(const Model& robot, std::vector<Feature> features, const Eigen::VectorXd& z, int count,
          double rate_hz, Random& random, double speed = 1.0)
      : model(robot, std::move(features)) {
    const int n = robot.nv();
    data.q = Eigen::MatrixXd::Zero(n, count), data.v = data.q, data.a = data.q;
    data.breaks = {0};
    for (int i = 0; i < n; ++i) {
      const double low = std::max(robot.lower_limit()(i), -2.0),
                   high = std::min(robot.upper_limit()(i), 2.0);
      data.q.row(i).setConstant(0.5 * (low + high));
      for (int k = 1; k <= 4; ++k) {
        const double w = 2.0 * M_PI * speed * (0.1 * k + random.real(0.0, 0.05)),
                     phase = random.real(-M_PI, M_PI), size = 0.12 * (high - low);
        for (int s = 0; s < count; ++s) {
          const double u = w * s / rate_hz + phase;
          data.q(i, s) += size * std::sin(u);
          data.v(i, s) += size * w * std::cos(u);
          data.a(i, s) -= size * w * w * std::sin(u);
        }
      }
    }
    data.tau = Eigen::MatrixXd::Zero(n, count);
    data.x = model.features_of(data.v, data.a, data.tau);
    data.tau = model.torques(z, data.q, data.v, data.a, data.x);
  }
};

/// The robot's own inertias with friction that is a few percent of what it can do.
inline Eigen::VectorXd true_numbers(const TorqueModel& model, Random& random) {
  Eigen::VectorXd z = model.nominal();
  for (int i = 0; i < model.model().nv(); ++i)
    for (int k = 0; k < model.feature_count(); ++k) z(model.at(i, k)) = random.real(0.1, 1.0);
  return z;
}

inline void add_noise(Eigen::MatrixXd& tau, const Eigen::VectorXd& deviation,
                      std::mt19937_64& seed) {
  std::normal_distribution<double> normal;
  for (Eigen::Index s = 0; s < tau.cols(); ++s)
    for (Eigen::Index i = 0; i < tau.rows(); ++i) tau(i, s) += deviation(i) * normal(seed);
}

}  // namespace ulna::test
