#pragma once

#include "ulna/derivatives/drive_derivatives.hpp"
#include "ulna/derivatives/forward_derivatives_impl.hpp"
#include "ulna/dynamics/drive_dynamics_impl.hpp"

namespace ulna {
namespace detail {

template <Scalar T>
DriveSlopes<T> no_slopes(Eigen::Index n) {
  return {MatX<T>::Zero(n, n), MatX<T>::Zero(n, n)};
}

/// Column c of `to` += x times column k of `from`.
template <Scalar T>
void add_slope(DriveSlopes<T>& to, int c, const T& x, const DriveSlopes<T>& from, int k) {
  for (Eigen::Index i = 0; i < to.a.rows(); ++i) {
    to.a(i, c) += x * from.a(i, k);
    to.alpha(i, c) += x * from.alpha(i, k);
  }
}

/// Motors follow the links where joints are rigid, and where rotors of elastic joints are coupled with those:
/// alpha_e = B_ee^-1 (load_e - B_er a_r). What the load adds is not included.
template <Scalar T>
void follow_links(const DriveTrain& train, const MatX<T>& x, DriveSlopes<T>& slopes) {
  const auto r = static_cast<Eigen::Index>(train.coupled.size());
  slopes.alpha = slopes.a;
  for (std::size_t i = 0; i < train.elastic.size(); ++i)
    for (Eigen::Index c = 0; c < slopes.a.cols(); ++c) {
      T sum(0);
      for (Eigen::Index j = 0; j < r; ++j)
        sum -= x(static_cast<Eigen::Index>(i), 1 + j) *
               slopes.a(train.coupled[static_cast<std::size_t>(j)], c);
      slopes.alpha(train.elastic[i], c) = sum;
    }
}

/// B_ee^-1
template <Scalar T>
bool invert_rotors(const Plant<T>& plant, DriveDerivativeWorkspace<T>& ws) {
  const DriveTrain& train = plant.model().drives();
  const auto e = static_cast<Eigen::Index>(train.elastic.size());
  ws.B_inverse.setZero();
  if (train.diagonal) {
    for (Eigen::Index i = 0; i < e; ++i) {
      const int c = train.elastic[static_cast<std::size_t>(i)];
      ws.B_inverse(i, i) = T(1) / geared_inertia(plant, train.gear_of(c));
    }
    return true;
  }
  set_rotor_inertia(plant, ws.B);
  for (Eigen::Index i = 0; i < e; ++i) ws.B_inverse(i, i) = T(1);
  return all(solve_symmetric<T>(ws.B.topLeftCorner(e, e), ws.B_inverse));
}

/// The links with the rotors of rigid joints: rigid.dq, dv, and dtau = M^-1, at the acceleration `a`. Of rigid joints that are
/// coupled, M has B_rr - B_re B_ee^-1 B_er more.
template <Scalar T>
bool differentiate_links(const Plant<T>& plant, const Kinematics<T>& at, const VecX<T>& a,
                         DriveDerivativeWorkspace<T>& ws, ExternalWrenches<T> wrenches) {
  const DriveTrain& train = plant.model().drives();
  if (train.coupled.empty())
    return forward_dynamics_derivatives<T>(plant, at, ws.drives.tau, ws.links, ws.rigid, wrenches);
  ws.at.set(at.q(), at.v(), a);
  InverseDynamicsDerivatives<T>& inverse = ws.rigid.inverse;
  inverse_dynamics_derivatives<T>(plant, ws.at, ws.links, inverse, wrenches);
  const auto e = static_cast<Eigen::Index>(train.elastic.size()),
             r = static_cast<Eigen::Index>(train.coupled.size());
  set_rotor_inertia(plant, ws.B);
  ws.M = inverse.da;
  for (Eigen::Index i = 0; i < r; ++i)
    for (Eigen::Index j = 0; j < r; ++j) {
      T inertia = ws.B(e + i, e + j);
      for (Eigen::Index k = 0; k < e; ++k) inertia -= ws.B(e + i, k) * ws.drives.x(k, 1 + j);
      ws.M(train.coupled[static_cast<std::size_t>(i)],
           train.coupled[static_cast<std::size_t>(j)]) += inertia;
    }
  ws.rigid.dtau.setIdentity();
  if (!all(solve_symmetric<T>(ws.M, ws.rigid.dtau))) return false;
  ws.rigid.dq = -ws.rigid.dtau.lazyProduct(inverse.dq);
  ws.rigid.dv = -ws.rigid.dtau.lazyProduct(inverse.dv);
  return true;
}

/// By the torques of springs and drives. With X = B_ee^-1 B_er, links meet s of elastic joints, and t_r - X'(t_e - s_e) of coupled
/// rigid ones.
template <Scalar T>
void set_torque_slopes(const DriveTrain& train, DriveDerivativeWorkspace<T>& ws) {
  const MatX<T>& M_inverse = ws.rigid.dtau;
  const auto e = static_cast<Eigen::Index>(train.elastic.size());
  ws.by_drive.a = M_inverse;
  ws.by_spring.a.setZero();
  for (Eigen::Index i = 0; i < e; ++i) {
    const int c = train.elastic[static_cast<std::size_t>(i)];
    ws.by_drive.a.col(c).setZero();
    for (std::size_t j = 0; j < train.coupled.size(); ++j)
      ws.by_drive.a.col(c) -=
          ws.drives.x(i, 1 + static_cast<Eigen::Index>(j)) * M_inverse.col(train.coupled[j]);
    ws.by_spring.a.col(c) = M_inverse.col(c) - ws.by_drive.a.col(c);
  }
  follow_links(train, ws.drives.x, ws.by_drive), follow_links(train, ws.drives.x, ws.by_spring);
  for (Eigen::Index i = 0; i < e; ++i)
    for (Eigen::Index k = 0; k < e; ++k) {
      const int row = train.elastic[static_cast<std::size_t>(i)],
                c = train.elastic[static_cast<std::size_t>(k)];
      ws.by_drive.alpha(row, c) += ws.B_inverse(i, k);
      ws.by_spring.alpha(row, c) -= ws.B_inverse(i, k);
    }
}

}  // namespace detail

template <Scalar T>
DriveForwardDerivatives<T>::DriveForwardDerivatives(const Model& model)
    : a(VecX<T>::Zero(model.nv())),
      alpha(a),
      q(detail::no_slopes<T>(model.nv())),
      v(q),
      theta(q),
      omega(q),
      tau(q),
      stiffness(q),
      hardening(q),
      spring_damping(q),
      rotor(q),
      inertia(q),
      damping(q) {}

template <Scalar T>
DriveDerivativeWorkspace<T>::DriveDerivativeWorkspace(const Model& model)
    : drives(model),
      links(model),
      rigid(model),
      at(model),
      rate(VecX<T>::Zero(model.nv())),
      rate2(rate),
      M(MatX<T>::Zero(model.nv(), model.nv())),
      B(drives.B),
      by_spring(detail::no_slopes<T>(model.nv())),
      by_drive(by_spring) {
  const auto e = static_cast<Eigen::Index>(model.drives().elastic.size());
  B_inverse.setZero(e, e);
}

template <Scalar T>
bool drive_forward_dynamics_derivatives(const Plant<T>& plant, const Kinematics<T>& at,
                                        const DriveState<T>& drives, In<T> motor_tau,
                                        DriveDerivativeWorkspace<T>& ws,
                                        DriveForwardDerivatives<T>& out,
                                        ExternalWrenches<T> wrenches) {
  const DriveTrain& train = plant.model().drives();
  if (!train.mounts.empty())
    throw std::invalid_argument("the rotors of robot '" + plant.model().name() +
                                "' are carried by links, whose derivatives are not known here; "
                                "leave the carriers out, or call drive_forward_dynamics with dual "
                                "numbers");
  if (!drive_forward_dynamics<T>(plant, at, drives, motor_tau, ws.drives, out.a, out.alpha,
                                 wrenches) ||
      !detail::differentiate_links<T>(plant, at, out.a, ws, wrenches) ||
      !detail::invert_rotors(plant, ws))
    return false;
  detail::set_torque_slopes(train, ws);
  for (DriveSlopes<T>* s : {&out.theta, &out.omega, &out.tau, &out.stiffness, &out.hardening,
                            &out.spring_damping, &out.rotor, &out.inertia, &out.damping})
    s->a.setZero(), s->alpha.setZero();
  out.q.a = ws.rigid.dq, out.v.a = ws.rigid.dv;
  detail::follow_links(train, ws.drives.x, out.q), detail::follow_links(train, ws.drives.x, out.v);

  // s = K e + H e³ + D de/dt
  for (const int c : train.elastic) {
    const T e = drives.theta(c) - at.q()(train.position(c)), rate = drives.omega(c) - at.v()(c);
    const T slope = detail::spring_slope<T>(plant.drives, c, e),
            &damping = plant.drives.spring_damping(c);
    detail::add_slope(out.theta, c, slope, ws.by_spring, c);
    detail::add_slope(out.q, c, T(-slope), ws.by_spring, c);
    detail::add_slope(out.omega, c, damping, ws.by_spring, c);
    detail::add_slope(out.v, c, T(-damping), ws.by_spring, c);
    detail::add_slope(out.stiffness, c, e, ws.by_spring, c);
    detail::add_slope(out.hardening, c, T(e * e * e), ws.by_spring, c);
    detail::add_slope(out.spring_damping, c, rate, ws.by_spring, c);
    detail::add_slope(out.rotor, c, T(-out.alpha(c)), ws.by_drive, c);
  }
  // t = N'(tau - J phi'' - damping phi')
  for (const auto& [motor, c, ratio] : train.gears)
    detail::add_slope(out.tau, motor, T(ratio), ws.by_drive, c);
  if (train.plain()) return true;
  ws.rate.setZero(), ws.rate2.setZero();
  for (const auto& [motor, c, ratio] : train.separate_gears) {
    ws.rate(motor) += T(ratio) * detail::drive_rate<T>(train, c, drives.omega, at.v());
    ws.rate2(motor) += T(ratio) * out.alpha(c);
    const bool elastic = train.stiffness(c) > 0.0;
    detail::add_slope(elastic ? out.omega : out.v, c, T(-T(ratio) * plant.drives.damping(motor)),
                      out.tau, motor);
  }
  for (int m = 0; m < plant.model().nv(); ++m)
    if (train.separate[static_cast<std::size_t>(m)]) {
      detail::add_slope(out.inertia, m, T(-ws.rate2(m)), out.tau, m);
      detail::add_slope(out.damping, m, T(-ws.rate(m)), out.tau, m);
    }
  return true;
}

}  // namespace ulna
