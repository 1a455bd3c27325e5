#pragma once

#include <Eigen/Core>

#include "ulna/num/scalar.hpp"

namespace ulna {

template <class T>
using Vec3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Vec4 = Eigen::Matrix<T, 4, 1>;
template <class T>
using Vec6 = Eigen::Matrix<T, 6, 1>;
template <class T>
using Mat3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Mat4 = Eigen::Matrix<T, 4, 4>;
template <class T>
using Mat6 = Eigen::Matrix<T, 6, 6>;

/// a x b (Cărămizaru 2023, eq. 3.1).
template <class A, class B>
Vec3<typename A::Scalar> cross(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return {a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0)};
}

/// [a], the matrix with [a] b = a x b (Cărămizaru 2023, eq. 3.2).
template <Scalar T>
Mat3<T> skew(const Vec3<T>& a) {
  Mat3<T> m;
  m << T(0), -a.z(), a.y(), a.z(), T(0), -a.x(), -a.y(), a.x(), T(0);
  return m;
}

/// a from [a].
template <Scalar T>
Vec3<T> unskew(const Mat3<T>& m) {
  return {m(2, 1), m(0, 2), m(1, 0)};
}

template <Scalar T, int R, int C>
Eigen::Matrix<T, R, C> select(const Mask<T>& mask, const Eigen::Matrix<T, R, C>& a,
                              const Eigen::Matrix<T, R, C>& b) {
  Eigen::Matrix<T, R, C> chosen;
  for (int i = 0; i < R * C; ++i) chosen(i) = select(mask, a(i), b(i));
  return chosen;
}

/// A unit vector along a, or the fallback where a has no length.
template <Scalar T>
Vec3<T> direction_of(const Vec3<T>& a, const Vec3<T>& fallback) {
  const T length2 = a.dot(a);
  const Mask<T> none = !(length2 > T(0));
  const T length = sqrt(select(none, T(1), length2));
  return select(none, fallback, Vec3<T>(a / length));
}

/// |a|, with a derivative of zero where a = 0 instead of an undefined one.
template <Scalar T>
T length_of(const Vec3<T>& a) {
  const T length2 = a.dot(a);
  const Mask<T> none = !(length2 > T(0));
  return select(none, T(0), sqrt(select(none, T(1), length2)));
}

}  // namespace ulna

// refuses Eigen as the library was not compiled with it: no file that uses ulna's types gets past
#if !defined(ULNA_KERNEL) && (EIGEN_MAX_ALIGN_BYTES != 32 || EIGEN_MAX_STATIC_ALIGN_BYTES != 32 || \
                              EIGEN_MALLOC_ALREADY_ALIGNED != 0)
#include "ulna/num/eigen.hpp"
#endif
