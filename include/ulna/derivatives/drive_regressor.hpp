#pragma once

#include "ulna/derivatives/regressor.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"

/// Regressors of drives (docs/drives.md): torques as linear functions of the numbers of motors and springs. With s the
/// torques of the links, Y π and the joints' friction,
///
///     tau = N^-T s + Y_m μ        drive_regressor, motors' torques
///     s   = Y_s σ                 spring_regressor, of elastic joints
///     s   = Y_g ν                 gear_regressor, by what motors exert on their gears
namespace ulna {

/// μ: inertia, damping, friction and friction_negative of each motor, then the rotors of all coordinates.
inline int drive_parameter_count(const Model& model) { return 5 * model.nv(); }
template <Scalar T>
VecX<T> drive_parameters(const Plant<T>& plant) {
  const Eigen::Index n = plant.model().nv();
  VecX<T> mu = VecX<T>::Zero(5 * n);
  if (plant.model().drives().plain()) return mu;
  const DriveParameters<T>& d = plant.drives;
  for (Eigen::Index m = 0; m < n; ++m)
    mu.segment(4 * m, 4) << d.inertia(m), d.damping(m), d.friction(m), d.friction_negative(m);
  mu.tail(n) = d.rotor;
  return mu;
}

/// Y_m (nv x drive_parameter_count) at the motors' rates and accelerations as they are seen at the joints, DriveTorques::omega and
/// alpha. Columns of motors that are not separate (DriveTrain) are zero.
template <Scalar T>
void drive_regressor(const Model& model, In<T> omega, In<T> alpha, OutRows<T> Y) {
  const DriveTrain& train = model.drives();
  Y.setZero();
  if (train.plain()) return;
  for (const auto& [m, c, ratio] : train.separate_gears) {
    Y(m, 4 * m) += T(ratio) * alpha(c);
    Y(m, 4 * m + 1) += T(ratio) * omega(c);
  }
  for (Eigen::Index m = 0; m < model.nv(); ++m) {
    const T& rate = Y(m, 4 * m + 1);
    Y(m, 4 * m + 2) = select(rate > T(0), T(1), T(0));
    Y(m, 4 * m + 3) = select(rate < T(0), T(-1), T(0));
  }
  for (const auto& [m, c, share] : train.shares)
    if (train.stiffness(c) > 0.0) Y(m, 4 * model.nv() + c) += T(share) * alpha(c);
}

/// Y_s (nv x 3): row c times stiffness, hardening and damping of coordinate c is the torque of its spring, which is deflected by
/// e(c), at a rate de(c). Rows of rigid joints are zero.
template <Scalar T>
void spring_regressor(const Model& model, In<T> e, In<T> de, OutRows<T> Y) {
  Y.setZero();
  for (const int c : model.drives().elastic) Y.row(c) << e(c), e(c) * e(c) * e(c), de(c);
}

/// Y_g (nv x gears): times the ratios of DriveTrain::gears, in their order, the torques of the links. `net` is the torque that each
/// motor exerts on its gears, tau - Y_m μ.
template <Scalar T>
void gear_regressor(const Model& model, In<T> net, OutRows<T> Y) {
  Y.setZero();
  const auto& gears = model.drives().gears;
  for (std::size_t k = 0; k < gears.size(); ++k)
    Y(gears[k].coordinate, static_cast<Eigen::Index>(k)) = net(gears[k].motor);
}

}  // namespace ulna
