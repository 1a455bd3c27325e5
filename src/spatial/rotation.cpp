#include "ulna/spatial/rotation.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>

namespace ulna {

double distance_to_rotation(const Mat3<double>& R) {
  if (!(R.determinant() > 0.0)) return std::numeric_limits<double>::infinity();
  return (R.transpose() * R - Mat3<double>::Identity()).norm();
}

Rotation<double> nearest_rotation(const Mat3<double>& R) {
  const Eigen::JacobiSVD<Mat3<double>> svd(R, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3<double> mirror = Vec3<double>::Ones();
  mirror.z() = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  return Rotation<double>::from_matrix(svd.matrixU() * mirror.asDiagonal() *
                                       svd.matrixV().transpose());
}

}  // namespace ulna
