#pragma once

#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/num/dual.hpp"

/// First derivatives of the dynamics of robots with drives (docs/drives.md). By q they are taken along the tangent
/// space, as in derivatives.hpp.
namespace ulna {

/// Of the accelerations of links and motors, a and alpha, by numbers of one kind: a column for each.
template <Scalar T>
struct DriveSlopes {
  MatX<T> a, alpha;
};

/// Derivatives of drive_forward_dynamics, and its results.
template <Scalar T>
struct DriveForwardDerivatives {
  explicit DriveForwardDerivatives(const Model& model);

  VecX<T> a, alpha;
  DriveSlopes<T> q, v, theta, omega;  ///< by coordinate; theta and omega: 0 where rigid
  DriveSlopes<T> tau;                 ///< by motor
  /// By the numbers of Plant::drives, which are 0 where there is no spring, and of motors that are not separate.
  DriveSlopes<T> stiffness, hardening, spring_damping, rotor, inertia, damping;
};

/// Scratch, made once per thread.
template <Scalar T>
class DriveDerivativeWorkspace {
 public:
  explicit DriveDerivativeWorkspace(const Model& model);

  DriveWorkspace<T> drives;
  DerivativeWorkspace<T> links;
  ForwardDynamicsDerivatives<T> rigid;  ///< of the links, with rotors of rigid joints
  Kinematics<T> at;
  VecX<T> rate, rate2;   ///< of motors at their shafts
  MatX<T> M;             ///< where rigid joints are coupled
  MatX<T> B, B_inverse;  ///< of rotors of elastic coordinates, where it is no diagonal
  /// By the torques of springs, s, and by what the motors exert on coordinates, N'(tau - friction).
  DriveSlopes<T> by_spring, by_drive;
};

/// The derivatives of drive_forward_dynamics(plant, at, drives, motor_tau, ws, a, alpha). Springs separate links from rotors: those of
/// the rigid links, and columns of M^-1 times the slopes of springs. Where rigid joints are coupled, M with N'J N is factored.
/// Dry friction has no slope. Throws std::invalid_argument for robots whose rotors are carried by links. Allocates nothing.
template <Scalar T>
[[nodiscard]] bool drive_forward_dynamics_derivatives(const Plant<T>& plant,
                                                      const Kinematics<T>& at,
                                                      const DriveState<T>& drives, In<T> motor_tau,
                                                      DriveDerivativeWorkspace<T>& ws,
                                                      DriveForwardDerivatives<T>& out,
                                                      ExternalWrenches<T> wrenches = {});

/// Of torques and motors' motions by numbers of one kind.
struct DriveTorqueSlopes {
  Eigen::MatrixXd motor, link, theta, omega, alpha;
};

/// Derivatives of drive_inverse_dynamics by the motion of the links.
struct DriveInverseDerivatives {
  explicit DriveInverseDerivatives(const Model& model);

  DriveTorques<double> torques;
  DriveTorqueSlopes q, v, a, jerk, snap;
};

/// Scratch, made once per thread: dual numbers of four directions.
class DriveInverseDerivativeWorkspace {
 public:
  using Direction = Dual<double, 4>;

  explicit DriveInverseDerivativeWorkspace(const Model& model);

  Plant<Direction> plant;
  DriveMotion<Direction> motion;
  DriveWorkspace<Direction> ws;
  DriveTorques<Direction> torques;
  VecX<Direction> q, q_moved, along, v, a, jerk, snap, deflection, inertial;
  Eigen::VectorXd inertial_values;
};

/// The derivatives of drive_inverse_dynamics(plant, motion, ws, out): by dual numbers, four directions at a time, (5 nv + 3)/4
/// inverse dynamics with all rates in all. A deflection that is given stays as it is. Allocates nothing.
void drive_inverse_dynamics_derivatives(const Plant<double>& plant,
                                        const DriveMotion<double>& motion,
                                        DriveInverseDerivativeWorkspace& ws,
                                        DriveInverseDerivatives& out);

}  // namespace ulna
