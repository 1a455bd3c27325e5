#pragma once

#include <algorithm>
#include <cmath>

#include "mpc/driven_dynamics.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::mpc {

/// How large a robot's numbers usually are, joint by joint: what weights, noise and thresholds follow from.
struct RobotScale {
  Eigen::VectorXd inertia;  ///< median of the mass matrix' diagonal, kg m² or kg
  Eigen::VectorXd gravity;  ///< largest torque against gravity, Nm or N
  /// What its drive usually has to do: the effort limit, or where there is none, what gravity
  /// and an acceleration of 10 rad/s² or m/s² need.
  Eigen::VectorXd torque;
};

/// Over configurations at random, those that loops allow; the same robot has the same scale.
inline RobotScale scale_of(const Plant<double>& plant) {
  constexpr int samples = 33;
  constexpr double acceleration = 10.0;
  const Model& model = plant.model();
  const int n = model.nv();
  DrivenDynamics dynamics(model);
  Eigen::MatrixXd M(n, n), diagonals(n, samples);
  RobotScale scale{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), model.effort_limit()};
  Eigen::VectorXd gravity(n);
  std::mt19937_64 random(1);
  int found = 0;
  for (int trial = 0; found < samples && trial < 50 * samples; ++trial) {
    Eigen::VectorXd q = random_configuration(model, random);
    if (!dynamics.mass(plant, q, M)) continue;
    dynamics.gravity(plant, q, gravity);
    diagonals.col(found++) = M.diagonal();
    scale.gravity = scale.gravity.cwiseMax(gravity.cwiseAbs());
  }
  for (int i = 0; i < n; ++i) {
    auto row = diagonals.row(i).head(found);
    std::nth_element(row.begin(), row.begin() + found / 2, row.end());
    scale.inertia(i) = std::max(found > 0 ? row(found / 2) : 0.0, 1e-6);
    const double usual = scale.gravity(i) + acceleration * scale.inertia(i);
    const double effort = scale.torque(i);
    if (!std::isfinite(effort) || effort <= 0.0) scale.torque(i) = usual;
  }
  return scale;
}

}  // namespace ulna::mpc
