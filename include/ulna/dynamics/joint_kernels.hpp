#pragma once

#include "ulna/dynamics/motion.hpp"
#include "ulna/dynamics/workspace.hpp"

/// What the recursions do at a joint. Joints that only turn, which most joints do, take a short path that
/// is compiled into the loops; all others go by their motion subspace (joint_motion.hpp), out of line, so
/// that the short path stays short.
namespace ulna::detail {

using lanes::M3;
using lanes::Turn;
using lanes::V3;
using lanes::V6;

// Where a vector is one register, a product across its lanes is best taken by itself; where it is three
// numbers, sums of products are best one chain of multiply-and-adds.

/// to + a x b
template <class T>
[[gnu::always_inline]] inline V3<T> plus_cross(const V3<T>& to, const V3<T>& a, const V3<T>& b) {
  return {to.x + a.y * b.z - a.z * b.y, to.y + a.z * b.x - a.x * b.z, to.z + a.x * b.y - a.y * b.x};
}
template <lanes::Plain T>
[[gnu::always_inline]] inline V3<T> plus_cross(const V3<T>& to, const V3<T>& a, const V3<T>& b) {
  return to + cross(a, b);
}

/// to + (w, u) x (s, v), of motions
template <class T>
[[gnu::always_inline]] inline V6<T> plus_cross(const V6<T>& to, const V3<T>& w, const V3<T>& u,
                                               const V3<T>& s, const V3<T>& v) {
  return {plus_cross(to.angular, w, s), plus_cross(plus_cross(to.linear, w, v), u, s)};
}

/// The spatial acceleration of the world: against gravity, so that the recursions include the weight of
/// every body.
template <Scalar T>
V6<T> world_acceleration(const Vec3<T>& gravity) {
  return {V3<T>::zero(), -V3<T>(gravity)};
}

template <Scalar T, class Direction>
[[gnu::noinline]] void other_directions(const Joint& j, const M3<T>& R, const V3<T>& p,
                                        Direction* direction) {
  for (const SubspaceColumn& S : motion_subspace(j.type)) {
    direction->w = S.turn >= 0 ? R.c[S.turn] : V3<T>::zero();
    direction->v = S.turn >= 0 ? cross(p, R.c[S.turn]) : R.c[S.slide];
    if (S.turn >= 0 && S.slide >= 0) direction->v += R.c[S.slide] * T(j.pitch);
    ++direction;
  }
}

/// The twists of a body per unit velocity of its coordinates, in world axes, for a body at R, p.
template <Scalar T, class Direction>
inline void joint_directions(const Joint& j, const M3<T>& R, const V3<T>& p, Direction* direction) {
  if (turns_only(j.type)) {
    direction->w = R.c[2];
    direction->v = cross(p, R.c[2]);
  } else {
    other_directions(j, R, p, direction);
  }
  if (j.mimics)
    direction->w = direction->w * T(j.multiplier), direction->v = direction->v * T(j.multiplier);
}

/// S v, in the joint's own frame.
template <Scalar T>
V6<T> joint_twist(const Joint& j, const T* v) {
  V6<T> V = V6<T>::zero();
  for (const SubspaceColumn& S : motion_subspace(j.type)) {
    if (S.turn >= 0) V.angular.set(S.turn, *v);
    if (S.slide >= 0) V.linear.set(S.slide, S.turn >= 0 ? T(j.pitch) * *v : *v);
    ++v;
  }
  return V;
}

template <Scalar T, class Link>
[[gnu::noinline]] void add_other_motion(const Joint& j, const T* v, const T* a, Link& B) {
  const auto [wJ, vJ] = joint_twist(j, v + j.tree_v);
  B.alpha += cross(B.w, wJ);
  B.a += cross(B.w + B.w + wJ, vJ);
  B.w += wJ;
  if (!a) return;
  const auto [dwJ, dvJ] = joint_twist(j, a + j.tree_v);
  B.alpha += dwJ;
  B.a += dvJ;
}

/// Adds what the joint itself moves to the angular velocity and acceleration and to the
/// acceleration of the origin that B has from its parent (Fu 1987, eqs. 3.3-25 to 3.3-33). With w the
/// parent's angular velocity in B's axes, wJ and vJ the joint's:
///
///   alpha += dwJ + w x wJ,   a += dvJ + (2 w + wJ) x vJ,   then   w += wJ
template <Scalar T, class Link>
inline void add_joint_motion(const Joint& j, const T* v, const T* a, Link& B) {
  if (!turns_only(j.type)) return add_other_motion(j, v, a, B);
  const T qd = v[j.tree_v];
  B.alpha += cross_z(B.w, qd) + V3<T>(T(0), T(0), a ? a[j.tree_v] : T(0));
  B.w += V3<T>(T(0), T(0), qd);
}

/// [alpha] + [w][w] = [alpha] + w w' - w'w 1
template <Scalar T>
inline M3<T> point_acceleration(const V3<T>& w, const V3<T>& alpha) {
  const T s = -dot(w, w);
  return {w * w[0] + skew_column<0>(alpha, s), w * w[1] + skew_column<1>(alpha, s),
          w * w[2] + skew_column<2>(alpha, s)};
}

/// Newton's and Euler's equations of a body about a point: with the point r from it accelerating by a + U r,
///
///   f = ∫ (a + U r) dm = m a + U h,   n = ∫ r x (a + U r) dm = h x a + Σ_k (column k of Σ) x (column k of U)
template <Scalar T, class Body>
inline void newton_euler_equations(const Body& body, const V3<T>& a, const M3<T>& U, V3<T>& f,
                                   V3<T>& n) {
  f = a * body.mass + U * body.first;
  n = cross4(body.first, a, body.second.template column<0>(), U.c[0],
             body.second.template column<1>(), U.c[1], body.second.template column<2>(), U.c[2]);
}

template <Scalar T>
[[gnu::noinline]] void project_other(const Joint& j, const V3<T>& n, const V3<T>& f, T* tau) {
  for (const SubspaceColumn& S : motion_subspace(j.type)) {
    *tau = S.turn >= 0 ? n[S.turn] : f[S.slide];
    if (S.turn >= 0 && S.slide >= 0) *tau += T(j.pitch) * f[S.slide];
    ++tau;
  }
}

/// tau = S' (n, f), in the joint's own frame.
template <Scalar T>
inline void project(const Joint& j, const V3<T>& n, const V3<T>& f, T* tau) {
  if (!turns_only(j.type)) return project_other(j, n, f, tau + j.tree_v);
  tau[j.tree_v] = n[2];
}

}  // namespace ulna::detail
