#pragma once

#include <array>
#include <utility>

#include "ulna/spatial/vector.hpp"

/// Three-vectors and 3x3 matrices for inner loops. For most scalars they are three numbers; for double
/// and float, where there is AVX2, they are one SIMD register of four lanes, the last of which is idle,
/// so that a rotation is three multiplications instead of nine. One text of an algorithm serves both,
/// and the layout in memory is the same with AVX2 and without.
namespace ulna::lanes {

// As for packs: code with AVX2 and without may meet in one program, and pass these vectors in
// different registers. Each has names of its own.
#if defined(__AVX2__)
inline namespace avx2 {
#else
inline namespace baseline {
#endif

/// Scalars of which four make a register.
template <class T>
concept Plain = std::same_as<T, double> || std::same_as<T, float>;

struct NoLane {};

template <class T>
struct alignas(Plain<T> ? 4 * sizeof(T) : alignof(T)) V3 {
  T x, y, z;
  /// Zero, as code with AVX2 expects it in memory that both write.
  [[no_unique_address]] std::conditional_t<Plain<T>, T, NoLane> idle{};

  V3() = default;
  V3(const T& x_, const T& y_, const T& z_) : x(x_), y(y_), z(z_) {}
  explicit V3(const Vec3<T>& v) : x(v(0)), y(v(1)), z(v(2)) {}
  static V3 zero() { return {T(0), T(0), T(0)}; }

  const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  void set(int i, const T& to) { (i == 0 ? x : i == 1 ? y : z) = to; }
  Vec3<T> vec() const { return {x, y, z}; }

  using V = const V3&;
  [[gnu::always_inline]] friend V3 operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  [[gnu::always_inline]] friend V3 operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  [[gnu::always_inline]] friend V3 operator-(V a) { return {-a.x, -a.y, -a.z}; }
  [[gnu::always_inline]] friend V3 operator*(V a, const T& s) {
    return {a.x * s, a.y * s, a.z * s};
  }
  V3& operator+=(V b) { return x += b.x, y += b.y, z += b.z, *this; }
  V3& operator-=(V b) { return x -= b.x, y -= b.y, z -= b.z, *this; }

  [[gnu::always_inline]] friend V3 cross(V a, V b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  [[gnu::always_inline]] friend T dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  /// dot(a, b) + dot(c, d)
  [[gnu::always_inline]] friend T dot2(V a, V b, V c, V d) { return dot(a, b) + dot(c, d); }
  /// Element by element.
  [[gnu::always_inline]] friend V3 product(V a, V b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  /// The sums of the elements of four vectors.
  [[gnu::always_inline]] friend std::array<T, 4> sums(V a, V b, V c, V d) {
    return {a.x + a.y + a.z, b.x + b.y + b.z, c.x + c.y + c.z, d.x + d.y + d.z};
  }
  /// Three rows of four numbers: the columns are the vectors.
  [[gnu::always_inline]] static void transposed(V a, V b, V c, V d, T* rows) {
    for (int i = 0; i < 3; ++i, rows += 4)
      rows[0] = a[i], rows[1] = b[i], rows[2] = c[i], rows[3] = d[i];
  }
  /// w x (0, 0, s)
  [[gnu::always_inline]] friend V3 cross_z(V w, const T& s) { return {w.y * s, -(w.x * s), T(0)}; }
  /// a x b + c x d + e x f + g x h
  [[gnu::always_inline]] friend V3 cross4(V a, V b, V c, V d, V e, V f, V g, V h) {
    return (cross(a, b) + cross(c, d)) + (cross(e, f) + cross(g, h));
  }
  /// Column k of [alpha] + s 1, the cross product by alpha and a multiple of the identity.
  template <int k>
  [[gnu::always_inline]] friend V3 skew_column(V alpha, const T& s) {
    if constexpr (k == 0) return {s, alpha.z, -alpha.y};
    if constexpr (k == 1) return {-alpha.z, s, alpha.x};
    if constexpr (k == 2) return {alpha.y, -alpha.x, s};
  }
};

#if defined(__AVX2__) && defined(__GNUC__)

/// Four registers of four lanes: columns become rows.
template <class Lanes>
[[gnu::always_inline]] inline void transpose_lanes(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
              odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7),
              even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
              odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5);
  b = __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5);
  c = __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7);
  d = __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7);
}

template <Plain T>
struct V3<T> {
  typedef T Lanes __attribute__((vector_size(4 * sizeof(T))));
  Lanes e;

  V3() = default;
  V3(T x, T y, T z) : e{x, y, z, T(0)} {}
  explicit V3(const Vec3<T>& v) : e{v(0), v(1), v(2), T(0)} {}
  explicit V3(const Lanes& lanes) : e(lanes) {}
  static V3 zero() { return V3(Lanes{0.0, 0.0, 0.0, 0.0}); }

  T operator[](int i) const { return e[i]; }
  void set(int i, T x) { e[i] = x; }
  Vec3<T> vec() const { return {e[0], e[1], e[2]}; }

  using V = const V3&;
  friend V3 operator+(V a, V b) { return V3(a.e + b.e); }
  friend V3 operator-(V a, V b) { return V3(a.e - b.e); }
  friend V3 operator-(V a) { return V3(-a.e); }
  friend V3 operator*(V a, T s) { return V3(a.e * s); }
  V3& operator+=(V b) { return e += b.e, *this; }
  V3& operator-=(V b) { return e -= b.e, *this; }

  V3 yzx() const { return V3(__builtin_shufflevector(e, e, 1, 2, 0, 3)); }
  friend V3 cross(V a, V b) { return V3(a.e * b.yzx().e - a.yzx().e * b.e).yzx(); }
  friend T dot(V a, V b) { return sum(a.e * b.e); }
  friend T dot2(V a, V b, V c, V d) { return sum(a.e * b.e + c.e * d.e); }
  friend V3 product(V a, V b) { return V3(a.e * b.e); }
  [[gnu::always_inline]] friend std::array<T, 4> sums(V a, V b, V c, V d) {
    // pairs of neighbours first: (a0 + a1, b0 + b1, a2 + a3, b2 + b3); the idle lanes are zero
    const Lanes ab = __builtin_shufflevector(a.e, b.e, 0, 4, 2, 6) +
                     __builtin_shufflevector(a.e, b.e, 1, 5, 3, 7),
                cd = __builtin_shufflevector(c.e, d.e, 0, 4, 2, 6) +
                     __builtin_shufflevector(c.e, d.e, 1, 5, 3, 7);
    const Lanes all =
        __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    return {all[0], all[1], all[2], all[3]};
  }
  [[gnu::always_inline]] static void transposed(V a, V b, V c, V d, T* rows) {
    typedef T Unaligned __attribute__((vector_size(4 * sizeof(T)), aligned(alignof(T)), may_alias));
    Lanes x = a.e, y = b.e, z = c.e, idle = d.e;
    transpose_lanes(x, y, z, idle);
    *reinterpret_cast<Unaligned*>(rows) = x;
    *reinterpret_cast<Unaligned*>(rows + 4) = y;
    *reinterpret_cast<Unaligned*>(rows + 8) = z;
  }
  friend V3 cross_z(V w, T s) {
    return V3(__builtin_shufflevector(w.e, w.e, 1, 0, 3, 3) * Lanes{1.0, -1.0, 0.0, 0.0} * s);
  }
  friend V3 cross4(V a, V b, V c, V d, V e, V f, V g, V h) {
    // the lanes are put in order once, at the end
    const Lanes first = a.e * b.yzx().e - a.yzx().e * b.e + c.e * d.yzx().e - c.yzx().e * d.e;
    const Lanes second = e.e * f.yzx().e - e.yzx().e * f.e + g.e * h.yzx().e - g.yzx().e * h.e;
    return V3(first + second).yzx();
  }
  template <int k>
  friend V3 skew_column(V alpha, T s) {
    constexpr int lanes[3][3] = {{3, 2, 1}, {2, 3, 0}, {1, 0, 3}};
    constexpr int x = lanes[k][0], y = lanes[k][1], z = lanes[k][2];
    constexpr Lanes sign = k == 0   ? Lanes{0.0, 1.0, -1.0, 0.0}
                           : k == 1 ? Lanes{-1.0, 0.0, 1.0, 0.0}
                                    : Lanes{1.0, -1.0, 0.0, 0.0};
    constexpr Lanes diagonal = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0, 0.0};
    return V3(__builtin_shufflevector(alpha.e, alpha.e, x, y, z, 3) * sign + diagonal * s);
  }

 private:
  typedef T Half __attribute__((vector_size(2 * sizeof(T))));
  // the idle lane is zero, so it may be added along
  static T sum(const Lanes& l) {
    const Half low = __builtin_shufflevector(l, l, 0, 1),
               high = __builtin_shufflevector(l, l, 2, 3);
    const Half s = low + high;
    return s[0] + s[1];
  }
};

#endif

/// Four numbers side by side in memory, aligned or not: where there is AVX2, of double one register.
template <class T>
struct Four {
  T e[4];

  static Four all(const T& x) { return {{x, x, x, x}}; }
  static Four load(const T* from) { return {{from[0], from[1], from[2], from[3]}}; }
  [[gnu::always_inline]] void store(T* to) const {
    for (int i = 0; i < 4; ++i) to[i] = e[i];
  }
  const T& operator[](int i) const { return e[i]; }
  /// this += a b
  [[gnu::always_inline]] void add_product(const Four& a, const T& b) {
    for (int i = 0; i < 4; ++i) e[i] += a.e[i] * b;
  }
  /// this += a b, number by number
  [[gnu::always_inline]] void add_product(const Four& a, const Four& b) {
    for (int i = 0; i < 4; ++i) e[i] += a.e[i] * b.e[i];
  }
  friend Four operator*(const Four& a, const T& b) {
    return {{a.e[0] * b, a.e[1] * b, a.e[2] * b, a.e[3] * b}};
  }
  /// Four columns become four rows.
  [[gnu::always_inline]] static void transpose(Four (&m)[4]) {
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < r; ++c) std::swap(m[c].e[r], m[r].e[c]);
  }
};

#if defined(__AVX2__) && defined(__GNUC__)

template <Plain T>
struct Four<T> {
  typedef T Lanes __attribute__((vector_size(4 * sizeof(T))));
  typedef T Unaligned __attribute__((vector_size(4 * sizeof(T)), aligned(alignof(T)), may_alias));
  Lanes e;

  static Four all(T x) { return {Lanes{x, x, x, x}}; }
  static Four load(const T* from) { return {*reinterpret_cast<const Unaligned*>(from)}; }
  [[gnu::always_inline]] void store(T* to) const { *reinterpret_cast<Unaligned*>(to) = e; }
  T operator[](int i) const { return e[i]; }
  [[gnu::always_inline]] void add_product(const Four& a, T b) { e += a.e * b; }
  [[gnu::always_inline]] void add_product(const Four& a, const Four& b) { e += a.e * b.e; }
  friend Four operator*(const Four& a, T b) { return {a.e * b}; }
  [[gnu::always_inline]] static void transpose(Four (&m)[4]) {
    transpose_lanes(m[0].e, m[1].e, m[2].e, m[3].e);
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
  [[gnu::always_inline]] friend V3<T> operator*(const M3& m, const V3<T>& v) {
    return m.c[0] * v[0] + m.c[1] * v[1] + m.c[2] * v[2];
  }
  [[gnu::always_inline]] friend M3 operator*(const M3& a, const M3& b) {
    return {a * b.c[0], a * b.c[1], a * b.c[2]};
  }
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

/// Where a vector is a register the transpose is kept too: a product by columns needs no sums across lanes.
template <Plain T>
struct Turn<T> {
  M3<T> R, Rt;

  V3<T> operator*(const V3<T>& v) const { return R * v; }
  V3<T> back(const V3<T>& v) const { return Rt * v; }
  static Turn from(const M3<T>& m) { return {m, m.transposed()}; }
};

/// A constant rotation E followed by one about z: E Rz(angle), from the angle's sine and cosine.
template <class T>
class TurnAboutZ {
 public:
  TurnAboutZ() = default;
  explicit TurnAboutZ(const Mat3<double>& E) : E_(E.template cast<Real<T>>()) {}
  [[gnu::always_inline]] M3<T> matrix(const T& s, const T& c) const {
    const V3<T> x = column(0), y = column(1);
    return {x * c + y * s, y * c - x * s, column(2)};
  }
  [[gnu::always_inline]] Turn<T> operator()(const T& s, const T& c) const { return {matrix(s, c)}; }
  Turn<T> still() const { return {{column(0), column(1), column(2)}}; }

 private:
  [[gnu::always_inline]] V3<T> column(int k) const {
    return {T(E_(0, k)), T(E_(1, k)), T(E_(2, k))};
  }
  Mat3<Real<T>> E_;
};

template <Plain T>
class TurnAboutZ<T> {
 public:
  TurnAboutZ() = default;
  explicit TurnAboutZ(const Mat3<double>& given) : E_(Mat3<T>(given.template cast<T>())) {
    const Mat3<T> E = given.template cast<T>();
    // row i of E Rz is (c E_i0 + s E_i1, c E_i1 - s E_i0, E_i2)
    for (int i = 0; i < 3; ++i) {
      with_c_[i] = V3<T>(E(i, 0), E(i, 1), T(0));
      with_s_[i] = V3<T>(E(i, 1), -E(i, 0), T(0));
      still_[i] = V3<T>(T(0), T(0), E(i, 2));
    }
  }
  M3<T> matrix(T s, T c) const {
    return {E_.c[0] * c + E_.c[1] * s, E_.c[1] * c - E_.c[0] * s, E_.c[2]};
  }
  Turn<T> operator()(T s, T c) const {
    Turn<T> made;
    made.R = matrix(s, c);
    for (int i = 0; i < 3; ++i) made.Rt.c[i] = with_c_[i] * c + with_s_[i] * s + still_[i];
    return made;
  }
  Turn<T> still() const { return Turn<T>::from(E_); }

 private:
  M3<T> E_;
  V3<T> with_c_[3], with_s_[3], still_[3];
};

}  // namespace instruction set
}  // namespace ulna::lanes
