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
[[gnu::always_inline]] inline void set_row(const V6<T>& S, const W& w, T* row) {
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
template <lanes::Plain T, class W>
[[gnu::always_inline]] inline void set_row(const lanes::V6<T>& S, const W& w, T* row) {
  using Twelve = Eigen::Matrix<T, 12, 1>;
  const auto part = [&](int i) { return Eigen::Map<const Twelve>(w.data() + 12 * i); };
  Eigen::Map<Twelve>{row} = (part(0) * S.angular[0] + part(1) * S.angular[1]) +
                            (part(2) * S.angular[2] + part(3) * S.linear[0]) +
                            (part(4) * S.linear[1] + part(5) * S.linear[2]);
}

/// row += S'W, ten numbers.
template <class T, class W>
[[gnu::always_inline]] inline void add_row(const V6<T>& S, const W& w, T* row) {
  T ten[12];
  set_row(S, w, ten);
  for (int k = 0; k < 10; ++k) row[k] += ten[k];
}

template <Scalar T>
void require_columns(const char* what, const OutRows<T>& Y, Eigen::Index rows, const Model& model) {
  require_shape(what, Y.rows(), Y.cols(), rows, 10 * model.joint_count(), model);
}

/// Where a body's parameters begin in a row.
template <Scalar T>
T* block_at(OutRows<T>& Y, int row, int body) {
  return Y.data() + row * Y.outerStride() + 10 * (body - 1);
}

/// A motion (w, v) at `origin`, in the user's frame of a body and at its origin.
template <Scalar T>
[[gnu::always_inline]] inline V6<T> on_body(const Kinematics<T>& at,
                                            const RegressorWorkspace<T>& ws, int body,
                                            const V3<T>& w, const V3<T>& v) {
  const Turn<T>& R = ws.bodies[body].R;
  return {R.back(w), R.back(v + cross(w, at.p(body)))};
}

/// Calls use(b) with each body, parents first, ws.W being its regressor. `a` may be null.
template <Scalar T, class Use>
void each_regressor(const Kinematics<T>& at, const T* a, RegressorWorkspace<T>& ws, Use use) {
  const std::span<const Joint> joints = at.model().joints();
  ws.bodies[0].A = world_acceleration<T>(at.model().gravity().template cast<T>());
  for (int b = 1; b < static_cast<int>(joints.size()); ++b) {
    const int parent = joints[b].parent;
    auto& B = ws.bodies[b];
    B.A = accelerated(at, parent, b, ws.bodies[parent].A, a);
    B.R = Turn<T>::from(at.R(b) * ws.R_CB[b]);
    // the acceleration of the body's own origin, at p
    const V3<T>&w = at.w(b), &u = at.u(b), &p = at.p(b);
    const V3<T> c = B.A.linear + cross(B.A.angular, p) + cross(w, u + cross(w, p));
    const V3<T> w_B = B.R.back(w), alpha_B = B.R.back(B.A.angular);
    set_body_regressor<T>(B.R.back(c), w_B, alpha_B, point_acceleration(w_B, alpha_B), ws.W);
    use(b);
  }
}

}  // namespace detail

template <Scalar T>
RegressorWorkspace<T>::RegressorWorkspace(const Model& model)
    : bodies(model.body_count()), R_CB(model.body_count()), W(BodyRegressor::Zero()) {
  for (int b = 0; b < model.body_count(); ++b)
    R_CB[b] = lanes::M3<T>(Mat3<T>(model.joint(b).R_BC.inverse().matrix().template cast<T>()));
}

template <Scalar T, class Use>
void each_torque_block(const Kinematics<T>& at, RegressorWorkspace<T>& ws, Use use) {
  detail::each_regressor(at, at.a().data(), ws, [&](int b) {
    detail::each_above(at, b, [&](const auto& d) {
      T ten[12];
      detail::set_row(detail::on_body(at, ws, b, d.w, d.v), ws.W, ten);
      use(d.dof, b, ten);
    });
  });
}

template <Scalar T>
void torque_regressor(const Kinematics<T>& at, RegressorWorkspace<T>& ws, OutRows<T> Y) {
  detail::require_columns<T>("Y", Y, at.model().nv(), at.model());
  Y.setZero();
  each_torque_block(at, ws, [&](int row, int body, const T* ten) {
    T* const to = detail::block_at<T>(Y, row, body);
    for (int k = 0; k < 10; ++k) to[k] += ten[k];
  });
}

template <Scalar T>
void wrench_regressor(const Kinematics<T>& at, int body, RegressorWorkspace<T>& ws, OutRows<T> W) {
  const Model& model = at.model();
  if (body < 0 || body >= model.body_count())
    throw std::invalid_argument("wrench regressor: body " + std::to_string(body) +
                                " is not one of 0 .. " + std::to_string(model.joint_count()));
  detail::require_columns<T>("W", W, 6, model);
  W.setZero();
  const Transform<T> X_WS = at.pose(body);
  detail::each_regressor(at, at.a().data(), ws, [&](int b) {
    int above = b;
    while (above > body) above = model.joint(above).parent;
    if (above != body) return;
    const Transform<T> X_SB = X_WS.inverse() * at.pose(b);
    for (int k = 0; k < 10; ++k) {
      const Vec6<T> own = ws.W.col(k);
      W.col(10 * (b - 1) + k) = (X_SB * Wrench<T>::from_vector(own)).vector();
    }
  });
}

template <Scalar T>
void energy_regressor(const Kinematics<T>& at, RegressorWorkspace<T>& ws, Out<T> Y) {
  const Model& model = at.model();
  detail::require_size("Y", Y.size(), 10 * model.joint_count(), model);
  const Vec3<T> g = model.gravity().template cast<T>();
  detail::each_regressor<T>(at, nullptr, ws, [&](int b) {
    const lanes::V6<T> V = detail::on_body(at, ws, b, at.w(b), at.u(b));
    const Vec3<T> w = V.angular.vec(), u = V.linear.vec();
    const Vec3<T> p = at.origin() + at.p(b).vec();
    const T half(0.5);
    Y.template segment<10>(10 * (b - 1)) << half * u.dot(u) - g.dot(p),
        cross(u, w) - ws.bodies[b].R.back(lanes::V3<T>(g)).vec(), half * w(0) * w(0), w(0) * w(1),
        w(0) * w(2), half * w(1) * w(1), w(1) * w(2), half * w(2) * w(2);
  });
}

template <Scalar T>
void momentum_regressor(const Kinematics<T>& at, RegressorWorkspace<T>& ws, OutRows<T> Y,
                        OutRows<T> Y_rate) {
  using lanes::M3;
  using lanes::V3;
  using lanes::V6;
  const Model& model = at.model();
  detail::require_columns<T>("Y", Y, model.nv(), model);
  detail::require_columns<T>("Y_rate", Y_rate, model.nv(), model);
  Y.setZero(), Y_rate.setZero();
  const V3<T> g(Vec3<T>(model.gravity().template cast<T>()));
  const V3<T> zero = V3<T>::zero();
  using BodyRegressor = typename RegressorWorkspace<T>::BodyRegressor;
  detail::each_regressor<T>(at, nullptr, ws, [&](int b) {
    // momentum is to velocity what force is to acceleration, and weight to gravity
    const V6<T> V = detail::on_body(at, ws, b, at.w(b), at.u(b));
    BodyRegressor momentum = BodyRegressor::Zero(), weight = BodyRegressor::Zero();
    detail::set_body_regressor<T>(V.linear, zero, V.angular,
                                  detail::point_acceleration(zero, V.angular), momentum);
    detail::set_body_regressor<T>(ws.bodies[b].R.back(g), zero, zero, M3<T>::zero(), weight);
    detail::each_above(at, b, [&](const auto& d) {
      const V6<T> S_rate = cross(at.velocity(d.body), d.axis());
      const V6<T> S_b = detail::on_body(at, ws, b, d.w, d.v),
                  S_rate_b = detail::on_body(at, ws, b, S_rate.angular, S_rate.linear);
      detail::add_row<T>(S_b, momentum, detail::block_at<T>(Y, d.dof, b));
      detail::add_row<T>(S_rate_b, momentum, detail::block_at<T>(Y_rate, d.dof, b));
      detail::add_row<T>(S_b, weight, detail::block_at<T>(Y_rate, d.dof, b));
    });
  });
}

}  // namespace ulna
