#pragma once

#include "ulna/classic/chain.hpp"

namespace ulna::classic {

/// The wrench that the hand exerts on its load, f_{n+1} and n_{n+1} of Fu 1987, at the origin of frame n
/// and in its axes; and whether the joints' viscous damping counts (eq. 3.3-45).
template <Scalar T>
struct Load {
  Wrench<T> hand;
  bool damping = false;
};

namespace detail {

/// The letters of Fu 1987, sec. 3.3, for one link, in any axes.
template <Scalar T>
struct MovingLink {
  Vec3<T> z, p, s;                                    ///< z_{i-1}, p_i* and s̄_i
  Vec3<T> w = Vec3<T>::Zero(), wd = Vec3<T>::Zero();  ///< angular velocity and acceleration
  Vec3<T> vd = Vec3<T>::Zero();                       ///< acceleration of the frame's origin
  Vec3<T> F, N;                                       ///< what moves the link

  /// Of a point at r that moves with the link.
  Vec3<T> acceleration(const Vec3<T>& r) const { return cross(wd, r) + cross(w, cross(w, r)) + vd; }
  void set_wrench(const T& mass, const Mat3<T>& I) {
    F = mass * acceleration(s);
    N = I * wd + cross(w, Vec3<T>(I * w));
  }
  /// From the force and moment that the next joint transmits to those of this one, and the torque
  /// along its axis at the velocity v.
  T transmit(const ChainLink<T>& link, const Load<T>& load, const T& v, Vec3<T>& f,
             Vec3<T>& m) const {
    m += cross(p, f) + cross(Vec3<T>(p + s), F) + N;
    f += F;
    const T along = (link.slides ? f : m).dot(z);
    return load.damping ? along + link.damping * v : along;
  }
};

}  // namespace detail

/// The recursive Newton-Euler equations with all vectors in base coordinates (Fu 1987, Table 3.2, with the
/// sign of gravity and the Coriolis term of sliding joints that it lacks in print). The inertia of each
/// link changes with its orientation.
template <Scalar T>
struct NewtonEulerBase : Chain<T> {
  explicit NewtonEulerBase(Chain<T> chain) : Chain<T>(std::move(chain)) {}

  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                           const Load<T>& load = {}) const {
    const Chain<T>& chain = *this;
    const int n = chain.joint_count();
    detail::require_sizes(n, q, v, a);
    const detail::ChainFrames<T> frames(chain, q);
    std::vector<detail::MovingLink<T>> links(n + 1);
    // the base accelerates against gravity, so that every link has its weight
    links[0].vd = -chain.gravity;

    // forward: velocities and accelerations, then what moves each link
    for (int i = 1; i <= n; ++i) {
      const ChainLink<T>& link = chain.link(i);
      const detail::MovingLink<T>& before = links[i - 1];
      detail::MovingLink<T>& here = links[i];
      here.z = frames.z[i - 1], here.p = frames.p[i], here.s = frames.s[i];
      const Vec3<T> zv = here.z * v(i - 1), za = here.z * a(i - 1);

      here.w = link.slides ? before.w : Vec3<T>(before.w + zv);
      here.wd = link.slides ? before.wd : Vec3<T>(before.wd + za + cross(before.w, zv));
      here.vd = before.vd;
      here.vd = here.acceleration(here.p);
      if (link.slides) here.vd += za + T(2) * cross(here.w, zv);
      const Mat3<T>& R = frames.R[i].matrix();
      here.set_wrench(link.mass, R * link.I * R.transpose());
    }

    // backward: what each joint transmits, and the part of it along its axis
    VecX<T> tau(n);
    Vec3<T> f = frames.R[n] * load.hand.force, m = frames.R[n] * load.hand.moment;
    for (int i = n; i >= 1; --i)
      tau(i - 1) = links[i].transmit(chain.link(i), load, v(i - 1), f, m);
    return tau;
  }
};

/// The same with each link's vectors in its own coordinates, where its inertia and its centre of mass
/// stand still [Luh, Walker, Paul 1980] (Fu 1987, Table 3.3 and Alg. 3.1). Sec. 2 of the overview of dynamics is this recursion
/// with the frames at the near ends of the links.
template <Scalar T>
struct NewtonEulerLink : Chain<T> {
  explicit NewtonEulerLink(Chain<T> chain) : Chain<T>(std::move(chain)) {}

  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                           const Load<T>& load = {}) const {
    const Chain<T>& chain = *this;
    const int n = chain.joint_count();
    detail::require_sizes(n, q, v, a);
    std::vector<detail::MovingLink<T>> links(n + 1);
    std::vector<Rotation<T>> R(n + 2);  // ⁱ⁻¹R_i
    links[0].vd = -chain.gravity;

    // forward (steps N1 to N3)
    for (int i = 1; i <= n; ++i) {
      const ChainLink<T>& link = chain.link(i);
      const detail::MovingLink<T>& before = links[i - 1];
      detail::MovingLink<T>& here = links[i];
      R[i] = link.R(q(i - 1));
      here.z = R[i].matrix().row(2).transpose();  // z_{i-1}, constant in frame i
      here.p = link.slides ? Vec3<T>(link.p + here.z * q(i - 1)) : link.p;
      here.s = link.s;

      here.vd = R[i].inverse_apply(before.vd);
      if (link.slides) {
        here.w = R[i].inverse_apply(before.w);
        here.wd = R[i].inverse_apply(before.wd);
        here.vd += here.z * a(i - 1) + T(2) * cross(here.w, Vec3<T>(here.z * v(i - 1)));
      } else {
        const T &wx = before.w.x(), &wy = before.w.y();  // w x z_0 q̇ has two elements
        here.w = R[i].inverse_apply(Vec3<T>(wx, wy, before.w.z() + v(i - 1)));
        here.wd =
            R[i].inverse_apply(Vec3<T>(before.wd.x() + wy * v(i - 1), before.wd.y() - wx * v(i - 1),
                                       before.wd.z() + a(i - 1)));
      }
      here.vd = here.acceleration(here.p);
      here.set_wrench(link.mass, link.I);
    }

    // backward (steps N4 to N6)
    VecX<T> tau(n);
    Vec3<T> f = load.hand.force, m = load.hand.moment;
    for (int i = n; i >= 1; --i) {
      if (i < n) f = R[i + 1] * f, m = R[i + 1] * m;
      tau(i - 1) = links[i].transmit(chain.link(i), load, v(i - 1), f, m);
    }
    return tau;
  }
};

}  // namespace ulna::classic
