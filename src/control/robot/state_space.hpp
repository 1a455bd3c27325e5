#pragma once

#include "ulna/model/configuration.hpp"

namespace ulna::control::detail {

/// How difference(from, to) changes when `to` is displaced: the blocks of curved joints, which is all
/// that is written of nv x nv; elsewhere it is one.
void difference_slope(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& from,
                      const Eigen::Ref<const Eigen::VectorXd>& to, Eigen::MatrixXd& slope);

/// How the rotation vector r of a turn changes per unit of angular velocity in the turned frame.
Mat3<double> rotation_log_slope(const Vec3<double>& r);

}  // namespace ulna::control::detail
