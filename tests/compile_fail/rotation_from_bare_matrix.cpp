#include <Eigen/Core>
#include <ulna/spatial/rotation.hpp>

ulna::Rotation<double> turn(const Eigen::Matrix3d& m) {
  return ulna::Rotation<double>::from_matrix(m);
}

#ifdef WRONG
ulna::Rotation<double> turn_implicitly(const Eigen::Matrix3d& m) { return m; }
#endif
