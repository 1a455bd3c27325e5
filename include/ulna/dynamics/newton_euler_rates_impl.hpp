#pragma once

#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"

/// The Newton-Euler recursion with its first and second derivative in time, in body axes
/// [Buondonno, De Luca 2015; Müller 2021]. A vector x of the parent is y = R'x in the body's axes, and with
/// w the angular velocity of the joint, R' changes by -w x R':
///
///     y' = R'x' - w x y,   and the same once more.
///
/// Newton's and Euler's equations are linear in the acceleration of the body's points, a + U r: their derivatives are the same
/// equations with derivatives of a and U.
namespace ulna::detail {

/// Angular and linear velocity of a joint in its body's axes, and their derivatives.
template <Scalar T>
struct JointRates {
  V6<T> s[4];

  JointRates(const Joint& j, const T* v, const T* a, const T* jerk, const T* snap)
      : s{joint_twist(j, v + j.tree_v), joint_twist(j, a + j.tree_v),
          joint_twist(j, jerk + j.tree_v), joint_twist(j, snap + j.tree_v)} {}
  const V3<T>& w(int k) const { return s[k].angular; }
  const V3<T>& v(int k) const { return s[k].linear; }
};

/// The motion of a body whose joint is of any kind; `x` is the acceleration that its parent has at the body's origin,
/// without the joint's own, with derivatives.
template <Scalar T, class Link>
[[gnu::noinline]] void move_other(const Link& P, const JointRates<T>& J, Link& B) {
  // position of the origin in the parent
  B.dp[0] = B.R * J.v(0);
  B.dp[1] = B.R * (J.v(1) + cross(J.w(0), J.v(0)));

  const V3<T> z0 = B.R.back(P.w[0]), z1 = B.R.back(P.w[1]), z2 = B.R.back(P.w[2]),
              z3 = B.R.back(P.w[3]);
  const V3<T> y1 = z1 - cross(J.w(0), z0);
  const V3<T> dz1 = z2 - cross(J.w(0), z1);
  const V3<T> y2 = dz1 - cross(J.w(1), z0) - cross(J.w(0), y1);
  const V3<T> ddz1 = z3 - cross(J.w(0), z2) - cross(J.w(1), z1) - cross(J.w(0), dz1);
  const V3<T> y3 = ddz1 - cross(J.w(2), z0) - cross(J.w(1), y1 + y1) - cross(J.w(0), y2);
  B.w[0] = z0 + J.w(0), B.w[1] = y1 + J.w(1), B.w[2] = y2 + J.w(2), B.w[3] = y3 + J.w(3);

  const V3<T> b0 = B.R.back(P.a[0] + P.U[0] * B.p),
              b1 = B.R.back(P.a[1] + P.U[1] * B.p + P.U[0] * B.dp[0]),
              b2 =
                  B.R.back(P.a[2] + P.U[2] * B.p + P.U[1] * (B.dp[0] + B.dp[0]) + P.U[0] * B.dp[1]);
  const V3<T> db0 = b1 - cross(J.w(0), b0), db1 = b2 - cross(J.w(0), b1);
  const V3<T> ddb0 = db1 - cross(J.w(1), b0) - cross(J.w(0), db0);
  // dv + (2 w + w_J) x v, of the joint
  const V3<T> u0 = z0 + z0 + J.w(0), u1 = y1 + y1 + J.w(1), u2 = y2 + y2 + J.w(2);
  B.a[0] = b0 + J.v(1) + cross(u0, J.v(0));
  B.a[1] = db0 + J.v(2) + cross(u1, J.v(0)) + cross(u0, J.v(1));
  B.a[2] = ddb0 + J.v(3) + cross(u2, J.v(0)) + cross(u1, J.v(1) + J.v(1)) + cross(u0, J.v(2));
}

/// The same of one that only turns.
template <Scalar T, class Link>
[[gnu::always_inline]] inline void move_turning(const Link& P, const T& v, const T& a,
                                                const T& jerk, const T& snap, Link& B) {
  // w x of the joint is -cross_z
  const V3<T> z0 = B.R.back(P.w[0]), z1 = B.R.back(P.w[1]), z2 = B.R.back(P.w[2]),
              z3 = B.R.back(P.w[3]);
  const V3<T> y1 = z1 + cross_z(z0, v);
  const V3<T> dz1 = z2 + cross_z(z1, v);
  const V3<T> y2 = dz1 + cross_z(z0, a) + cross_z(y1, v);
  const V3<T> y3 = z3 + cross_z(z2 + dz1 + y2, v) + cross_z(z1 + y1 + y1, a) + cross_z(z0, jerk);
  B.w[0] = z0 + V3<T>(T(0), T(0), v), B.w[1] = y1 + V3<T>(T(0), T(0), a);
  B.w[2] = y2 + V3<T>(T(0), T(0), jerk), B.w[3] = y3 + V3<T>(T(0), T(0), snap);

  B.a[0] = B.R.back(P.a[0] + P.U[0] * B.p);
  const V3<T> b1 = B.R.back(P.a[1] + P.U[1] * B.p);
  B.a[1] = b1 + cross_z(B.a[0], v);
  B.a[2] = B.R.back(P.a[2] + P.U[2] * B.p) + cross_z(b1 + B.a[1], v) + cross_z(B.a[0], a);
}

/// x y' + y x' + [z] - s 1
template <Scalar T>
inline M3<T> symmetric_and_skew(const V3<T>& x, const V3<T>& y, const V3<T>& z, const T& s) {
  return {x * y[0] + y * x[0] + skew_column<0>(z, -s), x * y[1] + y * x[1] + skew_column<1>(z, -s),
          x * y[2] + y * x[2] + skew_column<2>(z, -s)};
}

/// U = [w1] + [w0][w0] and its derivatives, with [x][y] = y x' - x'y 1.
template <Scalar T, class Link>
[[gnu::always_inline]] inline void set_point_acceleration(Link& B) {
  const V3<T>&w0 = B.w[0], &w1 = B.w[1], &w2 = B.w[2];
  B.U[0] = point_acceleration(w0, w1);
  const T s1 = dot(w0, w1);
  B.U[1] = symmetric_and_skew(w0, w1, w2, s1 + s1);
  const T s2 = dot2(w0, w2, w1, w1);
  B.U[2] = symmetric_and_skew(w0, w2, B.w[3], s2 + s2);
  const V3<T> twice = w1 + w1;
  for (int k = 0; k < 3; ++k) B.U[2].c[k] += twice * w1[k];
}

/// What the parent must provide: y = R x has the derivatives R (x' + w x x), ...
template <Scalar T, class Link>
[[gnu::noinline]] void hand_on_other(const JointRates<T>& J, const Link& B, Link& P) {
  const auto carried = [&](const V3<T>(&x)[3], V3<T>(&y)[3]) {
    const V3<T> g1 = x[1] + cross(J.w(0), x[0]);
    y[0] = B.R * x[0];
    y[1] = B.R * g1;
    y[2] = B.R * (x[2] + cross(J.w(1), x[0]) + cross(J.w(0), x[1] + g1));
  };
  V3<T> f[3], n[3];
  carried(B.f, f), carried(B.n, n);
  for (int k = 0; k < 3; ++k) P.f[k] += f[k];
  P.n[0] += n[0] + cross(B.p, f[0]);
  P.n[1] += n[1] + cross(B.p, f[1]) + cross(B.dp[0], f[0]);
  P.n[2] += n[2] + cross(B.p, f[2]) + cross(B.dp[0], f[1] + f[1]) + cross(B.dp[1], f[0]);
}

template <Scalar T, class Link>
[[gnu::always_inline]] inline void hand_on_turning(const T& v, const T& a, const Link& B, Link& P) {
  const auto carried = [&](const V3<T>(&x)[3], V3<T>(&y)[3]) {
    const V3<T> g1 = x[1] - cross_z(x[0], v);
    y[0] = B.R * x[0];
    y[1] = B.R * g1;
    y[2] = B.R * (x[2] - cross_z(x[0], a) - cross_z(x[1] + g1, v));
  };
  V3<T> f[3], n[3];
  carried(B.f, f), carried(B.n, n);
  for (int k = 0; k < 3; ++k) {
    P.f[k] += f[k];
    P.n[k] += n[k] + cross(B.p, f[k]);
  }
}

/// Torques of the joints of the tree and their derivatives, by a motion with its rates of the tree.
template <Scalar T>
void newton_euler_rates(const Plant<T>& plant, const Motion<T>& motion, const T* jerk,
                        const T* snap, DriveWorkspace<T>& ws, T* const (&tau)[3]) {
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(joints.size());
  const T *v = motion.tree_v(), *a = motion.tree_a();

  auto& world = ws.bodies[0];
  for (int k = 0; k < 4; ++k) world.w[k] = V3<T>::zero();
  for (int k = 0; k < 3; ++k) {
    world.a[k] = world.f[k] = world.n[k] = V3<T>::zero();
    world.U[k] = M3<T>::zero();
  }
  world.a[0] = world_acceleration<T>(plant.gravity).linear;

  // outward: motion of each body, then the force and moment it needs
  for (int b = 1; b < n; ++b) {
    const Joint& j = joints[b];
    const auto& P = ws.bodies[j.parent];
    auto& B = ws.bodies[b];
    place(j, motion.skeleton(), b, motion.tree_q(), B.R, B.p);
    if (turns_only(j.type))
      move_turning(P, v[j.tree_v], a[j.tree_v], jerk[j.tree_v], snap[j.tree_v], B);
    else
      move_other(P, JointRates<T>(j, v, a, jerk, snap), B);
    set_point_acceleration<T>(B);
    for (int k = 0; k < 3; ++k)
      newton_euler_equations<T>(plant.body(b), B.a[k], B.U[k], B.f[k], B.n[k]);
  }

  // inward: the joint takes the part along its motion, the parent must provide all of it
  for (int b = n - 1; b > 0; --b) {
    const Joint& j = joints[b];
    const auto& B = ws.bodies[b];
    for (int k = 0; k < 3; ++k) project(j, B.n[k], B.f[k], tau[k]);
    if (j.parent == 0) continue;
    if (turns_only(j.type))
      hand_on_turning(v[j.tree_v], a[j.tree_v], B, ws.bodies[j.parent]);
    else
      hand_on_other(JointRates<T>(j, v, a, jerk, snap), B, ws.bodies[j.parent]);
  }
}

}  // namespace ulna::detail
