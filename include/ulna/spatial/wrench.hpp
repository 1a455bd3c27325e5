#pragma once

#include "ulna/spatial/twist.hpp"

namespace ulna {

/// A generalised force: the moment about the frame's origin, and the force (Cărămizaru 2023, sec. 3.2; the notes on wrenches).
/// Momentum is of the same kind (Cărămizaru 2023, def. 3.2.9): an inertia maps twists to wrenches.
///
/// Twists and wrenches live in spaces dual to each other. They are paired by dot(), which is power,
/// and cannot be added.
template <Scalar T>
struct Wrench {
  Vec3<T> moment = Vec3<T>::Zero();
  Vec3<T> force = Vec3<T>::Zero();

  static Wrench zero() { return {}; }
  static Wrench from_vector(const Vec6<T>& v) {
    return {v.template head<3>(), v.template tail<3>()};
  }
  /// A pure force whose line of action passes through a point.
  static Wrench force_at(const Vec3<T>& force, const Vec3<T>& point) {
    return {cross(point, force), force};
  }
  Vec6<T> vector() const {
    Vec6<T> v;
    v << moment, force;
    return v;
  }

  /// The same wrench with the moment about another point (the notes on wrenches), axes unchanged.
  Wrench at(const Vec3<T>& point) const { return {moment - cross(point, force), force}; }

  Wrench& operator+=(const Wrench& b) { return moment += b.moment, force += b.force, *this; }
  Wrench& operator-=(const Wrench& b) { return moment -= b.moment, force -= b.force, *this; }
  friend Wrench operator+(Wrench a, const Wrench& b) { return a += b; }
  friend Wrench operator-(Wrench a, const Wrench& b) { return a -= b; }
  friend Wrench operator-(const Wrench& a) { return {-a.moment, -a.force}; }
  friend Wrench operator*(const T& s, const Wrench& a) { return {s * a.moment, s * a.force}; }
  friend Wrench operator*(const Wrench& a, const T& s) { return s * a; }
};

/// The power a wrench delivers to a body that moves with the twist.
template <Scalar T>
T dot(const Twist<T>& V, const Wrench<T>& F) {
  return V.angular.dot(F.moment) + V.linear.dot(F.force);
}
template <Scalar T>
T dot(const Wrench<T>& F, const Twist<T>& V) {
  return dot(V, F);
}

/// V x* F: how a wrench changes when it rides on a frame that moves with V. Dual to the cross
/// product of twists: dot(V x W, F) + dot(W, V x* F) = 0.
template <Scalar T>
Wrench<T> cross(const Twist<T>& V, const Wrench<T>& F) {
  return {cross(V.angular, F.moment) + cross(V.linear, F.force), cross(V.angular, F.force)};
}

/// [V x*] = -[ad_V]', the matrix of V x* on wrenches.
template <Scalar T>
Mat6<T> dual_cross_matrix(const Twist<T>& V) {
  return -cross_matrix(V).transpose();
}

}  // namespace ulna
