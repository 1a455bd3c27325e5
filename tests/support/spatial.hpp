#pragma once

#include "support/close.hpp"
#include "support/random.hpp"
#include "ulna/spatial/inertia.hpp"
#include "ulna/spatial/transform.hpp"

/// Random members of the spatial algebra, for any scalar.
namespace ulna::test {

/// A B by its definition: what the matrix laws compare against, and quick to compile for any
/// scalar.
template <class T, int R, int K, int C>
Eigen::Matrix<T, R, C> product(const Eigen::Matrix<T, R, K>& A, const Eigen::Matrix<T, K, C>& B) {
  Eigen::Matrix<T, R, C> P;
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) {
      T sum(0);
      for (int k = 0; k < K; ++k) sum += A(i, k) * B(k, j);
      P(i, j) = sum;
    }
  return P;
}

template <class T, int R, int C>
Eigen::Matrix<T, C, R> transposed(const Eigen::Matrix<T, R, C>& A) {
  return A.transpose();
}

/// Directions along the axes and between them.
inline const Vec3<double> some_axes[] = {Vec3<double>::UnitX(), -Vec3<double>::UnitY(),
                                         Vec3<double>::UnitZ(), Vec3<double>(1, 1, 1).normalized(),
                                         Vec3<double>(0.6, -0.48, 0.64)};

template <class T>
Vec3<T> random_vector(Random& random, double size = 1.0) {
  const T x = random.scalar<T>(-size, size), y = random.scalar<T>(-size, size);
  return {x, y, random.scalar<T>(-size, size)};
}

/// Of unit length, derivatives included.
template <class T>
Vec3<T> random_direction(Random& random) {
  Vec3<T> a = random_vector<T>(random);
  a.x() += select(a.x() < T(0), T(-0.2), T(0.2));  // never short
  return a / sqrt(T(a.dot(a)));
}

template <class T>
Rotation<T> random_rotation(Random& random) {
  const T half_angle = random.scalar<T>(0.0, 3.1);
  const Vec3<T> v = sin(half_angle) * random_direction<T>(random);
  return Rotation<T>::from_quaternion({cos(half_angle), v.x(), v.y(), v.z()});
}

template <class T>
Transform<T> random_transform(Random& random) {
  const Rotation<T> R = random_rotation<T>(random);
  return {R, random_vector<T>(random, 2.0)};
}

template <class T>
Twist<T> random_twist(Random& random) {
  const Vec3<T> w = random_vector<T>(random, 2.0);
  return {w, random_vector<T>(random, 2.0)};
}

template <class T>
Wrench<T> random_wrench(Random& random) {
  const Vec3<T> m = random_vector<T>(random, 2.0);
  return {m, random_vector<T>(random, 2.0)};
}

template <class T>
Mat3<T> random_symmetric(Random& random) {
  Mat3<T> A;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) A(i, j) = A(j, i) = random.scalar<T>(-2.0, 2.0);
  return A;
}

template <class T>
struct PointMass {
  T mass;
  Vec3<T> at;
};

/// A handful of point masses: a body of which everything can be summed by hand.
template <class T>
std::vector<PointMass<T>> random_cloud(Random& random, int points = 6) {
  std::vector<PointMass<T>> cloud;
  for (int i = 0; i < points; ++i) {
    const T mass = random.scalar<T>(0.1, 1.0);
    cloud.push_back({mass, random_vector<T>(random)});
  }
  return cloud;
}

template <class T>
Inertia<T> inertia_of(const std::vector<PointMass<T>>& cloud) {
  Inertia<T> sum;
  for (const auto& [mass, at] : cloud) sum += Inertia<T>::point_mass(mass, at);
  return sum;
}

template <class T>
Inertia<T> random_inertia(Random& random) {
  return inertia_of(random_cloud<T>(random));
}

}  // namespace ulna::test
