#pragma once

#include "ulna/dynamics/workspace.hpp"
#include "ulna/model/joint_motion.hpp"
#include "ulna/model/plant.hpp"
#include "ulna/num/sincos.hpp"

/// The inner pieces of the recursions. Joints that only turn, most of all joints, take a short way that
/// is compiled into the loops; all others go through joint_motion.hpp, out of line, so that they do not
/// cost those.
namespace ulna::detail {

#if defined(__GNUC__)
#define ULNA_OUT_OF_LINE __attribute__((noinline))
#else
#define ULNA_OUT_OF_LINE
#endif

using lanes::M3;
using lanes::Turn;
using lanes::V3;

template <Scalar T>
Transform<T> cast(const Transform<double>& X) {
  return {Rotation<T>::from_matrix(X.rotation().matrix().template cast<T>()),
          X.translation().template cast<T>()};
}

inline bool turns_only(JointType t) {
  return t == JointType::revolute || t == JointType::continuous;
}
inline bool turns_about_z(JointType t) { return turns_only(t) || t == JointType::helical; }

/// The value of a joint's one coordinate or rate, followed if it mimics.
template <Scalar T>
inline T coordinate(const Joint& j, const T* q) {
  return j.mimics ? T(j.multiplier) * q[j.q] + T(j.offset) : q[j.q];
}
template <Scalar T>
inline T rate(const Joint& j, const T* v) {
  return j.mimics ? T(j.multiplier) * v[j.v] : v[j.v];
}

/// Sines and cosines of all joint angles, many at a time.
template <Scalar T>
void joint_angles(std::span<const Joint> joints, const T* q, Skeleton<T>& skeleton) {
  const std::size_t n = joints.size();
  for (std::size_t b = 1; b < n; ++b)
    skeleton.angle[b] = turns_about_z(joints[b].type) ? coordinate(joints[b], q) : T(0);
  // the base has no angle; where blocks are whole, it is taken along
  constexpr int first = Skeleton<T>::block > 1 ? 0 : 1;
  sin_cos(skeleton.angle.data() + first, skeleton.sine.data() + first,
          skeleton.cosine.data() + first, static_cast<int>(skeleton.angle.size()) - first);
}

template <Scalar T>
ULNA_OUT_OF_LINE void place_other(const Joint& j, const Skeleton<T>& skeleton, int b, const T* q,
                                  Turn<T>& R, V3<T>& p) {
  const Place<T>& at = skeleton.places[b];
  if (j.type == JointType::helical) {
    R = at.turn(skeleton.sine[b], skeleton.cosine[b]);
    p = at.p + R.R.c[2] * (T(j.pitch) * coordinate(j, q));
  } else if (j.type == JointType::prismatic) {
    R = at.turn.still();
    p = at.p + R.R.c[2] * coordinate(j, q);
  } else {
    const Transform<T> X = cast<T>(j.X_PJ) * joint_pose(j.type, j.pitch, q + j.q);
    R = Turn<T>::from(M3<T>(X.rotation().matrix()));
    p = V3<T>(X.translation());
  }
}

/// Where a body is in its parent, canonical frames.
template <Scalar T>
inline void place(const Joint& j, const Skeleton<T>& skeleton, int b, const T* q, Turn<T>& R,
                  V3<T>& p) {
  if (turns_only(j.type)) {
    R = skeleton.places[b].turn(skeleton.sine[b], skeleton.cosine[b]);
    p = skeleton.places[b].p;
  } else {
    place_other(j, skeleton, b, q, R, p);
  }
}

template <Scalar T, class Direction>
ULNA_OUT_OF_LINE void other_directions(const Joint& j, const M3<T>& R, const V3<T>& p,
                                       Direction* direction) {
  for (const SubspaceColumn& S : motion_subspace(j.type)) {
    direction->w = S.turn >= 0 ? R.c[S.turn] : V3<T>::zero();
    direction->v = S.turn >= 0 ? cross(p, R.c[S.turn]) : R.c[S.slide];
    if (S.turn >= 0 && S.slide >= 0) direction->v += R.c[S.slide] * T(j.pitch);
    ++direction;
  }
}

/// The twists of a body per unit velocity of its joint, in world axes, for a body at R, p.
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

template <Scalar T, class Link>
ULNA_OUT_OF_LINE void add_other_motion(const Joint& j, const T* v, const T* a, Link& B) {
  Twist<T> V, A;
  if (velocity_size(j.type) == 1) {
    const T qd = rate(j, v), qdd = a ? rate(j, a) : T(0);
    V = joint_twist(j.type, j.pitch, &qd);
    A = joint_twist(j.type, j.pitch, &qdd);
  } else {
    V = joint_twist(j.type, j.pitch, v + j.v);
    if (a) A = joint_twist(j.type, j.pitch, a + j.v);
  }
  const V3<T> wJ(V.angular), vJ(V.linear);
  B.alpha += V3<T>(A.angular) + cross(B.w, wJ);
  B.a += V3<T>(A.linear) + cross(B.w + B.w + wJ, vJ);
  B.w += wJ;
}

/// Adds what the joint itself moves to the angular velocity and acceleration and to the
/// acceleration of the origin that B has from its parent (002, eqs. 3.3-25 to 3.3-33). With w the
/// parent's angular velocity in B's axes, wJ and vJ the joint's:
///
///   alpha += dwJ + w x wJ,   a += dvJ + (2 w + wJ) x vJ,   then   w += wJ
template <Scalar T, class Link>
inline void add_joint_motion(const Joint& j, const T* v, const T* a, Link& B) {
  if (!turns_only(j.type)) return add_other_motion(j, v, a, B);
  const T qd = rate(j, v);
  B.alpha += cross_z(B.w, qd) + V3<T>(T(0), T(0), a ? rate(j, a) : T(0));
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
ULNA_OUT_OF_LINE void project_other(const Joint& j, const V3<T>& n, const V3<T>& f, T* tau) {
  for (const SubspaceColumn& S : motion_subspace(j.type)) {
    T along = S.turn >= 0 ? n[S.turn] : f[S.slide];
    if (S.turn >= 0 && S.slide >= 0) along += T(j.pitch) * f[S.slide];
    *tau++ += j.mimics ? T(j.multiplier) * along : along;
  }
}

/// tau += S' (n, f)
template <Scalar T>
inline void project(const Joint& j, const V3<T>& n, const V3<T>& f, T* tau) {
  if (!turns_only(j.type)) return project_other(j, n, f, tau + j.v);
  tau[j.v] += j.mimics ? T(j.multiplier) * n[2] : n[2];
}

#undef ULNA_OUT_OF_LINE

}  // namespace ulna::detail
