#pragma once

#include <span>

#include "ulna/model/description.hpp"

/// How each kind of joint moves: the one place where kinds differ by what they do to a
/// configuration. All in the joint's canonical frame (axis +z, plane xy), angular part first:
///
///   kind                   q                         velocity, in the moving frame
///   revolute, continuous   angle                     rate
///   prismatic              distance                  rate
///   helical                angle                     rate; slides by pitch per radian
///   planar                 theta, x, y               wz, vx, vy
///   ball                   quaternion w, x, y, z     wx, wy, wz
///   floating               quaternion, x, y, z       wx, wy, wz, vx, vy, vz
namespace ulna {

/// The pose of a joint's moving side relative to its still side.
template <Scalar T>
Transform<T> joint_pose(JointType type, double pitch, const T* q) {
  using R = Rotation<T>;
  switch (type) {
    case JointType::revolute:
    case JointType::continuous:
      return Transform<T>::from_rotation(R::about_z(q[0]));
    case JointType::prismatic:
      return Transform<T>::from_translation({T(0), T(0), q[0]});
    case JointType::helical:
      return {R::about_z(q[0]), {T(0), T(0), T(pitch) * q[0]}};
    case JointType::planar:
      return {R::about_z(q[0]), {q[1], q[2], T(0)}};
    case JointType::ball:
      return Transform<T>::from_rotation(R::from_quaternion({q[0], q[1], q[2], q[3]}));
    case JointType::floating:
      return {R::from_quaternion({q[0], q[1], q[2], q[3]}), {q[4], q[5], q[6]}};
    case JointType::fixed:
      break;
  }
  return {};
}

/// A column of a joint's motion subspace S, in the moving frame: a unit turn about an axis, a unit slide
/// along one, or, with a pitch, a turn that slides.
struct SubspaceColumn {
  int turn = -1;   ///< axis 0 .. 2, or -1: none
  int slide = -1;  ///< the same
};

/// S, a column per degree of freedom.
inline std::span<const SubspaceColumn> motion_subspace(JointType type) {
  static constexpr SubspaceColumn z_turn[] = {{2, -1}}, z_slide[] = {{-1, 2}}, z_screw[] = {{2, 2}},
                                  plane[] = {{2, -1}, {-1, 0}, {-1, 1}},
                                  free[] = {{0, -1}, {1, -1}, {2, -1}, {-1, 0}, {-1, 1}, {-1, 2}};
  static constexpr std::span<const SubspaceColumn> columns[] = {
      {}, z_turn, z_turn, z_slide, z_screw, plane, std::span(free).first<3>(), free};
  return columns[static_cast<int>(type)];
}

/// S v: the twist of the moving side relative to the still side, in the moving frame.
template <Scalar T>
Twist<T> joint_twist(JointType type, double pitch, const T* v) {
  Twist<T> V = Twist<T>::zero();
  for (const SubspaceColumn& S : motion_subspace(type)) {
    if (S.turn >= 0) V.angular(S.turn) = *v;
    if (S.slide >= 0) V.linear(S.slide) = S.turn >= 0 ? T(pitch) * *v : *v;
    ++v;
  }
  return V;
}

/// q moved by a displacement v of its tangent space: joint_pose(result) = joint_pose(q) exp(v).
template <Scalar T>
void joint_integrate(JointType type, const T* q, const T* v, T* result) {
  switch (type) {
    case JointType::fixed:
      return;
    case JointType::planar: {
      const Vec3<T> p =
          Rotation<T>::about_z(q[0]) * Transform<T>::exp(joint_twist(type, 0.0, v)).translation();
      result[1] = q[1] + p.x(), result[2] = q[2] + p.y(), result[0] = q[0] + v[0];
      return;
    }
    case JointType::ball:
    case JointType::floating: {
      const Quaternion<T> from{q[0], q[1], q[2], q[3]};
      if (type == JointType::floating) {
        const Vec3<T> p = Rotation<T>::from_quaternion(from) *
                          Transform<T>::exp(joint_twist(type, 0.0, v)).translation();
        for (int i = 0; i < 3; ++i) result[4 + i] = q[4 + i] + p(i);
      }
      // normalised, so that rounding does not add up over millions of steps
      const Quaternion<T> to = (from * Quaternion<T>::exp({v[0], v[1], v[2]})).normalized();
      result[0] = to.w, result[1] = to.x, result[2] = to.y, result[3] = to.z;
      return;
    }
    default:  // one degree of freedom
      result[0] = q[0] + v[0];
  }
}

/// The displacement that takes q0 to q1, the shortest one: integrate(q0, v) = q1.
template <Scalar T>
void joint_difference(JointType type, const T* q0, const T* q1, T* v) {
  switch (type) {
    case JointType::fixed:
      return;
    case JointType::planar: {
      // the angle as it is counted, not modulo a turn: then integrate and difference are inverse
      const T angle = q1[0] - q0[0];
      const Vec3<T> p =
          Rotation<T>::about_z(q0[0]).inverse_apply(Vec3<T>(q1[1] - q0[1], q1[2] - q0[2], T(0)));
      const T half = T(0.5) * angle;
      const T x2 = angle * angle;
      const T c = T(1) - x2 * detail::inverse_g_coefficient(x2);  // half angle times its cotangent
      v[0] = angle, v[1] = c * p.x() + half * p.y(), v[2] = c * p.y() - half * p.x();
      return;
    }
    case JointType::ball: {
      const Vec3<T> w = (Quaternion<T>{q0[0], q0[1], q0[2], q0[3]}.conjugate() *
                         Quaternion<T>{q1[0], q1[1], q1[2], q1[3]})
                            .log();
      for (int i = 0; i < 3; ++i) v[i] = w(i);
      return;
    }
    case JointType::floating: {
      const Twist<T> d = (joint_pose(type, 0.0, q0).inverse() * joint_pose(type, 0.0, q1)).log();
      for (int i = 0; i < 3; ++i) v[i] = d.angular(i), v[3 + i] = d.linear(i);
      return;
    }
    default:  // one degree of freedom
      v[0] = q1[0] - q0[0];
  }
}

}  // namespace ulna
