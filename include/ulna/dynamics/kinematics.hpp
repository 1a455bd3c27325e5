#pragma once

#include "ulna/dynamics/external_wrench.hpp"
#include "ulna/dynamics/motion.hpp"

namespace ulna {

/// A Motion and what follows from it for all bodies: poses, velocities, accelerations and the directions
/// in which the joints can move them. It carries its own q, v and a, so nothing in it can be stale, and
/// serves wherever a Motion is asked for.
///
///     Kinematics<double> at(model);
///     at.set(q, v);
///     mass_matrix(plant, at, ws, M);
template <Scalar T>
class Kinematics {
 public:
  explicit Kinematics(Model model);

  void set(In<T> q);
  void set(In<T> q, In<T> v);
  void set(In<T> q, In<T> v, In<T> a);

  const Motion<T>& motion() const { return motion_; }
  operator const Motion<T>&() const { return motion_; }
  const Model& model() const { return motion_.model(); }
  const VecX<T>& q() const { return motion_.q(); }
  const VecX<T>& v() const { return motion_.v(); }
  const VecX<T>& a() const { return motion_.a(); }

  /// The pose of a frame, or of a body's frame, in the world.
  Transform<T> pose(const Frame& frame) const;
  Transform<T> pose(int body) const;

  // --- for algorithms: world axes, moments and velocities at the point `origin` ---

  /// A direction in which a joint can move: the body it moves, the coordinate that moves it, and the
  /// twist of the body per unit of that coordinate's velocity, at `origin`. A joint that mimics another
  /// has directions of its own, of the other's coordinate.
  struct Direction {
    lanes::V3<T> w, v;
    int body, dof;
    int above;  ///< the next direction on the way to the base, -1 at its end
    int run;    ///< the first of the directions that lead up from this one without a gap

    Twist<T> twist() const { return {w.vec(), v.vec()}; }
    lanes::V6<T> axis() const { return {w, v}; }
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

  /// The twist of a body, and its angular and linear part.
  const lanes::V6<T>& velocity(int body) const { return V_[body]; }
  const lanes::V3<T>& w(int body) const { return V_[body].angular; }
  const lanes::V3<T>& u(int body) const { return V_[body].linear; }
  Twist<T> V(int body) const { return {w(body).vec(), u(body).vec()}; }
  /// The spatial acceleration of a body, without gravity. O(depth of the body).
  Twist<T> A(int body) const;

 private:
  template <class... Vectors>
  void set_motion(const Vectors&... q_v_a);
  void place_bodies();
  void move_bodies();

  Motion<T> motion_;
  Vec3<T> origin_;
  std::vector<lanes::M3<T>> R_;
  std::vector<lanes::V3<T>> p_;
  std::vector<lanes::V6<T>> V_;
  std::vector<Direction> directions_;
  std::vector<int> first_;  ///< where a body's directions begin
};

/// The twist of a frame.
template <Scalar T>
Twist<T> frame_velocity(const Kinematics<T>& at, const Frame& frame, Axes axes);

/// The rate of change of frame_velocity in the same axes: with Axes::aligned, the angular
/// acceleration and the acceleration of the frame's origin.
template <Scalar T>
Twist<T> frame_acceleration(const Kinematics<T>& at, const Frame& frame, Axes axes);

/// J (6 x nv, angular rows first) with frame_velocity = J v.
template <Scalar T>
void frame_jacobian(const Kinematics<T>& at, const Frame& frame, Axes axes, OutMatrix<T> J);

/// dJ/dt v: what of frame_acceleration is due to velocity.
template <Scalar T>
Twist<T> frame_drift(const Kinematics<T>& at, const Frame& frame, Axes axes);

/// The torques a wrench on a frame is worth: J'F.
template <Scalar T>
void add_wrench_torque(const Kinematics<T>& at, const ExternalWrench<T>& wrench, Out<T> tau);

}  // namespace ulna
