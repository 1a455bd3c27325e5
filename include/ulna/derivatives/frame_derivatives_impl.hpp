#pragma once

#include "ulna/derivatives/frame_derivatives.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"

namespace ulna {
template <Scalar T>
void frame_jacobian_rate(const Kinematics<T>& at, const Frame& frame, Axes axes,
                         OutMatrix<T> J_rate) {
  detail::require_shape("J_rate", J_rate.rows(), J_rate.cols(), 6, at.model().nv(), at.model());
  J_rate.setZero();
  const Twist<T> V = at.V(frame.body);
  const Vec3<T> moving = frame_velocity(at, frame, Axes::aligned).linear;
  detail::each_above(at, frame.body, [&](const auto& d) {
    const Twist<T> S = d.twist();
    Twist<T> rate = cross(at.V(d.body), S);
    if (axes == Axes::local) rate -= cross(V, S);
    rate = detail::in_axes(at, frame, axes, rate);
    // the point of an aligned twist moves with the frame
    if (axes == Axes::aligned) rate.linear += cross(S.angular, moving);
    J_rate.col(d.dof) += rate.vector();
  });
}

template <Scalar T>
void frame_hessian(const Kinematics<T>& at, const Frame& frame, Axes axes, OutMatrix<T> H) {
  const int nv = at.model().nv();
  detail::require_shape("H", H.rows(), H.cols(), 6, static_cast<Eigen::Index>(nv) * nv, at.model());
  H.setZero();
  const Vec3<T> r = detail::place_from_origin(at, frame).vec();
  detail::each_above(at, frame.body, [&](const auto& k) {
    const Twist<T> S_k = k.twist();
    detail::each_above(at, frame.body, [&](const auto& i) {
      const Twist<T> S = i.twist();
      Twist<T> change;
      if (detail::carries(k, i)) change += cross(S_k, S);
      if (axes == Axes::local) change -= cross(S_k, S);
      change = detail::in_axes(at, frame, axes, change);
      if (axes == Axes::aligned) change.linear += cross(S.angular, S_k.at(r).linear);
      H.col(k.dof * nv + i.dof) += change.vector();
    });
  });
}

template <Scalar T>
void frame_motion_derivatives(const Kinematics<T>& at, const Frame& frame, Axes axes,
                              OutMatrix<T> velocity_dq, OutMatrix<T> acceleration_dq,
                              OutMatrix<T> acceleration_dv) {
  const Model& model = at.model();
  detail::require_shape("velocity_dq", velocity_dq.rows(), velocity_dq.cols(), 6, model.nv(),
                        model);
  detail::require_shape("acceleration_dq", acceleration_dq.rows(), acceleration_dq.cols(), 6,
                        model.nv(), model);
  detail::require_shape("acceleration_dv", acceleration_dv.rows(), acceleration_dv.cols(), 6,
                        model.nv(), model);
  velocity_dq.setZero(), acceleration_dq.setZero(), acceleration_dv.setZero();
  const Twist<T> V = at.V(frame.body), A = at.A(frame.body);
  const Vec3<T> r = detail::place_from_origin(at, frame).vec();
  const Vec3<T> u = V.at(r).linear;
  detail::each_above(at, frame.body, [&](const auto& d) {
    // the motion changes by x and y + x x V, apart from being carried along
    const int parent = model.joint(d.body).parent;
    const Twist<T> S = d.twist(), V_P = at.V(parent);
    const Twist<T> x = cross(V_P, S), y = cross(at.A(parent), S) + cross(V_P, x);
    Twist<T> dV = x, dA = y + cross(x, V), dA_dv = x + cross(at.V(d.body), S) + cross(S, V);
    if (axes != Axes::local) dV += cross(S, V), dA += cross(S, A);
    Twist<T> velocity = detail::in_axes(at, frame, axes, dV),
             by_q = detail::in_axes(at, frame, axes, dA),
             by_v = detail::in_axes(at, frame, axes, dA_dv);
    if (axes == Axes::aligned) {
      // the frame's origin moves, and its acceleration is a + alpha x r + w x u with u = v + w x r
      const Vec3<T> r_moved = S.at(r).linear;
      velocity.linear += cross(V.angular, r_moved);
      by_q.linear +=
          cross(A.angular, r_moved) + cross(dV.angular, u) + cross(V.angular, velocity.linear);
      by_v.linear += cross(S.angular, u) + cross(V.angular, r_moved);
    }
    velocity_dq.col(d.dof) += velocity.vector();
    acceleration_dq.col(d.dof) += by_q.vector();
    acceleration_dv.col(d.dof) += by_v.vector();
  });
}

}  // namespace ulna
