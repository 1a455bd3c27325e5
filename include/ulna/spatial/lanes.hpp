#pragma once

#include "ulna/spatial/vector.hpp"

/// Three-vectors and 3x3 matrices for inner loops. For most scalars they are three numbers; for
/// double they are one SIMD register of four lanes, the last of which is idle, so that a rotation is
/// three multiplications instead of nine. One text of an algorithm serves both.
namespace ulna::lanes {

template <class T>
struct V3 {
  T e[3];

  V3() = default;
  V3(const T& x, const T& y, const T& z) : e{x, y, z} {}
  explicit V3(const Vec3<T>& v) : e{v(0), v(1), v(2)} {}
  static V3 zero() { return {T(0), T(0), T(0)}; }

  const T& operator[](int i) const { return e[i]; }
  void set(int i, const T& x) { e[i] = x; }
  Vec3<T> vec() const { return {e[0], e[1], e[2]}; }

  friend V3 operator+(const V3& a, const V3& b) {
    return {a.e[0] + b.e[0], a.e[1] + b.e[1], a.e[2] + b.e[2]};
  }
  friend V3 operator-(const V3& a, const V3& b) {
    return {a.e[0] - b.e[0], a.e[1] - b.e[1], a.e[2] - b.e[2]};
  }
  friend V3 operator-(const V3& a) { return {-a.e[0], -a.e[1], -a.e[2]}; }
  friend V3 operator*(const V3& a, const T& s) { return {a.e[0] * s, a.e[1] * s, a.e[2] * s}; }
  V3& operator+=(const V3& b) { return *this = *this + b; }
  V3& operator-=(const V3& b) { return *this = *this - b; }

  friend V3 cross(const V3& a, const V3& b) {
    return {a.e[1] * b.e[2] - a.e[2] * b.e[1], a.e[2] * b.e[0] - a.e[0] * b.e[2],
            a.e[0] * b.e[1] - a.e[1] * b.e[0]};
  }
  friend T dot(const V3& a, const V3& b) {
    return a.e[0] * b.e[0] + a.e[1] * b.e[1] + a.e[2] * b.e[2];
  }
  /// dot(a, b) + dot(c, d)
  friend T dot2(const V3& a, const V3& b, const V3& c, const V3& d) {
    return dot(a, b) + dot(c, d);
  }
  /// w x (0, 0, s)
  friend V3 cross_z(const V3& w, const T& s) { return {w.e[1] * s, -(w.e[0] * s), T(0)}; }
  /// a x b + c x d + e x f + g x h
  friend V3 cross4(const V3& a, const V3& b, const V3& c, const V3& d, const V3& e, const V3& f,
                   const V3& g, const V3& h) {
    return (cross(a, b) + cross(c, d)) + (cross(e, f) + cross(g, h));
  }
  /// Column k of [alpha] + s 1, the cross product by alpha and a multiple of the identity.
  template <int k>
  friend V3 skew_column(const V3& alpha, const T& s) {
    if constexpr (k == 0) return {s, alpha.e[2], -alpha.e[1]};
    if constexpr (k == 1) return {-alpha.e[2], s, alpha.e[0]};
    if constexpr (k == 2) return {alpha.e[1], -alpha.e[0], s};
  }
};

#if defined(__GNUC__)

template <>
struct V3<double> {
  using Lanes = double __attribute__((vector_size(32)));
  using Order = long long __attribute__((vector_size(32)));
  Lanes e;

  V3() = default;
  V3(double x, double y, double z) : e{x, y, z, 0.0} {}
  explicit V3(const Vec3<double>& v) : e{v(0), v(1), v(2), 0.0} {}
  explicit V3(const Lanes& lanes) : e(lanes) {}
  static V3 zero() { return V3(Lanes{0.0, 0.0, 0.0, 0.0}); }

  double operator[](int i) const { return e[i]; }
  void set(int i, double x) { e[i] = x; }
  Vec3<double> vec() const { return {e[0], e[1], e[2]}; }

  friend V3 operator+(const V3& a, const V3& b) { return V3(a.e + b.e); }
  friend V3 operator-(const V3& a, const V3& b) { return V3(a.e - b.e); }
  friend V3 operator-(const V3& a) { return V3(-a.e); }
  friend V3 operator*(const V3& a, double s) { return V3(a.e * s); }
  V3& operator+=(const V3& b) { return e += b.e, *this; }
  V3& operator-=(const V3& b) { return e -= b.e, *this; }

  V3 yzx() const { return V3(__builtin_shuffle(e, Order{1, 2, 0, 3})); }
  friend V3 cross(const V3& a, const V3& b) { return V3(a.e * b.yzx().e - a.yzx().e * b.e).yzx(); }
  friend double dot(const V3& a, const V3& b) { return sum(a.e * b.e); }
  friend double dot2(const V3& a, const V3& b, const V3& c, const V3& d) {
    return sum(a.e * b.e + c.e * d.e);
  }
  friend V3 cross_z(const V3& w, double s) {
    return V3(__builtin_shuffle(w.e, Order{1, 0, 3, 3}) * Lanes{1.0, -1.0, 0.0, 0.0} * s);
  }
  friend V3 cross4(const V3& a, const V3& b, const V3& c, const V3& d, const V3& e, const V3& f,
                   const V3& g, const V3& h) {
    // the lanes are put in order once, at the end
    const Lanes first = a.e * b.yzx().e - a.yzx().e * b.e + c.e * d.yzx().e - c.yzx().e * d.e;
    const Lanes second = e.e * f.yzx().e - e.yzx().e * f.e + g.e * h.yzx().e - g.yzx().e * h.e;
    return V3(first + second).yzx();
  }
  template <int k>
  friend V3 skew_column(const V3& alpha, double s) {
    constexpr Order order = k == 0   ? Order{3, 2, 1, 3}
                            : k == 1 ? Order{2, 3, 0, 3}
                                     : Order{1, 0, 3, 3};
    constexpr Lanes sign = k == 0   ? Lanes{0.0, 1.0, -1.0, 0.0}
                           : k == 1 ? Lanes{-1.0, 0.0, 1.0, 0.0}
                                    : Lanes{1.0, -1.0, 0.0, 0.0};
    constexpr Lanes diagonal = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0, 0.0};
    return V3(__builtin_shuffle(alpha.e, order) * sign + diagonal * s);
  }

 private:
  using Half = double __attribute__((vector_size(16)));
  // the idle lane is zero, so it may be added along
  static double sum(const Lanes& l) {
    const Half low = __builtin_shufflevector(l, l, 0, 1),
               high = __builtin_shufflevector(l, l, 2, 3);
    const Half s = low + high;
    return s[0] + s[1];
  }
};

#endif

/// By columns.
template <class T>
struct M3 {
  V3<T> c[3];

  M3() = default;
  M3(const V3<T>& x, const V3<T>& y, const V3<T>& z) : c{x, y, z} {}
  explicit M3(const Mat3<T>& m)
      : c{V3<T>(Vec3<T>(m.col(0))), V3<T>(Vec3<T>(m.col(1))), V3<T>(Vec3<T>(m.col(2)))} {}
  static M3 zero() { return {V3<T>::zero(), V3<T>::zero(), V3<T>::zero()}; }

  Mat3<T> mat() const {
    Mat3<T> m;
    m << c[0].vec(), c[1].vec(), c[2].vec();
    return m;
  }
  M3 transposed() const {
    return {{c[0][0], c[1][0], c[2][0]}, {c[0][1], c[1][1], c[2][1]}, {c[0][2], c[1][2], c[2][2]}};
  }
  friend V3<T> operator*(const M3& m, const V3<T>& v) {
    return m.c[0] * v[0] + m.c[1] * v[1] + m.c[2] * v[2];
  }
  friend M3 operator*(const M3& a, const M3& b) { return {a * b.c[0], a * b.c[1], a * b.c[2]}; }
  M3& operator+=(const M3& b) { return c[0] += b.c[0], c[1] += b.c[1], c[2] += b.c[2], *this; }
};

/// A rotation that is used in both directions.
template <class T>
struct Turn {
  M3<T> R;

  V3<T> operator*(const V3<T>& v) const { return R * v; }
  V3<T> back(const V3<T>& v) const { return {dot(R.c[0], v), dot(R.c[1], v), dot(R.c[2], v)}; }
  static Turn from(const M3<T>& m) { return {m}; }
};

/// For double the transpose is kept too: a product by columns needs no sums across lanes.
template <>
struct Turn<double> {
  M3<double> R, Rt;

  V3<double> operator*(const V3<double>& v) const { return R * v; }
  V3<double> back(const V3<double>& v) const { return Rt * v; }
  static Turn from(const M3<double>& m) { return {m, m.transposed()}; }
};

/// A constant rotation E followed by one about z: E Rz(angle), from the angle's sine and cosine.
template <class T>
class TurnAboutZ {
 public:
  TurnAboutZ() = default;
  explicit TurnAboutZ(const Mat3<double>& E) : E_(E.template cast<Real<T>>()) {}
  M3<T> matrix(const T& s, const T& c) const {
    M3<T> R;
    for (int i = 0; i < 3; ++i) {
      const T x(E_(i, 0)), y(E_(i, 1)), z(E_(i, 2));
      R.c[0].set(i, c * x + s * y);
      R.c[1].set(i, c * y - s * x);
      R.c[2].set(i, z);
    }
    return R;
  }
  Turn<T> operator()(const T& s, const T& c) const { return {matrix(s, c)}; }
  Turn<T> still() const { return Turn<T>::from(M3<T>(Mat3<T>(E_.template cast<T>()))); }

 private:
  Mat3<Real<T>> E_;
};

template <>
class TurnAboutZ<double> {
 public:
  TurnAboutZ() = default;
  explicit TurnAboutZ(const Mat3<double>& E) : E_(E) {
    // row i of E Rz is (c E_i0 + s E_i1, c E_i1 - s E_i0, E_i2)
    for (int i = 0; i < 3; ++i) {
      with_c_[i] = V3<double>(E(i, 0), E(i, 1), 0.0);
      with_s_[i] = V3<double>(E(i, 1), -E(i, 0), 0.0);
      still_[i] = V3<double>(0.0, 0.0, E(i, 2));
    }
  }
  M3<double> matrix(double s, double c) const {
    return {E_.c[0] * c + E_.c[1] * s, E_.c[1] * c - E_.c[0] * s, E_.c[2]};
  }
  Turn<double> operator()(double s, double c) const {
    Turn<double> made;
    made.R = matrix(s, c);
    for (int i = 0; i < 3; ++i) made.Rt.c[i] = with_c_[i] * c + with_s_[i] * s + still_[i];
    return made;
  }
  Turn<double> still() const { return Turn<double>::from(E_); }

 private:
  M3<double> E_;
  V3<double> with_c_[3], with_s_[3], still_[3];
};

}  // namespace ulna::lanes
