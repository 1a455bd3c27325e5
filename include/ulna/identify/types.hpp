#pragma once

#include "ulna/num/eigen.hpp"

/// Names that all of identification shares: matrices of numbers, a column per sample where it is of samples.
namespace ulna::identify {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Eigen::Index;

}  // namespace ulna::identify
