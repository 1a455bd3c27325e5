#include "ulna/spatial/lanes_symmetric.hpp"

#include "support/close.hpp"
#include "support/scalars.hpp"
#include "support/spatial.hpp"

// The vectors and matrices of inner loops say what plain ones say, in registers and out of them.
namespace ulna::test {
namespace {

using lanes::M3;
using lanes::S3;
using lanes::S6;
using lanes::V3;
using lanes::V6;

template <class T>
class LanesOf : public ::testing::Test {
 protected:
  Random random{1};

  Vec3<T> vec() { return {number(), number(), number()}; }
  Mat3<T> mat() {
    Mat3<T> m;
    for (T& x : m.reshaped()) x = number();
    return m;
  }
  Mat3<T> symmetric() {
    const Mat3<T> m = mat();
    return m + m.transpose();
  }
  T number() { return random.scalar<T>(-1.0, 1.0); }
  static constexpr double tolerance = std::same_as<T, float> ? 1e-5 : 1e-13;
};
TYPED_TEST_SUITE(LanesOf, Scalars, ScalarNames);

TYPED_TEST(LanesOf, vectors) {
  using T = TypeParam;
  const Vec3<T> a = this->vec(), b = this->vec(), c = this->vec(), d = this->vec();
  const V3<T> A(a), B(b), C(c), D(d);
  const T s = this->number();
  const double tol = this->tolerance;
  expect_close((A + B).vec(), Vec3<T>(a + b), tol);
  expect_close((A - B).vec(), Vec3<T>(a - b), tol);
  expect_close((A * s).vec(), Vec3<T>(a * s), tol);
  expect_close(cross(A, B).vec(), cross(a, b), tol);
  expect_close(dot(A, B), T(a.dot(b)), tol);
  expect_close(dot2(A, B, C, D), T(a.dot(b) + c.dot(d)), tol);
  expect_close(cross_z(A, s).vec(), cross(a, Vec3<T>(T(0), T(0), s)), tol);
  expect_close(cross4(A, B, C, D, B, C, D, A).vec(),
               Vec3<T>(cross(a, b) + cross(c, d) + cross(b, c) + cross(d, a)), tol);
  const M3<T> skewed(skew_column<0>(A, s), skew_column<1>(A, s), skew_column<2>(A, s));
  expect_close(skewed.mat(), Mat3<T>(skew(a) + s * Mat3<T>::Identity()), tol);
}

TYPED_TEST(LanesOf, matrices) {
  using T = TypeParam;
  const Mat3<T> a = this->mat(), b = this->mat(), s = this->symmetric();
  const Vec3<T> v = this->vec();
  const double tol = this->tolerance;
  expect_close((M3<T>(a) * M3<T>(b)).mat(), Mat3<T>(a * b), tol);
  expect_close((M3<T>(a) * V3<T>(v)).vec(), Vec3<T>(a * v), tol);
  expect_close(M3<T>(a).transposed().mat(), Mat3<T>(a.transpose()), tol);
  expect_close(S3<T>(s).mat(), s, tol);
  expect_close((S3<T>(s) * V3<T>(v)).vec(), Vec3<T>(s * v), tol);
  expect_close(S3<T>(s).trace(), T(s.trace()), tol);
  expect_close(S3<T>(s).template column<1>().vec(), Vec3<T>(s.col(1)), tol);
  S3<T> sum(s);
  sum += S3<T>(s);
  expect_close(sum.mat(), Mat3<T>(s + s), tol);
}

TYPED_TEST(LanesOf, symmetric_matrices_are_carried) {
  using T = TypeParam;
  const Mat3<T> R = this->mat(), s = this->symmetric();
  const Vec3<T> g = this->vec(), p = this->vec();
  expect_close(S3<T>::carried(M3<T>(R), S3<T>(s), V3<T>(g), V3<T>(p)).mat(),
               Mat3<T>(R * s * R.transpose() + g * p.transpose() + p * g.transpose()),
               10 * this->tolerance);
}

TYPED_TEST(LanesOf, turns_about_z_go_both_ways) {
  using T = TypeParam;
  const Rotation<double> E = random_rotation<double>(this->random);
  const T angle = this->number();
  const Vec3<T> v = this->vec();
  const Mat3<T> R = E.matrix().template cast<T>() * Rotation<T>::about_z(angle).matrix();
  const lanes::Turn<T> turn = lanes::TurnAboutZ<T>(E.matrix())(sin(angle), cos(angle));
  expect_close((turn * V3<T>(v)).vec(), Vec3<T>(R * v), this->tolerance);
  expect_close(turn.back(V3<T>(v)).vec(), Vec3<T>(R.transpose() * v), this->tolerance);
  expect_close(lanes::TurnAboutZ<T>(E.matrix()).still().R.mat(),
               Mat3<T>(E.matrix().template cast<T>()), this->tolerance);
}

TYPED_TEST(LanesOf, inertias) {
  using T = TypeParam;
  const Mat3<T> second = this->symmetric();
  const Vec3<T> h = this->vec();
  const T mass = this->number();
  const double tol = 10 * this->tolerance;
  Mat6<T> full;
  full << Mat3<T>(second.trace() * Mat3<T>::Identity() - second), skew(h), Mat3<T>(-skew(h)),
      Mat3<T>(mass * Mat3<T>::Identity());
  const Vec3<T> w = this->vec(), v = this->vec(), x = this->vec(), y = this->vec();
  Vec6<T> u, z;
  u << w, v;
  z << x, y;
  const V6<T> U{V3<T>(w), V3<T>(v)}, Z{V3<T>(x), V3<T>(y)};

  S6<T> I;
  I.set_inertia(mass, V3<T>(h), S3<T>(second));
  const auto expect_is = [&](const Mat6<T>& expected) {
    const Vec6<T> product = expected * z;
    expect_close((I * Z).angular.vec(), Vec3<T>(product.template head<3>()), tol);
    expect_close((I * Z).linear.vec(), Vec3<T>(product.template tail<3>()), tol);
  };
  expect_is(full);
  const S6<T> same = I;
  I += same;
  expect_is(full + full);
  I.subtract_outer(U, U);
  expect_is(full + full - u * u.transpose());
}

}  // namespace
}  // namespace ulna::test
