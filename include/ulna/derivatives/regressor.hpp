#pragma once

#include "ulna/dynamics/kinematics.hpp"

/// Regressors: torques, wrenches, energy and momentum as linear functions of the parameters that
/// identification is after. π holds ten numbers per moving body, as Plant::set_inertial takes them.
namespace ulna {

/// A row is an equation, a column a parameter; rows in one piece, to be stacked over samples.
template <class T>
using RowMatX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using OutRows = Eigen::Ref<RowMatX<T>>;

/// Made once, it allocates no more.
template <Scalar T>
class Regressor {
 public:
  explicit Regressor(const Model& model);

  /// Y (nv x 10 joint_count) with Y π = tau of inverse dynamics, friction and rotors aside
  /// [Atkeson, An, Hollerbach 1986].
  void torque(In<T> q, In<T> v, In<T> a, OutRows<T> Y);

  /// W (6 x 10 joint_count) with W π = the wrench through the joint of a body, in the user's frame of
  /// the body, as a six-axis sensor there measures it; of body 0, what the base must hold, in the
  /// world, its own weight aside.
  void wrench(int body, In<T> q, In<T> v, In<T> a, OutRows<T> W);

  /// Y (1 x 10 joint_count) with Y π = kinetic and potential energy. No acceleration is needed: along
  /// a motion, the energy grows by the work of the torques.
  void energy(In<T> q, In<T> v, Out<T> Y);

  /// Y (nv x 10 joint_count) with Y π = M v, the generalised momentum, and Y_rate π = what of its
  /// rate is not torque: d(M v)/dt = tau + Y_rate π, that is C'v - g.
  void momentum(In<T> q, In<T> v, OutRows<T> Y, OutRows<T> Y_rate);

  /// X (nv x 4): what the joints resist with per unit of damping, friction, negative friction and
  /// armature of their own.
  static void resistance(In<T> v, In<T> a, OutRows<T> X);

  /// What torque() writes, block by block, for those who put it elsewhere: calls use(row, body, ten)
  /// with the ten numbers of a body in the row of each coordinate that moves it. All other blocks are zero. With mimicking joints there may be several of one row
  /// and body, to be added.
  template <class Use>
  void each_torque_block(In<T> q, In<T> v, In<T> a, Use use);

 private:
  /// Per unit of a body's ten parameters, the wrench it needs, in the user's frame at its origin; two
  /// columns are idle, so that a row is whole SIMD registers.
  using BodyRegressor = Eigen::Matrix<T, 6, 12, Eigen::RowMajor>;
  struct Body {
    lanes::Turn<T> R;  ///< world from user's frame
    lanes::V6<T> A;    ///< spatial acceleration, against gravity
  };

  void set(In<T> q, In<T> v);
  /// Of one body, parents first: all that is kept of it, and W_.
  void place(int body, const T* a);
  /// A motion (w, v), told at the state's `origin`, as the user's frame of a body sees it.
  lanes::V6<T> seen(int body, const lanes::V3<T>& w, const lanes::V3<T>& v) const;

  /// Where a body's parameters begin in a row.
  static T* at(OutRows<T>& Y, int row, int body) {
    return Y.data() + row * Y.outerStride() + 10 * (body - 1);
  }
  void require_columns(const char* what, const OutRows<T>& Y, Eigen::Index rows) const;

  State<T> state_;
  std::vector<Body> bodies_;
  std::vector<lanes::M3<T>> R_CB_;
  BodyRegressor W_;  ///< of the body that was placed last
};

}  // namespace ulna
