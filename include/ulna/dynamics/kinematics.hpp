#pragma once

#include "ulna/dynamics/arguments.hpp"
#include "ulna/dynamics/external_wrench.hpp"
#include "ulna/dynamics/workspace.hpp"

/// Where a robot is, and how it moves. Each type carries its own q, v, a and what follows from them,
/// so nothing can be stale; what an algorithm needs is the type of its argument, so nothing can be
/// forgotten:
///
///   Configuration   q         poses, joint axes           Jacobians, mass matrix, centre of mass
///   State           q, v      velocities of the bodies    energies, momentum, Coriolis matrix
///   Motion          q, v, a   accelerations               accelerations of frames
///
/// They are made once, which allocates, and set many times, which does not.
namespace ulna {

template <Scalar T>
class Configuration {
 public:
  explicit Configuration(Model model);
  void set(In<T> q);

  const Model& model() const { return model_; }
  const VecX<T>& q() const { return q_; }

  /// The pose of a frame, or of a body's frame, in the world.
  Transform<T> pose(const Frame& frame) const;
  Transform<T> pose(int body) const;

  // --- for algorithms: world axes, moments and velocities at the point `origin` ---

  /// A direction in which a joint can move: the body it moves, the coordinate that moves it, and the
  /// twist of the body per unit of that coordinate's velocity, at `origin`.
  struct Direction {
    lanes::V3<T> w, v;
    int body, dof;
    int above;  ///< the next direction on the way to the base, -1 at its end

    Twist<T> twist() const { return {w.vec(), v.vec()}; }
    lanes::V6<T> motion() const { return {w, v}; }
  };
  /// All of them, body by body, parents first.
  std::span<const Direction> directions() const { return directions_; }
  std::span<const Direction> directions(int body) const {
    return {directions_.data() + first_[body], directions_.data() + first_[body + 1]};
  }
  /// The origin of the first body: close to the robot, wherever in the world it is, so that no
  /// figures are lost in long lever arms.
  const Vec3<T>& origin() const { return origin_; }
  const lanes::M3<T>& R(int body) const { return R_[body]; }  ///< canonical frame in the world
  const lanes::V3<T>& p(int body) const { return p_[body]; }  ///< from `origin`

 protected:
  void place_bodies();

  Model model_;
  VecX<T> q_;
  Vec3<T> origin_;
  detail::Skeleton<T> skeleton_;
  std::vector<lanes::M3<T>> R_;
  std::vector<lanes::V3<T>> p_;
  std::vector<Direction> directions_;
  std::vector<int> first_;  ///< where a body's directions begin
};

template <Scalar T>
class State : public Configuration<T> {
 public:
  explicit State(Model model);
  void set(In<T> q, In<T> v);

  const VecX<T>& v() const { return v_; }
  /// The twist of a body, world axes at `origin`.
  Twist<T> V(int body) const { return {w_[body].vec(), u_[body].vec()}; }
  const lanes::V3<T>& w(int body) const { return w_[body]; }  ///< its angular and
  const lanes::V3<T>& u(int body) const { return u_[body]; }  ///< its linear part
  lanes::V6<T> motion(int body) const { return {w_[body], u_[body]}; }

 protected:
  void move_bodies();

  VecX<T> v_;
  std::vector<lanes::V3<T>> w_, u_;
};

template <Scalar T>
class Motion : public State<T> {
 public:
  explicit Motion(Model model);
  void set(In<T> q, In<T> v, In<T> a);

  const VecX<T>& a() const { return a_; }
  /// The spatial acceleration of a body, world axes at `origin`, without gravity.
  const Twist<T>& A(int body) const { return A_[body]; }

 private:
  VecX<T> a_;
  std::vector<Twist<T>> A_;
};

/// The twist of a frame.
template <Scalar T>
Twist<T> frame_velocity(const State<T>& state, const Frame& frame, Axes axes);

/// The rate of change of frame_velocity in the same axes: with Axes::aligned, the angular
/// acceleration and the acceleration of the frame's origin.
template <Scalar T>
Twist<T> frame_acceleration(const Motion<T>& motion, const Frame& frame, Axes axes);

/// J (6 x nv, angular rows first) with frame_velocity = J v.
template <Scalar T>
void frame_jacobian(const Configuration<T>& at, const Frame& frame, Axes axes, OutMatrix<T> J);

/// dJ/dt v: what of frame_acceleration is due to velocity.
template <Scalar T>
Twist<T> frame_drift(const State<T>& state, const Frame& frame, Axes axes);

/// The torques a wrench on a frame is worth: J'F.
template <Scalar T>
void add_wrench_torque(const Configuration<T>& at, const ExternalWrench<T>& wrench, Out<T> tau);

}  // namespace ulna
