#pragma once

#include "ulna/spatial/series.hpp"
#include "ulna/spatial/vector.hpp"

namespace ulna {

/// A unit quaternion w + x i + y j + z k: a rotation in four numbers, which is how ball and floating
/// joints carry it. The scalar part comes first, everywhere.
template <Scalar T>
struct Quaternion {
  T w{1.0}, x{0.0}, y{0.0}, z{0.0};

  Vec3<T> vector() const { return {x, y, z}; }
  Vec4<T> coefficients() const { return {w, x, y, z}; }
  T squared_norm() const { return w * w + x * x + y * y + z * z; }
  Quaternion conjugate() const { return {w, -x, -y, -z}; }
  Quaternion normalized() const {
    const T s = T(1) / sqrt(squared_norm());
    return {s * w, s * x, s * y, s * z};
  }

  friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }

  /// The rotation by |r| about r.
  static Quaternion exp(const Vec3<T>& r) {
    const T x2 = r.dot(r);
    const T half_angle2 = T(0.25) * x2;
    const T s = T(0.5) * detail::sin_over(half_angle2);
    const T c = T(1) - T(0.5) * half_angle2 * square(detail::sin_over(T(0.25) * half_angle2));
    return {c, s * r.x(), s * r.y(), s * r.z()};
  }

  /// The rotation vector, of length at most pi.
  Vec3<T> log() const {
    const T s = select(w < T(0), T(-1), T(1));
    const T c = s * w;
    const Vec3<T> v = s * vector();
    const T n2 = v.dot(v);
    // 2 atan2(n, c) / n: by the quotient n/c up to a right angle, by c/n beyond
    const Mask<T> near = n2 < c * c;
    const T c_safe = select(near, c, T(1));
    const T n_safe = sqrt(select(near, T(1), n2));
    const T up_to_90 = detail::atan_over(T(select(near, n2, T(0)) / (c_safe * c_safe))) / c_safe;
    const T beyond_90 = atan2(n_safe, c) / n_safe;
    return T(2) * select(near, up_to_90, beyond_90) * v;
  }
};

}  // namespace ulna
