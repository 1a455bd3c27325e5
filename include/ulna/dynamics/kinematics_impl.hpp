#pragma once

#include "ulna/dynamics/joint_kernels.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

template <Scalar T>
Configuration<T>::Configuration(Model model)
    : model_(std::move(model)),
      q_(neutral(model_).template cast<T>()),
      origin_(Vec3<T>::Zero()),
      skeleton_(model_),
      R_(model_.body_count()),
      p_(model_.body_count()),
      first_(model_.body_count() + 1) {
  for (int b = 1; b < model_.body_count(); ++b) {
    first_[b] = static_cast<int>(directions_.size());
    const Joint& j = model_.joint(b);
    for (int k = 0; k < velocity_size(j.type); ++k) {
      const int above = k > 0 ? first_[b] + k - 1
                        : j.parent > 0
                            ? first_[j.parent] + velocity_size(model_.joint(j.parent).type) - 1
                            : -1;
      directions_.push_back({{}, {}, b, j.v + k, above});
    }
  }
  first_[model_.body_count()] = static_cast<int>(directions_.size());
  place_bodies();
}

template <Scalar T>
void Configuration<T>::set(In<T> q) {
  detail::require<T>("q", q, model_.nq(), model_);
  q_ = q;
  place_bodies();
}

template <Scalar T>
void Configuration<T>::place_bodies() {
  const std::span<const Joint> joints = model_.joints();
  const int n = static_cast<int>(joints.size());
  detail::joint_angles(joints, q_.data(), skeleton_);
  R_[0] = lanes::M3<T>(Mat3<T>(Mat3<T>::Identity()));
  p_[0] = lanes::V3<T>::zero();
  for (int b = 1; b < n; ++b) {
    const Joint& j = joints[b];
    const lanes::M3<T>& R_P = R_[j.parent];
    if (detail::turns_only(j.type)) {
      R_[b] = R_P * skeleton_.places[b].turn.matrix(skeleton_.sine[b], skeleton_.cosine[b]);
      p_[b] = p_[j.parent] + R_P * skeleton_.places[b].p;
    } else {
      lanes::Turn<T> R;
      lanes::V3<T> p;
      detail::place_other(j, skeleton_, b, q_.data(), R, p);
      R_[b] = R_P * R.R;
      p_[b] = p_[j.parent] + R_P * p;
    }
    // the first body marks the origin, from which all others are measured
    if (b == 1) origin_ = p_[1].vec(), p_[0] = -p_[1], p_[1] = lanes::V3<T>::zero();
    detail::joint_directions(j, R_[b], p_[b], directions_.data() + first_[b]);
  }
}

template <Scalar T>
Transform<T> Configuration<T>::pose(int body) const {
  const Mat3<T> R =
      R_[body].mat() * model_.joint(body).R_BC.matrix().transpose().template cast<T>();
  return {Rotation<T>::from_matrix(R), origin_ + p_[body].vec()};
}

template <Scalar T>
Transform<T> Configuration<T>::pose(const Frame& frame) const {
  return pose(frame.body) * detail::cast<T>(frame.X_BF);
}

template <Scalar T>
State<T>::State(Model model)
    : Configuration<T>(std::move(model)),
      v_(VecX<T>::Zero(this->model_.nv())),
      w_(this->model_.body_count(), lanes::V3<T>::zero()),
      u_(w_) {}

template <Scalar T>
void State<T>::set(In<T> q, In<T> v) {
  detail::require<T>("v", v, this->model_.nv(), this->model_);
  Configuration<T>::set(q);
  v_ = v;
  move_bodies();
}

template <Scalar T>
void State<T>::move_bodies() {
  const std::span<const Joint> joints = this->model_.joints();
  for (std::size_t b = 1; b < joints.size(); ++b) {
    w_[b] = w_[joints[b].parent];
    u_[b] = u_[joints[b].parent];
    for (const auto& d : this->directions(static_cast<int>(b))) {
      w_[b] += d.w * v_(d.dof);
      u_[b] += d.v * v_(d.dof);
    }
  }
}

template <Scalar T>
Motion<T>::Motion(Model model)
    : State<T>(std::move(model)),
      a_(VecX<T>::Zero(this->model_.nv())),
      A_(this->model_.body_count()) {}

template <Scalar T>
void Motion<T>::set(In<T> q, In<T> v, In<T> a) {
  detail::require<T>("a", a, this->model_.nv(), this->model_);
  State<T>::set(q, v);
  a_ = a;
  for (int b = 1; b < this->model_.body_count(); ++b) {
    A_[b] = A_[this->model_.joint(b).parent];
    // a joint's directions ride on its body: their rate of change is V x S
    for (const auto& d : this->directions(b))
      A_[b] += d.twist() * a_(d.dof) + cross(this->V(b), d.twist()) * this->v_(d.dof);
  }
}

namespace detail {

/// Calls use(direction) with all that move a body, the nearest first.
template <Scalar T, class F>
void each_above(const Configuration<T>& at, int body, F use) {
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
lanes::V3<T> place_from_origin(const Configuration<T>& at, const Frame& frame) {
  const Vec3<double> p_CF =
      at.model().joint(frame.body).R_BC.inverse_apply(frame.X_BF.translation());
  return at.p(frame.body) + at.R(frame.body) * lanes::V3<T>(Vec3<T>(p_CF.template cast<T>()));
}

/// What is told at `origin` in world axes, told in the axes asked for.
template <Scalar T>
Twist<T> told(const Configuration<T>& at, const Frame& frame, Axes axes, const Twist<T>& V) {
  if (axes == Axes::world) return V.at(-at.origin());
  const Twist<T> aligned = V.at(place_from_origin(at, frame).vec());
  if (axes == Axes::aligned) return aligned;
  const Rotation<T> R_WF = at.pose(frame).rotation();
  return {R_WF.inverse_apply(aligned.angular), R_WF.inverse_apply(aligned.linear)};
}

template <Scalar T>
Twist<T> told_rate(const State<T>& state, const Frame& frame, Axes axes, const Twist<T>& A) {
  Twist<T> rate = told(state, frame, axes, A);
  // the point of an aligned twist moves with the frame
  if (axes == Axes::aligned) {
    const Twist<T> V = told(state, frame, axes, state.V(frame.body));
    rate.linear += cross(V.angular, V.linear);
  }
  return rate;
}

}  // namespace detail

template <Scalar T>
Twist<T> frame_velocity(const State<T>& state, const Frame& frame, Axes axes) {
  return detail::told(state, frame, axes, state.V(frame.body));
}

template <Scalar T>
Twist<T> frame_acceleration(const Motion<T>& motion, const Frame& frame, Axes axes) {
  return detail::told_rate(motion, frame, axes, motion.A(frame.body));
}

template <Scalar T>
Twist<T> frame_drift(const State<T>& state, const Frame& frame, Axes axes) {
  Twist<T> A;
  for (int b = frame.body; b > 0; b = state.model().joint(b).parent)
    for (const auto& d : state.directions(b)) A += cross(state.V(b), d.twist()) * state.v()(d.dof);
  return detail::told_rate(state, frame, axes, A);
}

template <Scalar T>
void frame_jacobian(const Configuration<T>& at, const Frame& frame, Axes axes, OutMatrix<T> J) {
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
  // walking up, coordinates fall; those passed over do not move the frame. But with mimicking joints
  // a coordinate may have several directions, in any order
  const bool mimics = static_cast<int>(all.size()) > model.nv();
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
Wrench<T> at_origin(const Configuration<T>& at, const ExternalWrench<T>& given) {
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
void add_wrench_torque(const Configuration<T>& at, const ExternalWrench<T>& wrench, Out<T> tau) {
  detail::require_size("tau", tau.size(), at.model().nv(), at.model());
  detail::check_wrenches<T>({&wrench, 1}, at.model());
  const Wrench<T> F = detail::at_origin(at, wrench);
  for (int b = wrench.frame->body; b > 0; b = at.model().joint(b).parent)
    for (const auto& d : at.directions(b)) tau(d.dof) += dot(d.twist(), F);
}

}  // namespace ulna
