#pragma once

#include "ulna/derivatives/regressor.hpp"
#include "ulna/dynamics/inverse_dynamics_impl.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"

namespace ulna {
namespace detail {

/// The wrench a body needs, per unit of m, h and I (xx, xy, xz, yy, yz, zz): with its origin
/// accelerating by c, a point r by c + U r, it turning with w and turning faster by alpha,
///
///   f = m c + U h,   n = h x c + I alpha + w x I w
///
/// Writes what can be other than zero.
template <class T, class W>
void set_body_regressor(const V3<T>& c, const V3<T>& w, const V3<T>& alpha, const M3<T>& U, W& to) {
  const T x = c[0], y = c[1], z = c[2], p = w[0], q = w[1], r = w[2];
  const T a = alpha[0], b = alpha[1], d = alpha[2];
  const T pq = p * q, pr = p * r, qr = q * r, pp = p * p, qq = q * q, rr = r * r;
  T* const m = to.data();
  const auto set = [&](int row, int column, auto... numbers) {
    T* at = m + 12 * row + column;
    ((*at++ = numbers), ...);
  };
  // clang-format off
  set(0, 2,      z, -y,    a, b - pr, d + pq, -qr, qq - rr, qr);
  set(1, 1, -z), set(1, 3, x,    pr, a + qr, rr - pp, b, d - pq, -pr);
  set(2, 1, y, -x), set(2, 4,    -pq, pp - qq, a - qr, pq, b + pr, d);
  // clang-format on
  for (int i = 0; i < 3; ++i) set(3 + i, 0, c[i], U.c[0][i], U.c[1][i], U.c[2][i]);
}

/// S'W in twelve numbers, the last two idle.
template <class T, class W>
[[gnu::always_inline]] inline void set_row(const lanes::V6<T>& S, const W& w, T* row) {
  const V3<T>&t = S.angular, &v = S.linear;
  const T* const m = w.data();
  // what is zero in the matrix is left out
  const auto force = [&](int k) { return v[0] * m[36 + k] + v[1] * m[48 + k] + v[2] * m[60 + k]; };
  row[0] = force(0);
  row[1] = t[1] * m[13] + t[2] * m[25] + force(1);
  row[2] = t[0] * m[2] + t[2] * m[26] + force(2);
  row[3] = t[0] * m[3] + t[1] * m[15] + force(3);
  for (int k = 4; k < 10; ++k) row[k] = t[0] * m[k] + t[1] * m[12 + k] + t[2] * m[24 + k];
}
/// Where four numbers make a register, whole rows are faster.
template <class W>
[[gnu::always_inline]] inline void set_row(const lanes::V6<double>& S, const W& w, double* row) {
  using Twelve = Eigen::Matrix<double, 12, 1>;
  const auto part = [&](int i) { return Eigen::Map<const Twelve>(w.data() + 12 * i); };
  Eigen::Map<Twelve>{row} = (part(0) * S.angular[0] + part(1) * S.angular[1]) +
                            (part(2) * S.angular[2] + part(3) * S.linear[0]) +
                            (part(4) * S.linear[1] + part(5) * S.linear[2]);
}

/// row += S'W, ten numbers.
template <class T, class W>
[[gnu::always_inline]] inline void add_row(const lanes::V6<T>& S, const W& w, T* row) {
  T ten[12];
  set_row(S, w, ten);
  for (int k = 0; k < 10; ++k) row[k] += ten[k];
}

}  // namespace detail

template <Scalar T>
Regressor<T>::Regressor(const Model& model)
    : state_(model),
      bodies_(model.body_count()),
      R_CB_(model.body_count()),
      W_(BodyRegressor::Zero()) {
  for (int b = 0; b < model.body_count(); ++b)
    R_CB_[b] = lanes::M3<T>(Mat3<T>(model.joint(b).R_BC.inverse().matrix().template cast<T>()));
}

template <Scalar T>
void Regressor<T>::set(In<T> q, In<T> v) {
  using lanes::V3;
  state_.set(q, v);
  const Vec3<T> g = state_.model().gravity().template cast<T>();
  bodies_[0].A = {V3<T>::zero(), -V3<T>(g)};
}

template <Scalar T>
void Regressor<T>::place(int b, const T* a) {
  using lanes::V3;
  using lanes::V6;
  Body& B = bodies_[b];
  const int parent = state_.model().joints()[b].parent;
  const V3<T>&w = state_.w(b), &u = state_.u(b), &p = state_.p(b);
  B.A.angular = bodies_[parent].A.angular + cross(state_.w(parent), w);
  B.A.linear = bodies_[parent].A.linear + cross(state_.w(parent), u) + cross(state_.u(parent), w);
  if (a)
    for (const auto& d : state_.directions(b)) {
      B.A.angular += d.w * a[d.dof];
      B.A.linear += d.v * a[d.dof];
    }
  B.R = lanes::Turn<T>::from(state_.R(b) * R_CB_[b]);
  // the acceleration of the body's own origin, at p
  const V3<T> c = B.A.linear + cross(B.A.angular, p) + cross(w, u + cross(w, p));
  const V3<T> w_B = B.R.back(w), alpha_B = B.R.back(B.A.angular);
  detail::set_body_regressor<T>(B.R.back(c), w_B, alpha_B, detail::point_acceleration(w_B, alpha_B),
                                W_);
}

template <Scalar T>
[[gnu::always_inline]] inline lanes::V6<T> Regressor<T>::seen(int body, const lanes::V3<T>& w,
                                                              const lanes::V3<T>& v) const {
  const Body& B = bodies_[body];
  return {B.R.back(w), B.R.back(v + cross(w, state_.p(body)))};
}

template <Scalar T>
template <class Use>
void Regressor<T>::each_torque_block(In<T> q, In<T> v, In<T> a, Use use) {
  const Model& model = state_.model();
  detail::require<T>("a", a, model.nv(), model);
  set(q, v);
  for (int b = 1; b < model.body_count(); ++b) {
    place(b, a.data());
    detail::each_above(state_, b, [&](const auto& d) {
      T ten[12];
      detail::set_row(seen(b, d.w, d.v), W_, ten);
      use(d.dof, b, ten);
    });
  }
}

template <Scalar T>
void Regressor<T>::torque(In<T> q, In<T> v, In<T> a, OutRows<T> Y) {
  require_columns("Y", Y, state_.model().nv());
  Y.setZero();
  each_torque_block(q, v, a, [&](int row, int body, const T* ten) {
    T* const to = at(Y, row, body);
    for (int k = 0; k < 10; ++k) to[k] += ten[k];
  });
}

template <Scalar T>
void Regressor<T>::wrench(int body, In<T> q, In<T> v, In<T> a, OutRows<T> W) {
  const Model& model = state_.model();
  if (body < 0 || body >= model.body_count())
    throw std::invalid_argument("wrench regressor: body " + std::to_string(body) +
                                " is not one of 0 .. " + std::to_string(model.joint_count()));
  detail::require<T>("a", a, model.nv(), model);
  require_columns("W", W, 6);
  set(q, v);
  W.setZero();
  const Transform<T> X_WS = state_.pose(body);
  for (int b = 1; b < model.body_count(); ++b) {
    place(b, a.data());
    int above = b;
    while (above > body) above = model.joint(above).parent;
    if (above != body) continue;
    const Transform<T> X_SB = X_WS.inverse() * state_.pose(b);
    for (int k = 0; k < 10; ++k) {
      const Vec6<T> own = W_.col(k);
      W.col(10 * (b - 1) + k) = (X_SB * Wrench<T>::from_vector(own)).vector();
    }
  }
}

template <Scalar T>
void Regressor<T>::energy(In<T> q, In<T> v, Out<T> Y) {
  const Model& model = state_.model();
  detail::require_size("Y", Y.size(), 10 * model.joint_count(), model);
  set(q, v);
  const Vec3<T> g = model.gravity().template cast<T>();
  for (int b = 1; b < model.body_count(); ++b) {
    place(b, nullptr);
    const lanes::V6<T> V = seen(b, state_.w(b), state_.u(b));
    const Vec3<T> w = V.angular.vec(), u = V.linear.vec();
    const Vec3<T> p = state_.origin() + state_.p(b).vec();
    const T half(0.5);
    Y.template segment<10>(10 * (b - 1)) << half * u.dot(u) - g.dot(p),
        cross(u, w) - bodies_[b].R.back(lanes::V3<T>(g)).vec(), half * w(0) * w(0), w(0) * w(1),
        w(0) * w(2), half * w(1) * w(1), w(1) * w(2), half * w(2) * w(2);
  }
}

template <Scalar T>
void Regressor<T>::momentum(In<T> q, In<T> v, OutRows<T> Y, OutRows<T> Y_rate) {
  using lanes::M3;
  using lanes::V3;
  using lanes::V6;
  const Model& model = state_.model();
  require_columns("Y", Y, model.nv());
  require_columns("Y_rate", Y_rate, model.nv());
  set(q, v);
  Y.setZero(), Y_rate.setZero();
  const V3<T> g(Vec3<T>(model.gravity().template cast<T>()));
  const V3<T> zero = V3<T>::zero();
  for (int b = 1; b < model.body_count(); ++b) {
    place(b, nullptr);
    // momentum is to velocity what force is to acceleration, and weight to gravity
    const V6<T> V = seen(b, state_.w(b), state_.u(b));
    BodyRegressor momentum = BodyRegressor::Zero(), weight = BodyRegressor::Zero();
    detail::set_body_regressor<T>(V.linear, zero, V.angular,
                                  detail::point_acceleration(zero, V.angular), momentum);
    detail::set_body_regressor<T>(bodies_[b].R.back(g), zero, zero, M3<T>::zero(), weight);
    detail::each_above(state_, b, [&](const auto& d) {
      const V6<T> S = d.motion(), S_rate = cross(state_.motion(d.body), S);
      detail::add_row<T>(seen(b, S.angular, S.linear), momentum, at(Y, d.dof, b));
      detail::add_row<T>(seen(b, S_rate.angular, S_rate.linear), momentum, at(Y_rate, d.dof, b));
      detail::add_row<T>(seen(b, S.angular, S.linear), weight, at(Y_rate, d.dof, b));
    });
  }
}

template <Scalar T>
void Regressor<T>::resistance(In<T> v, In<T> a, OutRows<T> X) {
  if (a.size() != v.size() || X.rows() != v.size() || X.cols() != 4)
    throw std::invalid_argument("resistance: v has " + std::to_string(v.size()) + " numbers, a " +
                                std::to_string(a.size()) + ", X is " + std::to_string(X.rows()) +
                                " x " + std::to_string(X.cols()) +
                                "; X must have a row per number and 4 columns");
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    X(i, 0) = v(i);
    X(i, 1) = select(v(i) > T(0), T(1), T(0));
    X(i, 2) = select(v(i) < T(0), T(-1), T(0));
    X(i, 3) = a(i);
  }
}

template <Scalar T>
void Regressor<T>::require_columns(const char* what, const OutRows<T>& Y, Eigen::Index rows) const {
  detail::require_shape(what, Y.rows(), Y.cols(), rows, 10 * state_.model().joint_count(),
                        state_.model());
}

}  // namespace ulna
