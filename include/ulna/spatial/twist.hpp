#pragma once

#include "ulna/spatial/vector.hpp"

namespace ulna {

/// A spatial velocity, acceleration or displacement: the angular part, and the linear part at the
/// frame's origin (Cărămizaru 2023, def. 3.1.13). The angular part comes first.
template <Scalar T>
struct Twist {
  Vec3<T> angular = Vec3<T>::Zero();
  Vec3<T> linear = Vec3<T>::Zero();

  static Twist zero() { return {}; }
  static Twist from_vector(const Vec6<T>& v) {
    return {v.template head<3>(), v.template tail<3>()};
  }
  Vec6<T> vector() const {
    Vec6<T> v;
    v << angular, linear;
    return v;
  }

  /// The same motion with the linear part at another point (Cărămizaru 2023, eq. 3.13), axes unchanged.
  Twist at(const Vec3<T>& point) const { return {angular, linear + cross(angular, point)}; }

  Twist& operator+=(const Twist& b) { return angular += b.angular, linear += b.linear, *this; }
  Twist& operator-=(const Twist& b) { return angular -= b.angular, linear -= b.linear, *this; }
  friend Twist operator+(Twist a, const Twist& b) { return a += b; }
  friend Twist operator-(Twist a, const Twist& b) { return a -= b; }
  friend Twist operator-(const Twist& a) { return {-a.angular, -a.linear}; }
  friend Twist operator*(const T& s, const Twist& a) { return {s * a.angular, s * a.linear}; }
  friend Twist operator*(const Twist& a, const T& s) { return s * a; }
};

/// V x W: how W changes when it rides on a frame that moves with V; the Lie bracket (Fakhari 2024; Cărămizaru 2023,
/// sec. 3.1.9).
template <Scalar T>
Twist<T> cross(const Twist<T>& V, const Twist<T>& W) {
  return {cross(V.angular, W.angular), cross(V.angular, W.linear) + cross(V.linear, W.angular)};
}

/// [V x] = [ad_V], the matrix of cross(V, ·).
template <Scalar T>
Mat6<T> cross_matrix(const Twist<T>& V) {
  Mat6<T> m;
  m << skew(V.angular), Mat3<T>::Zero(), skew(V.linear), skew(V.angular);
  return m;
}

/// [V], the 4x4 matrix of a twist (Cărămizaru 2023, eq. 3.40).
template <Scalar T>
Mat4<T> twist_matrix(const Twist<T>& V) {
  Mat4<T> m;
  m << skew(V.angular), V.linear, Vec4<T>::Zero().transpose();
  return m;
}

}  // namespace ulna
