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
template <class T, class W>
void set_body_regressor(const V3<T>& c, const V3<T>& w, const V3<T>& alpha, const M3<T>& U, W& to) {
  const T zero(0);
  const T x = c[0], y = c[1], z = c[2], p = w[0], q = w[1], r = w[2];
  const T a = alpha[0], b = alpha[1], d = alpha[2];
  const T pq = p * q, pr = p * r, qr = q * r, pp = p * p, qq = q * q, rr = r * r;
  T* const m = to.data();
  // clang-format off
  const T rows[6][12] = {
      {zero, zero, z, -y,                      a, b - pr, d + pq, -qr, qq - rr, qr, zero, zero},
      {zero, -z, zero, x,                      pr, a + qr, rr - pp, b, d - pq, -pr, zero, zero},
      {zero, y, -x, zero,                      -pq, pp - qq, a - qr, pq, b + pr, d, zero, zero},
      {x, U.c[0][0], U.c[1][0], U.c[2][0],     zero, zero, zero, zero, zero, zero, zero, zero},
      {y, U.c[0][1], U.c[1][1], U.c[2][1],     zero, zero, zero, zero, zero, zero, zero, zero},
      {z, U.c[0][2], U.c[1][2], U.c[2][2],     zero, zero, zero, zero, zero, zero, zero, zero}};
  // clang-format on
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 12; ++k) m[12 * i + k] = rows[i][k];
}

/// row += S'W, ten numbers.
template <class T, class W>
[[gnu::always_inline]] inline void add_row(const lanes::V6<T>& S, const W& w, T* row) {
  using Twelve = Eigen::Matrix<T, 12, 1>;
  const auto part = [&](int i) { return Eigen::Map<const Twelve>(w.data() + 12 * i); };
  const Twelve sum = (part(0) * S.angular[0] + part(1) * S.angular[1]) +
                     (part(2) * S.angular[2] + part(3) * S.linear[0]) +
                     (part(4) * S.linear[1] + part(5) * S.linear[2]);
  Eigen::Map<Eigen::Matrix<T, 10, 1>>(row) += sum.template head<10>();
}

}  // namespace detail

template <Scalar T>
Regressor<T>::Regressor(const Model& model)
    : state_(model), bodies_(model.body_count()), R_CB_(model.body_count()) {
  for (int b = 0; b < model.body_count(); ++b)
    R_CB_[b] = lanes::M3<T>(Mat3<T>(model.joint(b).R_BC.inverse().matrix().template cast<T>()));
}

template <Scalar T>
void Regressor<T>::set(In<T> q, In<T> v, const T* a) {
  using lanes::V3;
  using lanes::V6;
  state_.set(q, v);
  const Model& model = state_.model();
  bodies_[0].A = {V3<T>::zero(), -V3<T>(Vec3<T>(model.gravity().template cast<T>()))};
  for (int b = 1; b < model.body_count(); ++b) {
    Body& B = bodies_[b];
    const int parent = model.joint(b).parent;
    const V3<T>&w = state_.w(b), &u = state_.u(b), &p = state_.p(b);
    B.A = bodies_[parent].A +
          cross(state_.motion(b), V6<T>{w - state_.w(parent), u - state_.u(parent)});
    if (a)
      for (const auto& d : state_.directions(b)) B.A += d.motion() * a[d.dof];
    B.R = state_.R(b) * R_CB_[b];
    B.Rt = B.R.transposed();
    // the acceleration of the body's own origin, at p
    const V3<T> c = B.A.linear + cross(B.A.angular, p) + cross(w, u + cross(w, p));
    const V3<T> w_B = B.Rt * w, alpha_B = B.Rt * B.A.angular;
    detail::set_body_regressor<T>(B.Rt * c, w_B, alpha_B, detail::point_acceleration(w_B, alpha_B),
                                  B.W);
  }
}

template <Scalar T>
lanes::V6<T> Regressor<T>::seen(int body, const lanes::V6<T>& motion) const {
  const Body& B = bodies_[body];
  return {B.Rt * motion.angular, B.Rt * (motion.linear + cross(motion.angular, state_.p(body)))};
}

template <Scalar T>
void Regressor<T>::torque(In<T> q, In<T> v, In<T> a, OutRows<T> Y) {
  const Model& model = state_.model();
  detail::require<T>("a", a, model.nv(), model);
  require_columns("Y", Y, model.nv());
  set(q, v, a.data());
  Y.setZero();
  for (int b = 1; b < model.body_count(); ++b)
    detail::each_above(state_, b, [&](const auto& d) {
      detail::add_row<T>(seen(b, d.motion()), bodies_[b].W, at(Y, d.dof, b));
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
  set(q, v, a.data());
  W.setZero();
  const Transform<T> X_WS = state_.pose(body);
  for (int b = std::max(body, 1); b < model.body_count(); ++b) {
    int above = b;
    while (above > body) above = model.joint(above).parent;
    if (above != body) continue;
    const Transform<T> X_SB = X_WS.inverse() * state_.pose(b);
    for (int k = 0; k < 10; ++k) {
      const Vec6<T> own = bodies_[b].W.col(k);
      W.col(10 * (b - 1) + k) = (X_SB * Wrench<T>::from_vector(own)).vector();
    }
  }
}

template <Scalar T>
void Regressor<T>::energy(In<T> q, In<T> v, Out<T> Y) {
  const Model& model = state_.model();
  detail::require_size("Y", Y.size(), 10 * model.joint_count(), model);
  set(q, v, nullptr);
  const Vec3<T> g = model.gravity().template cast<T>();
  for (int b = 1; b < model.body_count(); ++b) {
    const lanes::V6<T> V = seen(b, state_.motion(b));
    const Vec3<T> w = V.angular.vec(), u = V.linear.vec();
    const Vec3<T> p = state_.origin() + state_.p(b).vec();
    const T half(0.5);
    Y.template segment<10>(10 * (b - 1)) << half * u.dot(u) - g.dot(p),
        cross(u, w) - bodies_[b].Rt.mat() * g, half * w(0) * w(0), w(0) * w(1), w(0) * w(2),
        half * w(1) * w(1), w(1) * w(2), half * w(2) * w(2);
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
  set(q, v, nullptr);
  Y.setZero(), Y_rate.setZero();
  const V3<T> g(Vec3<T>(model.gravity().template cast<T>()));
  const V3<T> zero = V3<T>::zero();
  for (int b = 1; b < model.body_count(); ++b) {
    // momentum is to velocity what force is to acceleration, and weight to gravity
    const V6<T> V = seen(b, state_.motion(b));
    BodyRegressor momentum, weight;
    detail::set_body_regressor<T>(V.linear, zero, V.angular,
                                  detail::point_acceleration(zero, V.angular), momentum);
    detail::set_body_regressor<T>(bodies_[b].Rt * g, zero, zero, M3<T>::zero(), weight);
    detail::each_above(state_, b, [&](const auto& d) {
      const V6<T> S = d.motion(), S_rate = cross(state_.motion(d.body), S);
      detail::add_row<T>(seen(b, S), momentum, at(Y, d.dof, b));
      detail::add_row<T>(seen(b, S_rate), momentum, at(Y_rate, d.dof, b));
      detail::add_row<T>(seen(b, S), weight, at(Y_rate, d.dof, b));
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
