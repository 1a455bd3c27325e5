#pragma once

#include "ulna/dynamics/joint_kernels.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/dynamics/motion_impl.hpp"

namespace ulna {

template <Scalar T>
Kinematics<T>::Kinematics(Model model)
    : motion_(std::move(model)),
      origin_(Vec3<T>::Zero()),
      R_(this->model().body_count()),
      p_(R_.size()),
      V_(R_.size(), lanes::V6<T>::zero()),
      first_(R_.size() + 1) {
  const std::span<const Joint> joints = this->model().joints();
  for (int b = 1; b < static_cast<int>(joints.size()); ++b) {
    first_[b] = static_cast<int>(directions_.size());
    for (int k = 0; k < velocity_size(joints[b].type); ++k) {
      const int own = static_cast<int>(directions_.size());
      // a joint's own directions follow each other; the first follows the last of the joint above
      const int above = k > 0 ? own - 1 : first_[joints[b].parent + 1] - 1;
      const int run = above >= 0 && above == own - 1 ? directions_[above].run : own;
      directions_.push_back({{}, {}, b, joints[b].v + k, above, run});
    }
    first_[b + 1] = static_cast<int>(directions_.size());
  }
  place_bodies();
}

template <Scalar T>
void Kinematics<T>::set(In<T> q) {
  const bool moved = motion_.moves();
  set_motion(q);
  place_bodies();
  if (moved) move_bodies();
}

template <Scalar T>
void Kinematics<T>::set(In<T> q, In<T> v) {
  set_motion(q, v);
  place_bodies();
  move_bodies();
}

template <Scalar T>
void Kinematics<T>::set(In<T> q, In<T> v, In<T> a) {
  set_motion(q, v, a);
  place_bodies();
  move_bodies();
}

template <Scalar T>
template <class... Vectors>
[[gnu::always_inline]] inline void Kinematics<T>::set_motion(const Vectors&... q_v_a) {
  try {
    motion_.set(q_v_a...);
  } catch (...) {
    // the bodies follow the motion, which is neutral now
    place_bodies();
    move_bodies();
    throw;
  }
}

template <Scalar T>
void Kinematics<T>::place_bodies() {
  const std::span<const Joint> joints = model().joints();
  const detail::Skeleton<T>& skeleton = motion_.skeleton();
  const int n = static_cast<int>(joints.size());
  R_[0] = lanes::M3<T>(Mat3<T>(Mat3<T>::Identity()));
  p_[0] = lanes::V3<T>::zero();
  for (int b = 1; b < n; ++b) {
    const Joint& j = joints[b];
    const lanes::M3<T>& R_P = R_[j.parent];
    if (detail::turns_only(j.type)) {
      R_[b] =
          R_P * skeleton.places[b].turn.matrix(skeleton.sine[j.tree_q], skeleton.cosine[j.tree_q]);
      p_[b] = p_[j.parent] + R_P * skeleton.places[b].p;
    } else {
      lanes::Turn<T> R;
      lanes::V3<T> p;
      detail::place_other(j, skeleton, b, motion_.tree_q(), R, p);
      R_[b] = R_P * R.R;
      p_[b] = p_[j.parent] + R_P * p;
    }
    // the first body marks the origin, from which all others are measured
    if (b == 1) origin_ = p_[1].vec(), p_[0] = -p_[1], p_[1] = lanes::V3<T>::zero();
    detail::joint_directions(j, R_[b], p_[b], directions_.data() + first_[b]);
  }
}

template <Scalar T>
void Kinematics<T>::move_bodies() {
  const std::span<const Joint> joints = model().joints();
  for (std::size_t b = 1; b < joints.size(); ++b) {
    lanes::V6<T> V = V_[joints[b].parent];
    for (const Direction& d : directions(static_cast<int>(b))) V += d.axis() * v()(d.dof);
    V_[b] = V;
  }
}

namespace detail {

/// The spatial acceleration of a body whose parent accelerates by A_P, in world axes: a joint's
/// directions are carried by its body, so that what velocities add is V_P x V.
template <Scalar T>
[[gnu::always_inline]] inline lanes::V6<T> accelerated(const Kinematics<T>& at, int parent, int b,
                                                       const lanes::V6<T>& A_P, const T* a) {
  lanes::V6<T> A = plus_cross(A_P, at.w(parent), at.u(parent), at.w(b), at.u(b));
  if (a)
    for (const auto& d : at.directions(b)) A += d.axis() * a[d.dof];
  return A;
}

}  // namespace detail

template <Scalar T>
Twist<T> Kinematics<T>::A(int body) const {
  lanes::V6<T> sum = lanes::V6<T>::zero();
  for (int b = body; b > 0; b = model().joint(b).parent)
    sum = detail::accelerated(*this, model().joint(b).parent, b, sum, a().data());
  return {sum.angular.vec(), sum.linear.vec()};
}

template <Scalar T>
Transform<T> Kinematics<T>::pose(int body) const {
  const Mat3<T> R =
      R_[body].mat() * model().joint(body).R_BC.matrix().transpose().template cast<T>();
  return {Rotation<T>::from_matrix(R), origin_ + p_[body].vec()};
}

template <Scalar T>
Transform<T> Kinematics<T>::pose(const Frame& frame) const {
  return pose(frame.body) * detail::cast<T>(frame.X_BF);
}

namespace detail {

/// Calls use(direction) with all that move a body, the nearest first.
template <Scalar T, class F>
void each_above(const Kinematics<T>& at, int body, F use) {
  const auto all = at.directions();
  const auto own = at.directions(body);
  for (int k = own.empty() ? -1 : static_cast<int>(&own.back() - all.data()); k >= 0;
       k = all[k].above)
    use(all[k]);
}

/// Of two directions above one body: whether k carries i along, as i is of its joint or hangs on it.
template <class Direction>
bool carries(const Direction& k, const Direction& i) {
  return k.body <= i.body;
}

/// Where a frame is from `origin`: not by way of the world's origin, which may be far.
template <Scalar T>
lanes::V3<T> place_from_origin(const Kinematics<T>& at, const Frame& frame) {
  const Vec3<double> p_CF =
      at.model().joint(frame.body).R_BC.inverse_apply(frame.X_BF.translation());
  return at.p(frame.body) + at.R(frame.body) * lanes::V3<T>(Vec3<T>(p_CF.template cast<T>()));
}

/// A twist at `origin` in world axes, in the axes and at the point asked for.
template <Scalar T>
Twist<T> in_axes(const Kinematics<T>& at, const Frame& frame, Axes axes, const Twist<T>& V) {
  if (axes == Axes::world) return V.at(-at.origin());
  const Twist<T> aligned = V.at(place_from_origin(at, frame).vec());
  if (axes == Axes::aligned) return aligned;
  const Rotation<T> R_WF = at.pose(frame).rotation();
  return {R_WF.inverse_apply(aligned.angular), R_WF.inverse_apply(aligned.linear)};
}

template <Scalar T>
Twist<T> in_axes_rate(const Kinematics<T>& at, const Frame& frame, Axes axes, const Twist<T>& A) {
  Twist<T> rate = in_axes(at, frame, axes, A);
  // the point of an aligned twist moves with the frame
  if (axes == Axes::aligned) {
    const Twist<T> V = in_axes(at, frame, axes, at.V(frame.body));
    rate.linear += cross(V.angular, V.linear);
  }
  return rate;
}

}  // namespace detail

template <Scalar T>
Twist<T> frame_velocity(const Kinematics<T>& at, const Frame& frame, Axes axes) {
  return detail::in_axes(at, frame, axes, at.V(frame.body));
}

template <Scalar T>
Twist<T> frame_acceleration(const Kinematics<T>& at, const Frame& frame, Axes axes) {
  return detail::in_axes_rate(at, frame, axes, at.A(frame.body));
}

template <Scalar T>
Twist<T> frame_drift(const Kinematics<T>& at, const Frame& frame, Axes axes) {
  Twist<T> A;
  for (int b = frame.body; b > 0; b = at.model().joint(b).parent)
    for (const auto& d : at.directions(b)) A += cross(at.V(b), d.twist()) * at.v()(d.dof);
  return detail::in_axes_rate(at, frame, axes, A);
}

template <Scalar T>
void frame_jacobian(const Kinematics<T>& at, const Frame& frame, Axes axes, OutMatrix<T> J) {
  const Model& model = at.model();
  detail::require_shape("J", J.rows(), J.cols(), 6, model.nv(), model);
  // a twist at another point, in other axes: R'(w, v + w x p)
  const Rotation<double>& R_BC = model.joint(frame.body).R_BC;
  lanes::V3<T> p(Vec3<T>(-at.origin()));
  if (axes != Axes::world) p = detail::place_from_origin(at, frame);
  lanes::Turn<T> R;
  if (axes == Axes::local)
    R = lanes::Turn<T>::from(
        at.R(frame.body) *
        lanes::M3<T>(
            Mat3<T>((R_BC.inverse() * frame.X_BF.rotation()).matrix().template cast<T>())));
  const auto all = at.directions();
  const auto own = at.directions(frame.body);
  // walking up, coordinates fall, and those passed over do not move the frame; but where joints mimic
  // others a coordinate may have several directions, in any order
  const bool mimics = model.has_mimics();
  if (mimics) J.setZero();
  Eigen::Index done = model.nv();
  for (int k = own.empty() ? -1 : static_cast<int>(&own.back() - all.data()); k >= 0;
       k = all[k].above) {
    const auto& d = all[k];
    lanes::V3<T> w = d.w, v = d.v + cross(d.w, p);
    if (axes == Axes::local) w = R.back(w), v = R.back(v);
    T* column = J.data() + d.dof * J.outerStride();
    if (mimics) {
      for (int i = 0; i < 3; ++i) column[i] += w[i], column[3 + i] += v[i];
    } else {
      while (--done > d.dof) J.col(done).setZero();
      for (int i = 0; i < 3; ++i) column[i] = w[i], column[3 + i] = v[i];
    }
  }
  if (!mimics) J.leftCols(done).setZero();
}

namespace detail {

/// A wrench on a frame, in world axes about `origin`.
template <Scalar T>
Wrench<T> at_origin(const Kinematics<T>& at, const ExternalWrench<T>& given) {
  if (given.axes == Axes::world) return given.wrench.at(at.origin());
  Wrench<T> F = given.wrench;
  if (given.axes == Axes::local) {
    const Rotation<T> R_WF = at.pose(*given.frame).rotation();
    F = {R_WF * F.moment, R_WF * F.force};
  }
  return F.at(-place_from_origin(at, *given.frame).vec());
}

}  // namespace detail

template <Scalar T>
void add_wrench_torque(const Kinematics<T>& at, const ExternalWrench<T>& wrench, Out<T> tau) {
  detail::require_size("tau", tau.size(), at.model().nv(), at.model());
  detail::check_wrenches<T>({&wrench, 1}, at.model());
  const Wrench<T> F = detail::at_origin(at, wrench);
  for (int b = wrench.frame->body; b > 0; b = at.model().joint(b).parent)
    for (const auto& d : at.directions(b)) tau(d.dof) += dot(d.twist(), F);
}

}  // namespace ulna
