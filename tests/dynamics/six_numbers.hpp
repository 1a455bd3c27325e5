#pragma once

#include <Eigen/Core>
#include <array>

namespace ulna::test {

/// Of an arm of six joints, as tables have them.
using Vector6 = std::array<double, 6>;

inline Eigen::VectorXd vector(const Vector6& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), 6);
}

}  // namespace ulna::test
