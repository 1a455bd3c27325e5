#pragma once

#include "ulna/spatial/quaternion.hpp"
#include "ulna/spatial/vector.hpp"

namespace ulna {

/// Roll, pitch and yaw in radians: R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF.
template <Scalar T>
struct RollPitchYaw {
  T roll{0.0}, pitch{0.0}, yaw{0.0};
};

template <Scalar T>
struct AxisAngle {
  Vec3<T> axis = Vec3<T>::UnitZ();
  T angle{0.0};
};

/// R_AB: how frame B is turned as seen from A (Cărămizaru 2023, def. 3.1.6). R_AB * v_B = v_A.
template <Scalar T>
class Rotation {
 public:
  Rotation() : R_(Mat3<T>::Identity()) {}

  static Rotation identity() { return {}; }

  /// The matrix must be a rotation; see nearest_rotation for one that nearly is.
  static Rotation from_matrix(const Mat3<T>& R) { return Rotation(R); }

  static Rotation about_x(const T& angle) {
    const T c = cos(angle), s = sin(angle);
    return of({T(1), T(0), T(0)}, {T(0), c, s}, {T(0), -s, c});
  }
  static Rotation about_y(const T& angle) {
    const T c = cos(angle), s = sin(angle);
    return of({c, T(0), -s}, {T(0), T(1), T(0)}, {s, T(0), c});
  }
  static Rotation about_z(const T& angle) {
    const T c = cos(angle), s = sin(angle);
    return of({c, s, T(0)}, {-s, c, T(0)}, {T(0), T(0), T(1)});
  }

  /// e^[axis]angle, Rodrigues' formula (Cărămizaru 2023, eq. 3.48). The axis has unit length.
  static Rotation about(const Vec3<T>& axis, const T& angle) {
    const Mat3<T> W = skew(axis);
    return Rotation(Mat3<T>(Mat3<T>::Identity() + sin(angle) * W +
                            T(2) * square(sin(T(0.5) * angle)) * (W * W)));
  }

  /// e^[r]: the rotation by |r| about r (Cărămizaru 2023, eq. 3.47).
  static Rotation exp(const Vec3<T>& r) {
    const T x2 = r.dot(r);
    const Mat3<T> W = skew(r);
    return Rotation(Mat3<T>(Mat3<T>::Identity() + detail::sin_over(x2) * W +
                            detail::one_minus_cos_over(x2) * (W * W)));
  }

  static Rotation from_rpy(const T& roll, const T& pitch, const T& yaw) {
    return about_z(yaw) * about_y(pitch) * about_x(roll);
  }

  /// The quaternion has unit length.
  static Rotation from_quaternion(const Quaternion<T>& q) {
    const T x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
    const T xx = q.x * x, yy = q.y * y, zz = q.z * z;
    const T xy = q.x * y, xz = q.x * z, yz = q.y * z;
    const T wx = q.w * x, wy = q.w * y, wz = q.w * z;
    return of({T(1) - yy - zz, xy + wz, xz - wy}, {xy - wz, T(1) - xx - zz, yz + wx},
              {xz + wy, yz - wx, T(1) - xx - yy});
  }

  /// The turn by the smallest angle that takes +z to the given unit vector.
  static Rotation z_to(const Vec3<T>& direction) {
    // the quaternion (1 + z, -y, x, 0), scaled; straight down, where it has no length, about x
    const T& x = direction.x();
    const T& y = direction.y();
    const T& z = direction.z();
    const T across = x * x + y * y;
    const Mask<T> lower = z < T(0);
    const T w = select(lower, T(across / (T(1) - select(lower, z, T(0)))), T(T(1) + z));
    const T norm2 = w * w + across;
    const Mask<T> down = !(norm2 > T(0));
    const T norm = sqrt(select(down, T(1), norm2));
    return from_quaternion({T(w / norm), select(down, T(1), T(-y / norm)), T(x / norm), T(0)});
  }

  const Mat3<T>& matrix() const { return R_; }
  Rotation inverse() const { return Rotation(Mat3<T>(R_.transpose())); }

  Vec3<T> operator*(const Vec3<T>& v) const { return R_ * v; }
  Vec3<T> inverse_apply(const Vec3<T>& v) const { return R_.transpose() * v; }
  friend Rotation operator*(const Rotation& a, const Rotation& b) {
    return Rotation(Mat3<T>(a.R_ * b.R_));
  }

  /// The quaternion with w >= 0. Shepperd's choice among four formulas: the one that divides by
  /// the largest component.
  Quaternion<T> quaternion() const {
    const Mat3<T>& r = R_;
    const T tw = T(1) + r(0, 0) + r(1, 1) + r(2, 2);
    const T tx = T(1) + r(0, 0) - r(1, 1) - r(2, 2);
    const T ty = T(1) - r(0, 0) + r(1, 1) - r(2, 2);
    const T tz = T(1) - r(0, 0) - r(1, 1) + r(2, 2);
    const Vec4<T> qw(tw, r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1));
    const Vec4<T> qx(r(2, 1) - r(1, 2), tx, r(0, 1) + r(1, 0), r(0, 2) + r(2, 0));
    const Vec4<T> qy(r(0, 2) - r(2, 0), r(0, 1) + r(1, 0), ty, r(1, 2) + r(2, 1));
    const Vec4<T> qz(r(1, 0) - r(0, 1), r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), tz);

    const Mask<T> w_or_x = tw >= tx, y_or_z = ty >= tz;
    const T wx = select(w_or_x, tw, tx), yz = select(y_or_z, ty, tz);
    const Mask<T> first = wx >= yz;
    const T largest = select(first, wx, yz);
    const Vec4<T> q = select(first, select(w_or_x, qw, qx), select(y_or_z, qy, qz));
    const T s = select(q(0) < T(0), T(-0.5), T(0.5)) / sqrt(largest);
    return {s * q(0), s * q(1), s * q(2), s * q(3)};
  }

  /// The rotation vector r with e^[r] = R and |r| <= pi (Cărămizaru 2023, def. 3.1.30).
  Vec3<T> log() const { return quaternion().log(); }

  AxisAngle<T> axis_angle() const {
    const Vec3<T> r = log();
    return {direction_of(r, Vec3<T>(T(0), T(0), T(1))), length_of(r)};
  }

  /// Each angle is taken out before the next is measured, so that the three compose to R even
  /// where roll and yaw turn about the same axis (pitch = ±90°).
  RollPitchYaw<T> rpy() const {
    const T yaw = atan2(R_(1, 0), R_(0, 0));
    const T c = cos(yaw), s = sin(yaw);
    const T pitch = atan2(T(-R_(2, 0)), T(c * R_(0, 0) + s * R_(1, 0)));
    const T roll = atan2(T(s * R_(0, 2) - c * R_(1, 2)), T(c * R_(1, 1) - s * R_(0, 1)));
    return {roll, pitch, yaw};
  }

 private:
  explicit Rotation(const Mat3<T>& R) : R_(R) {}
  static Rotation of(const Vec3<T>& x, const Vec3<T>& y, const Vec3<T>& z) {
    Mat3<T> R;
    R << x, y, z;
    return Rotation(R);
  }
  Mat3<T> R_;
};

/// ‖RᵀR - 1‖, and infinity for a matrix that mirrors: how far from a rotation a matrix is.
double distance_to_rotation(const Mat3<double>& R);

/// The rotation closest to a matrix in the Frobenius norm, for matrices typed with few digits.
Rotation<double> nearest_rotation(const Mat3<double>& R);

}  // namespace ulna
