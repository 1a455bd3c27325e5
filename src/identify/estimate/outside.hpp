#pragma once

#include "ulna/identify/estimate/estimate.hpp"

namespace ulna::identify {

/// What an estimate was made with.
struct Weighted {
  const Vector& z;
  const Vector& weights;  ///< of joints, one over the variance of an independent sample
  const Matrix& rests;    ///< and of single equations; empty: 1
  const std::vector<int>& free;
  const Matrix& covariance;  ///< of the free unknowns
};

/// By how much parameters stand for effects that the model has not: Stribeck and quadratic friction, friction by load, torques that are late
/// and springs, as far as the residual shows them. The estimate is not changed, for it predicts torques best as it is; but with such
/// an effect its numbers would be others by `shift`, and this is how far off they may be beside noise: shift shift' and the covariance that not
/// knowing the effects' size adds.
Matrix outside_the_model(const TorqueModel& model, const TorqueData& data, const Weighted& found);

}  // namespace ulna::identify
