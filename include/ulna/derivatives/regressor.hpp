#pragma once

#include "ulna/dynamics/kinematics.hpp"

/// Regressors: torques, wrenches, energy and momentum as linear functions of the parameters that
/// identification is after. π holds ten numbers per moving body, as Plant::set_inertial takes them.
namespace ulna {

/// A row is an equation, a column a parameter; rows in one piece, to be stacked over samples.
template <class T>
using RowMatX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using OutRows = std::type_identity_t<Eigen::Ref<RowMatX<T>>>;

/// Scratch for regressors.
template <Scalar T>
class RegressorWorkspace {
 public:
  explicit RegressorWorkspace(const Model& model);

  /// Per unit of a body's ten parameters, the wrench it needs, in the user's frame at its origin; two
  /// columns are idle, so that a row is whole SIMD registers.
  using BodyRegressor = Eigen::Matrix<T, 6, 12, Eigen::RowMajor>;
  struct Body {
    lanes::Turn<T> R;  ///< world from user's frame
    lanes::V6<T> A;    ///< spatial acceleration, against gravity
  };

  std::vector<Body> bodies;
  std::vector<lanes::M3<T>> R_CB;
  BodyRegressor W;  ///< of the body that was placed last
};

/// Y (nv x 10 joint_count) with Y π = tau of inverse dynamics, friction and rotors aside
/// [Atkeson, An, Hollerbach 1986].
template <Scalar T>
void torque_regressor(const Kinematics<T>& at, RegressorWorkspace<T>& ws, OutRows<T> Y);

/// The same block by block, for those who put it elsewhere: calls use(row, body, ten) with the ten
/// numbers of a body in the row of each coordinate that moves it. All other blocks are zero. With
/// mimicking joints there may be several of one row and body, to be added.
template <Scalar T, class Use>
void each_torque_block(const Kinematics<T>& at, RegressorWorkspace<T>& ws, Use use);

/// W (6 x 10 joint_count) with W π = the wrench through the joint of a body, in the user's frame of
/// the body, as a six-axis sensor there measures it; of body 0, what the base must hold, in the
/// world, its own weight aside.
template <Scalar T>
void wrench_regressor(const Kinematics<T>& at, int body, RegressorWorkspace<T>& ws, OutRows<T> W);

/// Y (1 x 10 joint_count) with Y π = kinetic and potential energy. No acceleration is needed: along
/// a motion, the energy grows by the work of the torques.
template <Scalar T>
void energy_regressor(const Kinematics<T>& at, RegressorWorkspace<T>& ws, Out<T> Y);

/// Y (nv x 10 joint_count) with Y π = M v, the generalised momentum, and Y_rate π = what of its
/// rate is not torque: d(M v)/dt = tau + Y_rate π, that is C'v - g.
template <Scalar T>
void momentum_regressor(const Kinematics<T>& at, RegressorWorkspace<T>& ws, OutRows<T> Y,
                        OutRows<T> Y_rate);

}  // namespace ulna
