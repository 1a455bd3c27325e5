#pragma once

#include "ulna/classic/chain_impl.hpp"
#include "ulna/classic/newton_euler.hpp"

namespace ulna::classic {
namespace detail {

/// The letters of 002, sec. 3.3, for one link.
template <Scalar T>
struct Moving {
  Vec3<T> w = Vec3<T>::Zero(), wd = Vec3<T>::Zero();  ///< angular velocity and acceleration
  Vec3<T> vd = Vec3<T>::Zero();                       ///< acceleration of the frame's origin
  Vec3<T> F = Vec3<T>::Zero(), N = Vec3<T>::Zero();   ///< what moves the link
};

template <Scalar T>
void require_motion(const Chain<T>& chain, const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) {
  chain.require_size("q", q.size());
  chain.require_size("v", v.size());
  chain.require_size("a", a.size());
}

}  // namespace detail

template <Scalar T>
VecX<T> NewtonEulerBase<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                                             const Load<T>& load) const {
  detail::require_motion(chain_, q, v, a);
  const int n = chain_.joint_count();
  std::vector<detail::Moving<T>> links(n + 1);
  std::vector<Rotation<T>> R(n + 1);                  // ⁰R_i
  std::vector<Vec3<T>> z(n + 1), p(n + 1), s(n + 1);  // z_i, p_i* and s̄_i
  z[0] = Vec3<T>(T(0), T(0), T(1));
  // the base accelerates against gravity, so that every link feels its weight
  links[0].vd = -chain_.gravity;

  // forward: velocities and accelerations, then what moves each link
  for (int i = 1; i <= n; ++i) {
    const ChainLink<T>& link = chain_.link(i);
    const detail::Moving<T>& before = links[i - 1];
    detail::Moving<T>& here = links[i];
    const Transform<T> A = link.A(q(i - 1));
    R[i] = i == 1 ? A.rotation() : R[i - 1] * A.rotation();
    p[i] = i == 1 ? A.translation() : R[i - 1] * A.translation();
    s[i] = R[i] * link.s;
    z[i] = R[i].matrix().col(2);
    const Vec3<T> zv = z[i - 1] * v(i - 1), za = z[i - 1] * a(i - 1);

    here.w = link.slides ? before.w : Vec3<T>(before.w + zv);
    here.wd = link.slides ? before.wd : Vec3<T>(before.wd + za + cross(before.w, zv));
    here.vd = cross(here.wd, p[i]) + cross(here.w, cross(here.w, p[i])) + before.vd;
    if (link.slides) here.vd += za + T(2) * cross(here.w, zv);

    const Vec3<T> at_com = cross(here.wd, s[i]) + cross(here.w, cross(here.w, s[i])) + here.vd;
    const Mat3<T> I = R[i].matrix() * link.I * R[i].matrix().transpose();
    here.F = link.mass * at_com;
    here.N = I * here.wd + cross(here.w, Vec3<T>(I * here.w));
  }

  // backward: what each joint transmits, and the part of it along its axis
  VecX<T> tau(n);
  Vec3<T> f = R[n] * load.hand.force, m = R[n] * load.hand.moment;
  for (int i = n; i >= 1; --i) {
    m += cross(p[i], f) + cross(Vec3<T>(p[i] + s[i]), links[i].F) + links[i].N;
    f += links[i].F;
    tau(i - 1) = (chain_.link(i).slides ? f : m).dot(z[i - 1]);
    if (load.damping) tau(i - 1) += chain_.link(i).damping * v(i - 1);
  }
  return tau;
}

template <Scalar T>
VecX<T> NewtonEulerLink<T>::inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a,
                                             const Load<T>& load) const {
  detail::require_motion(chain_, q, v, a);
  const int n = chain_.joint_count();
  std::vector<detail::Moving<T>> links(n + 1);
  std::vector<Rotation<T>> R(n + 2);  // ⁱ⁻¹R_i
  std::vector<Vec3<T>> p(n + 1);      // ⁱp_i*
  links[0].vd = -chain_.gravity;

  // forward (steps N1 to N3)
  for (int i = 1; i <= n; ++i) {
    const ChainLink<T>& link = chain_.link(i);
    const detail::Moving<T>& before = links[i - 1];
    detail::Moving<T>& here = links[i];
    R[i] = link.R(q(i - 1));
    const Vec3<T> z = R[i].matrix().row(2).transpose();  // z_{i-1}, constant in frame i
    p[i] = link.slides ? Vec3<T>(link.p + z * q(i - 1)) : link.p;

    if (link.slides) {
      here.w = R[i].inverse_apply(before.w);
      here.wd = R[i].inverse_apply(before.wd);
      here.vd = R[i].inverse_apply(before.vd) + z * a(i - 1) +
                T(2) * cross(here.w, Vec3<T>(z * v(i - 1)));
    } else {
      const T &wx = before.w.x(), &wy = before.w.y();  // w x z_0 q̇ has two elements
      here.w = R[i].inverse_apply(Vec3<T>(wx, wy, before.w.z() + v(i - 1)));
      here.wd = R[i].inverse_apply(Vec3<T>(
          before.wd.x() + wy * v(i - 1), before.wd.y() - wx * v(i - 1), before.wd.z() + a(i - 1)));
      here.vd = R[i].inverse_apply(before.vd);
    }
    here.vd += cross(here.wd, p[i]) + cross(here.w, cross(here.w, p[i]));
    const Vec3<T> at_com = cross(here.wd, link.s) + cross(here.w, cross(here.w, link.s)) + here.vd;
    here.F = link.mass * at_com;
    here.N = link.I * here.wd + cross(here.w, Vec3<T>(link.I * here.w));
  }

  // backward (steps N4 to N6)
  VecX<T> tau(n);
  Vec3<T> f = load.hand.force, m = load.hand.moment;
  for (int i = n; i >= 1; --i) {
    const ChainLink<T>& link = chain_.link(i);
    if (i < n) f = R[i + 1] * f, m = R[i + 1] * m;
    m += cross(p[i], f) + cross(Vec3<T>(p[i] + link.s), links[i].F) + links[i].N;
    f += links[i].F;
    tau(i - 1) = (link.slides ? f : m).dot(Vec3<T>(R[i].matrix().row(2).transpose()));
    if (load.damping) tau(i - 1) += link.damping * v(i - 1);
  }
  return tau;
}

}  // namespace ulna::classic
