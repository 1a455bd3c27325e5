#pragma once

#include <Eigen/Cholesky>

#include "ulna/constraints/loops.hpp"
#include "ulna/control/robot/robot_problem_options.hpp"

namespace ulna::control::detail {

/// What holds a robot still: the torques, and forces through loops that leave least for the torques to do,
/// by their weights, and nothing for those of joints that have none.
class Holding {
 public:
  Holding(const Model& model, const std::optional<Loops>& loops);

  void operator()(const Plant<double>& plant, In<double> q, const MotionWeights& weights,
                  const MotionLimits& limits);

  Eigen::VectorXd tau, lambda;

 private:
  Motion<double> motion_;
  Workspace<double> ws_;
  std::optional<Loops> loops_;
  Eigen::VectorXd price_;
  Eigen::MatrixXd weighted_, normal_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

}  // namespace ulna::control::detail
