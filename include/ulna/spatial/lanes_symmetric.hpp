#pragma once

#include "ulna/spatial/lanes.hpp"

/// Symmetric matrices for inner loops: for most scalars one triangle of numbers; for double whole
/// columns in SIMD registers, which is faster though half of it is stored twice.
namespace ulna::lanes {
#if defined(__AVX2__)
inline namespace avx2 {
#else
inline namespace baseline {
#endif

/// A symmetric 3x3 matrix.
template <class T>
struct S3 {
  T xx, xy, xz, yy, yz, zz;

  S3() = default;
  explicit S3(const Mat3<T>& m)
      : xx(m(0, 0)), xy(m(0, 1)), xz(m(0, 2)), yy(m(1, 1)), yz(m(1, 2)), zz(m(2, 2)) {}
  static S3 zero() { return S3(Mat3<T>(Mat3<T>::Constant(T(0)))); }

  template <int k>
  [[gnu::always_inline]] V3<T> column() const {
    if constexpr (k == 0) return {xx, xy, xz};
    if constexpr (k == 1) return {xy, yy, yz};
    if constexpr (k == 2) return {xz, yz, zz};
  }
  T trace() const { return xx + yy + zz; }
  Mat3<T> mat() const {
    Mat3<T> m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }

  [[gnu::always_inline]] friend V3<T> operator*(const S3& s, const V3<T>& v) {
    return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
            s.xz * v.x + s.yz * v.y + s.zz * v.z};
  }
  S3& operator+=(const S3& s) {
    xx += s.xx, xy += s.xy, xz += s.xz, yy += s.yy, yz += s.yz, zz += s.zz;
    return *this;
  }
  /// R S R' + g p' + p g'
  [[gnu::always_inline]] static S3 carried(const M3<T>& R, const S3& s, const V3<T>& g,
                                           const V3<T>& p) {
    const V3<T> x = R * s.template column<0>(), y = R * s.template column<1>(),
                z = R * s.template column<2>(), two_g = g + g;
    S3 c;
    c.xx = x.x * R.c[0].x + y.x * R.c[1].x + z.x * R.c[2].x + two_g.x * p.x;
    c.xy = x.x * R.c[0].y + y.x * R.c[1].y + z.x * R.c[2].y + (g.x * p.y + p.x * g.y);
    c.xz = x.x * R.c[0].z + y.x * R.c[1].z + z.x * R.c[2].z + (g.x * p.z + p.x * g.z);
    c.yy = x.y * R.c[0].y + y.y * R.c[1].y + z.y * R.c[2].y + two_g.y * p.y;
    c.yz = x.y * R.c[0].z + y.y * R.c[1].z + z.y * R.c[2].z + (g.y * p.z + p.y * g.z);
    c.zz = x.z * R.c[0].z + y.z * R.c[1].z + z.z * R.c[2].z + two_g.z * p.z;
    return c;
  }
  /// Takes away u v', of which only the triangle is looked at.
  [[gnu::always_inline]] void subtract_outer(const V3<T>& u, const V3<T>& v) {
    xx -= u.x * v.x, xy -= u.x * v.y, xz -= u.x * v.z;
    yy -= u.y * v.y, yz -= u.y * v.z, zz -= u.z * v.z;
  }
  /// tr(S) 1 - S: a rotational inertia from second moments.
  S3 complement() const {
    S3 c;
    c.xx = yy + zz, c.yy = xx + zz, c.zz = xx + yy;
    c.xy = -xy, c.xz = -xz, c.yz = -yz;
    return c;
  }
  static S3 diagonal(const T& d) {
    S3 s = zero();
    s.xx = s.yy = s.zz = d;
    return s;
  }
};

template <Plain T>
struct S3<T> {
  M3<T> m;

  S3() = default;
  explicit S3(const Mat3<T>& full) : m(full) {}
  static S3 zero() { return S3(Mat3<T>(Mat3<T>::Zero())); }

  template <int k>
  const V3<T>& column() const {
    return m.c[k];
  }
  T trace() const { return m.c[0][0] + m.c[1][1] + m.c[2][2]; }
  Mat3<T> mat() const { return m.mat(); }

  [[gnu::always_inline]] friend V3<T> operator*(const S3& s, const V3<T>& v) { return s.m * v; }
  S3& operator+=(const S3& s) { return m += s.m, *this; }
  [[gnu::always_inline]] static S3 carried(const M3<T>& R, const S3& s, const V3<T>& g,
                                           const V3<T>& p) {
    const M3<T> RS = R * s.m;
    S3 made;
    for (int k = 0; k < 3; ++k)
      made.m.c[k] =
          RS.c[0] * R.c[0][k] + RS.c[1] * R.c[1][k] + RS.c[2] * R.c[2][k] + (g * p[k] + p * g[k]);
    return made;
  }
  /// The inverse, by cofactors. False if the matrix is not positive definite.
  [[gnu::always_inline]] bool invert(M3<T>& inverse) const {
    const V3<T> x = cross(m.c[1], m.c[2]), y = cross(m.c[2], m.c[0]), z = cross(m.c[0], m.c[1]);
    const T determinant = dot(m.c[2], z), scale = T(1) / determinant;
    inverse = {x * scale, y * scale, z * scale};
    return m.c[0][0] > T(0) && z[2] > T(0) && determinant > T(0);
  }
};

/// A 6-vector in halves, angular first.
template <class T>
struct V6 {
  V3<T> angular, linear;

  static V6 zero() { return {V3<T>::zero(), V3<T>::zero()}; }
  [[gnu::always_inline]] friend V6 operator+(const V6& a, const V6& b) {
    return {a.angular + b.angular, a.linear + b.linear};
  }
  [[gnu::always_inline]] friend V6 operator*(const V6& a, const T& s) {
    return {a.angular * s, a.linear * s};
  }
  V6& operator+=(const V6& b) { return angular += b.angular, linear += b.linear, *this; }
  V6& operator-=(const V6& b) { return angular -= b.angular, linear -= b.linear, *this; }
  /// V x S of two motions.
  [[gnu::always_inline]] friend V6 cross(const V6& V, const V6& S) {
    return {cross(V.angular, S.angular), cross(V.angular, S.linear) + cross(V.linear, S.angular)};
  }
  /// V x* F of a motion and a force.
  [[gnu::always_inline]] friend V6 cross_force(const V6& V, const V6& F) {
    return {cross(V.angular, F.angular) + cross(V.linear, F.linear), cross(V.angular, F.linear)};
  }
  /// Element by element, the halves added: its elements sum up to dot(a, b).
  [[gnu::always_inline]] friend V3<T> product(const V6& a, const V6& b) {
    return product(a.angular, b.angular) + product(a.linear, b.linear);
  }
  [[gnu::always_inline]] friend T dot(const V6& a, const V6& b) {
    return dot2(a.angular, b.angular, a.linear, b.linear);
  }
};

/// The six numbers of a vector, each in all of four lanes.
template <class T>
struct Spread6 {
  Four<T> e[6];

  [[gnu::always_inline]] explicit Spread6(const V6<T>& v) {
    for (int c = 0; c < 3; ++c) {
      e[c] = Four<T>::all(v.angular[c]);
      e[3 + c] = Four<T>::all(v.linear[c]);
    }
  }
  const Four<T>& operator[](int c) const { return e[c]; }
};

/// A symmetric 6x6 matrix [[A, B], [B', D]]: an inertia.
template <class T>
struct S6 {
  S3<T> A;
  M3<T> B;
  S3<T> D;

  /// Of a body with mass m, first moment h and second moments Σ: [[tr(Σ) 1 - Σ, [h]], [-[h], m 1]].
  [[gnu::always_inline]] void set_inertia(const T& mass, const V3<T>& h, const S3<T>& second) {
    const T zero(0);
    A = second.complement();
    B.c[0] = {zero, h.z, -h.y}, B.c[1] = {-h.z, zero, h.x}, B.c[2] = {h.y, -h.x, zero};
    D = S3<T>::diagonal(mass);
  }
  [[gnu::always_inline]] friend V6<T> operator*(const S6& I, const V6<T>& x) {
    return {I.A * x.angular + I.B * x.linear,
            V3<T>(dot(I.B.c[0], x.angular), dot(I.B.c[1], x.angular), dot(I.B.c[2], x.angular)) +
                I.D * x.linear};
  }
  S6& operator+=(const S6& I) { return A += I.A, B += I.B, D += I.D, *this; }
  /// Takes away u v'; what is taken away in all must be symmetric.
  [[gnu::always_inline]] void subtract_outer(const V6<T>& u, const V6<T>& v) {
    A.subtract_outer(u.angular, v.angular);
    B.c[0] -= u.angular * v.linear.x;
    B.c[1] -= u.angular * v.linear.y;
    B.c[2] -= u.angular * v.linear.z;
    D.subtract_outer(u.linear, v.linear);
  }
};

template <Plain T>
struct S6<T> {
  V6<T> c[6];

  void set_inertia(T mass, const V3<T>& h, const S3<T>& second) {
    this->template set_columns<0>(mass, h, second);
    this->template set_columns<1>(mass, h, second);
    this->template set_columns<2>(mass, h, second);
  }
  [[gnu::always_inline]] friend V6<T> operator*(const S6& I, const V6<T>& x) {
    const V3<T>&w = x.angular, &v = x.linear;
    return (I.c[0] * w[0] + I.c[1] * w[1] + I.c[2] * w[2]) +
           (I.c[3] * v[0] + I.c[4] * v[1] + I.c[5] * v[2]);
  }
  S6& operator+=(const S6& I) {
    for (int k = 0; k < 6; ++k) c[k] += I.c[k];
    return *this;
  }
  [[gnu::always_inline]] void subtract_outer(const V6<T>& u, const V6<T>& v) {
    for (int k = 0; k < 3; ++k) c[k] -= u * v.angular[k], c[3 + k] -= u * v.linear[k];
  }
  /// x with [[A, B], [B', D]] x = f, by the Schur complement A - B D^-1 B'. False if the matrix is not
  /// positive definite.
  [[gnu::always_inline]] bool solve(const V6<T>& f, V6<T>& x) const {
    const M3<T> B{c[3].angular, c[4].angular, c[5].angular};
    const M3<T> Bt{c[0].linear, c[1].linear, c[2].linear};
    S3<T> D, schur;
    D.m = {c[3].linear, c[4].linear, c[5].linear};
    M3<T> D_inverse, schur_inverse;
    const bool lower = D.invert(D_inverse);
    const M3<T> DB = D_inverse * Bt, BDB = B * DB;
    for (int k = 0; k < 3; ++k) schur.m.c[k] = c[k].angular - BDB.c[k];
    const bool upper = schur.invert(schur_inverse);
    const V3<T> Df = D_inverse * f.linear;
    x.angular = schur_inverse * (f.angular - B * Df);
    x.linear = Df - DB * x.angular;
    return lower && upper;
  }

 private:
  template <int k>
  [[gnu::always_inline]] void set_columns(T mass, const V3<T>& h, const S3<T>& second) {
    const V3<T> axis(k == 0, k == 1, k == 2), h_skew = skew_column<k>(h, T(0));
    c[k] = {axis * second.trace() - second.template column<k>(), -h_skew};
    c[3 + k] = {h_skew, axis * mass};
  }
};

}  // namespace instruction set
}  // namespace ulna::lanes
