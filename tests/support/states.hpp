#pragma once

#include "support/dynamics.hpp"

namespace ulna::test {

/// Random states for batches, one per column.
struct States {
  Eigen::MatrixXd Q, V, X;  ///< X: accelerations or torques

  States(const Model& model, Random& random, int count)
      : Q(model.nq(), count), V(model.nv(), count), X(model.nv(), count) {
    for (int i = 0; i < count; ++i) {
      Q.col(i) = random_q(model, random);
      V.col(i) = random_tangent<double>(model, random);
      X.col(i) = random_tangent<double>(model, random);
    }
  }
};

}  // namespace ulna::test
