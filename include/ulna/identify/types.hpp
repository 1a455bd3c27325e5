#pragma once

#include <Eigen/Core>

namespace ulna::identify {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Eigen::Index;

}  // namespace ulna::identify
