#pragma once

#include "ulna/spatial/rotation.hpp"
#include "ulna/spatial/twist.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {

/// X_AB: the pose of frame B in frame A (Cărămizaru 2023, def. 3.1.8). It takes what is known in B to A, and the
/// inner letters meet: X_AB * X_BC = X_AC, X_AB * p_B = p_A, X_AB * V_B = V_A, X_AB * F_B = F_A.
/// Twists and wrenches go through their adjoints without a 6x6 matrix being formed.
template <Scalar T>
class Transform {
 public:
  Transform() : p_(Vec3<T>::Zero()) {}
  Transform(const Rotation<T>& R_AB, const Vec3<T>& p_AB) : R_(R_AB), p_(p_AB) {}

  static Transform identity() { return {}; }
  static Transform from_rotation(const Rotation<T>& R) { return {R, Vec3<T>::Zero()}; }
  static Transform from_translation(const Vec3<T>& p) { return {Rotation<T>(), p}; }

  /// e^[S]: the motion that a body makes when it moves with the twist for one unit of time
  /// (Cărămizaru 2023, def. 3.1.31, there with |w| = 1).
  static Transform exp(const Twist<T>& S) {
    const T x2 = S.angular.dot(S.angular);
    const Vec3<T> wv = cross(S.angular, S.linear);
    const Vec3<T> p = S.linear + detail::one_minus_cos_over(x2) * wv +
                      detail::angle_minus_sin_over(x2) * cross(S.angular, wv);
    return {Rotation<T>::exp(S.angular), p};
  }

  /// The twist with e^[S] = X, turning by at most pi (Cărămizaru 2023, def. 3.1.32 and eq. 3.51).
  Twist<T> log() const {
    const Vec3<T> w = R_.log();
    const Vec3<T> wp = cross(w, p_);
    return {w, p_ - T(0.5) * wp + detail::inverse_g_coefficient(T(w.dot(w))) * cross(w, wp)};
  }

  const Rotation<T>& rotation() const { return R_; }
  const Vec3<T>& translation() const { return p_; }
  Transform inverse() const { return {R_.inverse(), -R_.inverse_apply(p_)}; }

  friend Transform operator*(const Transform& a, const Transform& b) {
    return {a.R_ * b.R_, a.p_ + a.R_ * b.p_};
  }

  /// A point moves with the frame's origin; a free vector is turned only: rotation() * v.
  Vec3<T> operator*(const Vec3<T>& point) const { return p_ + R_ * point; }
  Vec3<T> inverse_apply(const Vec3<T>& point) const { return R_.inverse_apply(point - p_); }

  Twist<T> operator*(const Twist<T>& V) const {
    const Vec3<T> w = R_ * V.angular;
    return {w, R_ * V.linear + cross(p_, w)};
  }
  Twist<T> inverse_apply(const Twist<T>& V) const {
    return {R_.inverse_apply(V.angular),
            R_.inverse_apply(Vec3<T>(V.linear - cross(p_, V.angular)))};
  }

  Wrench<T> operator*(const Wrench<T>& F) const {
    const Vec3<T> f = R_ * F.force;
    return {R_ * F.moment + cross(p_, f), f};
  }
  Wrench<T> inverse_apply(const Wrench<T>& F) const {
    return {R_.inverse_apply(Vec3<T>(F.moment - cross(p_, F.force))), R_.inverse_apply(F.force)};
  }

  /// The homogeneous 4x4 matrix.
  Mat4<T> matrix() const {
    Mat4<T> m;
    m << R_.matrix(), p_, Vec3<T>::Zero().transpose(), T(1);
    return m;
  }
  /// [Ad_X], which takes twists from B to A (Cărămizaru 2023, eq. 3.18).
  Mat6<T> motion_matrix() const {
    Mat6<T> m;
    m << R_.matrix(), Mat3<T>::Zero(), skew(p_) * R_.matrix(), R_.matrix();
    return m;
  }
  /// [Ad_X]^-T, which takes wrenches from B to A (Cărămizaru 2023, eq. 3.135; the notes on wrenches).
  Mat6<T> force_matrix() const {
    Mat6<T> m;
    m << R_.matrix(), skew(p_) * R_.matrix(), Mat3<T>::Zero(), R_.matrix();
    return m;
  }

 private:
  Rotation<T> R_;
  Vec3<T> p_;
};

}  // namespace ulna
