#pragma once

#include "ulna/dynamics/drive_dynamics.hpp"
#include "ulna/dynamics/forward_dynamics_impl.hpp"
#include "ulna/dynamics/newton_euler_rates_impl.hpp"
#include "ulna/dynamics/spring_force.hpp"

namespace ulna {

template <Scalar T>
DriveMotion<T>::DriveMotion(Model model)
    : motion_(model),
      jerk_(VecX<T>::Zero(model.nv())),
      snap_(jerk_),
      tree_jerk_(VecX<T>::Zero(model.has_mimics() ? model.tree_nv() : 0)),
      tree_snap_(tree_jerk_),
      deflection_(jerk_) {}

template <Scalar T>
void DriveMotion<T>::set(In<T> q, In<T> v, In<T> a, In<T> jerk, In<T> snap) {
  const Model& model = motion_.model();
  detail::require<T>("jerk", jerk, model.nv(), model);
  detail::require<T>("snap", snap, model.nv(), model);
  motion_.set(q, v, a);
  jerk_ = jerk, snap_ = snap;
  deflected_ = false;
  if (!model.has_mimics()) return;
  detail::spread_rates(model, jerk_, tree_jerk_), detail::spread_rates(model, snap_, tree_snap_);
}

template <Scalar T>
void DriveMotion<T>::set_deflection(In<T> e) {
  detail::require<T>("deflection", e, motion_.model().nv(), motion_.model());
  deflection_ = e;
  deflected_ = true;
}

template <Scalar T>
DriveTorques<T>::DriveTorques(const Model& model)
    : motor(VecX<T>::Zero(model.nv())),
      link(motor),
      link_rate(motor),
      link_rate2(motor),
      theta(motor),
      omega(motor),
      alpha(motor) {}

template <Scalar T>
DriveWorkspace<T>::DriveWorkspace(const Model& model)
    : links(model),
      bodies(model.body_count()),
      tau(VecX<T>::Zero(model.nv())),
      load(tau),
      motor_rate(tau) {
  for (VecX<T>& t : tree_tau) t.setZero(model.has_mimics() ? model.tree_nv() : 0);
  const DriveTrain& train = model.drives();
  const auto elastic = static_cast<Eigen::Index>(train.elastic.size()),
             coupled = static_cast<Eigen::Index>(train.coupled.size());
  if (!train.diagonal) {
    B.setZero(elastic + coupled, elastic + coupled);
    x.setZero(elastic, 1 + coupled);
  }
  if (coupled > 0) M.setZero(model.nv(), model.nv());
}

namespace detail {

/// The rate of a coordinate on the motors' side.
template <Scalar T>
const T& drive_rate(const DriveTrain& train, int c, const VecX<T>& omega, const VecX<T>& v) {
  return train.stiffness(c) > 0.0 ? omega(c) : v(c);
}

/// What a motor resists with at its shaft.
template <Scalar T>
T motor_friction(const DriveParameters<T>& drives, int m, const T& rate) {
  const T coulomb = select(rate > T(0), drives.friction(m),
                           select(rate < T(0), T(-drives.friction_negative(m)), T(0)));
  return drives.damping(m) * rate + coulomb;
}

/// x of the separate motors, y += N'x.
template <Scalar T>
void add_geared(std::span<const DriveTrain::Entry> gears, const VecX<T>& x, VecX<T>& y) {
  for (const auto& [motor, coordinate, ratio] : gears) y(coordinate) += T(ratio) * x(motor);
}

/// rotor_inertia of a coordinate whose only motor has this gear.
template <Scalar T>
T geared_inertia(const Plant<T>& plant, const DriveTrain::Entry& gear) {
  return plant.drives.rotor(gear.coordinate) +
         T(gear.ratio * gear.ratio) * plant.drives.inertia(gear.motor);
}

/// Solves A X = X in place, of a symmetric positive definite matrix whose lower triangle is given and lost. False
/// where it is not.
template <Scalar T, class Matrix, class Columns>
Mask<T> solve_symmetric(Matrix&& A, Columns&& X) {
  const Eigen::Index n = A.rows();
  Mask<T> possible = T(0) < T(1);
  for (Eigen::Index k = 0; k < n; ++k) {
    possible = possible && A(k, k) > T(0);
    const T inverse = T(1) / A(k, k);
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const T l = A(i, k) * inverse;
      for (Eigen::Index j = k + 1; j <= i; ++j) A(i, j) -= l * A(j, k);
      for (Eigen::Index c = 0; c < X.cols(); ++c) X(i, c) -= l * X(k, c);
    }
  }
  for (Eigen::Index c = 0; c < X.cols(); ++c)
    for (Eigen::Index k = n; k-- > 0;) {
      for (Eigen::Index i = k + 1; i < n; ++i) X(k, c) -= A(i, k) * X(i, c);
      X(k, c) = X(k, c) / A(k, k);
    }
  return possible;
}

/// Inertia of the rotors, N'J N + diag(rotor), on elastic coordinates and then on coupled rigid ones.
template <Scalar T>
void set_rotor_inertia(const Plant<T>& plant, MatX<T>& B) {
  const DriveTrain& train = plant.model().drives();
  const auto place = [&](int c) {
    const auto at = std::ranges::lower_bound(train.elastic, c);
    if (at != train.elastic.end() && *at == c) return at - train.elastic.begin();
    return std::ranges::lower_bound(train.coupled, c) - train.coupled.begin() +
           static_cast<std::ptrdiff_t>(train.elastic.size());
  };
  B.setZero();
  for (std::size_t i = 0; i < train.elastic.size(); ++i)
    B(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) =
        plant.drives.rotor(train.elastic[i]);
  for (const DriveTrain::Entry& g : train.separate_gears)
    for (const DriveTrain::Entry& h : train.separate_gears)
      if (g.motor == h.motor)
        B(place(g.coordinate), place(h.coordinate)) +=
            T(g.ratio * h.ratio) * plant.drives.inertia(g.motor);
}

/// Rotors that links carry, as bodies that turn freely about their axes in them: what that adds to the articulated
/// body of the carrier. With J the inertia and n the ratio, T_link has J n (axis . w) theta' more
/// [De Luca, Tomei 1996].
template <Scalar T>
void release_rotors(const Plant<T>& plant, const Kinematics<T>& at, const DriveState<T>& drives,
                    const VecX<T>& load, Workspace<T>& ws) {
  const DriveTrain& train = plant.model().drives();
  for (const auto& [motor, body, axis] : train.mounts) {
    if (body == 0) continue;
    const DriveTrain::Entry gear = train.gear_of(motor);
    const int c = gear.coordinate;
    auto& B = ws.articulated[body];
    const V3<T> s = at.R(body) * V3<T>(Vec3<T>(axis.template cast<T>()));
    const T momentum = T(gear.ratio) * plant.drives.inertia(motor);
    const T D_inverse = T(1) / geared_inertia(plant, gear);
    const V6<T> U{s * momentum, V3<T>::zero()};
    B.I.subtract_outer(U * D_inverse, U);
    B.p += U * (D_inverse * load(c));
    B.p.angular += cross(at.w(body), s) * (momentum * drives.omega(c));
  }
}

/// Accelerations of the rotors that links carry, the links' being known.
template <Scalar T>
void accelerate_rotors(const Plant<T>& plant, const Kinematics<T>& at, const Workspace<T>& ws,
                       Out<T> alpha) {
  const DriveTrain& train = plant.model().drives();
  for (const auto& [motor, body, axis] : train.mounts) {
    if (body == 0) continue;
    const DriveTrain::Entry gear = train.gear_of(motor);
    const V3<T> s = at.R(body) * V3<T>(Vec3<T>(axis.template cast<T>()));
    alpha(gear.coordinate) -= T(gear.ratio) * plant.drives.inertia(motor) *
                              dot(s, ws.articulated[body].A.angular) / geared_inertia(plant, gear);
  }
}

/// Rigid joints that are coupled: their rotors' inertia is no diagonal one, so the mass matrix is taken. `ws.x` is
/// B_ee^-1 of the load of elastic coordinates and of B_er.
template <Scalar T>
bool accelerate_coupled(const Plant<T>& plant, const Kinematics<T>& at, DriveWorkspace<T>& ws,
                        ExternalWrenches<T> wrenches) {
  const DriveTrain& train = plant.model().drives();
  const auto e = static_cast<Eigen::Index>(train.elastic.size()),
             r = static_cast<Eigen::Index>(train.coupled.size());
  mass_matrix<T>(plant, at, ws.links, ws.M);
  for (Eigen::Index i = 0; i < r; ++i) {
    const int row = train.coupled[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < r; ++j) {
      T inertia = ws.B(e + i, e + j);
      for (Eigen::Index k = 0; k < e; ++k) inertia -= ws.B(e + i, k) * ws.x(k, 1 + j);
      ws.M(row, train.coupled[static_cast<std::size_t>(j)]) += inertia;
    }
    for (Eigen::Index k = 0; k < e; ++k) ws.tau(row) -= ws.B(e + i, k) * ws.x(k, 0);
  }
  VecX<T>& bias = ws.links.bias;
  newton_euler_torque<T>(plant, at, at.motion().tree_v(), nullptr, ws.links, wrenches, bias.data());
  for (Eigen::Index i = 0; i < bias.size(); ++i)
    ws.tau(i) -= bias(i) + friction_torque<T>(plant, i, at.v()(i));
  return all(solve_symmetric<T>(ws.M, ws.tau));
}

}  // namespace detail

template <Scalar T>
void spring_torque(const Plant<T>& plant, const Kinematics<T>& at, const DriveState<T>& drives,
                   Out<T> s) {
  const DriveTrain& train = plant.model().drives();
  detail::require_same_robot<T>(plant, at);
  detail::require_size("s", s.size(), plant.model().nv(), plant.model());
  for (const int c : train.elastic)
    s(c) = detail::spring_force<T>(plant.drives, c, drives.theta(c) - at.q()(train.position(c))) +
           plant.drives.spring_damping(c) * (drives.omega(c) - at.v()(c));
}

template <Scalar T>
void drive_inverse_dynamics(const Plant<T>& plant, const DriveMotion<T>& given,
                            DriveWorkspace<T>& ws, DriveTorques<T>& out) {
  const Model& model = plant.model();
  const DriveTrain& train = model.drives();
  const Motion<T>& motion = given.motion();
  detail::require_same_robot(plant, motion);
  if (!train.mounts.empty())
    throw std::invalid_argument("the rotors of robot '" + model.name() +
                                "' are carried by links: torques of a motion need its derivatives "
                                "of higher order than the fourth; "
                                "leave the carriers out");
  T* tau[3] = {out.link.data(), out.link_rate.data(), out.link_rate2.data()};
  if (model.has_mimics())
    for (int k = 0; k < 3; ++k) tau[k] = ws.tree_tau[k].data();
  detail::newton_euler_rates<T>(plant, motion, given.tree_jerk(), given.tree_snap(), ws, tau);
  if (model.has_mimics()) {
    detail::gather_torques(model, tau[0], out.link.data());
    detail::gather_torques(model, tau[1], out.link_rate.data());
    detail::gather_torques(model, tau[2], out.link_rate2.data());
  }
  const VecX<T>&v = motion.v(), &a = motion.a(), &jerk = given.jerk(), &snap = given.snap();
  for (Eigen::Index i = 0; i < model.nv(); ++i) {
    out.link(i) += plant.armature(i) * a(i) + detail::friction_torque<T>(plant, i, v(i));
    out.link_rate(i) += plant.armature(i) * jerk(i) + plant.damping(i) * a(i);
    out.link_rate2(i) += plant.armature(i) * snap(i) + plant.damping(i) * jerk(i);
  }

  // where the motors are
  const DriveParameters<T>& drives = plant.drives;
  out.omega = v, out.alpha = a;
  out.theta.setZero();
  for (const DriveTrain::Entry& g : train.gears)
    if (const int at = train.position(g.coordinate); at >= 0)
      out.theta(g.coordinate) = motion.q()(at);
  for (const int c : train.elastic) {
    const T &s = out.link(c), &ds = out.link_rate(c), &D = drives.spring_damping(c);
    T e = detail::spring_deflection<T>(drives, c, s), slope = detail::spring_slope<T>(drives, c, e);
    T de = ds / slope, dde = (out.link_rate2(c) - T(6) * drives.hardening(c) * e * de * de) / slope;
    if (given.deflection()) {
      const auto damped = D > T(0);
      const T known = (*given.deflection())(c);
      const T rate = (s - detail::spring_force<T>(drives, c, known)) / D;
      const T rate2 = (ds - detail::spring_slope<T>(drives, c, known) * rate) / D;
      e = select(damped, known, e), de = select(damped, rate, de), dde = select(damped, rate2, dde);
    } else {
      // s - D de/dt in place of s: e lags behind by D/K
      const T lag = D / slope;
      e -= lag * de - lag * lag * dde, de -= lag * dde;
    }
    out.theta(c) += e, out.omega(c) += de, out.alpha(c) += dde;
  }

  // what they need: their own inertia and friction, and their share of the links' torques
  ws.tau = out.link;
  if (!train.plain()) {
    ws.load.setZero();
    ws.motor_rate.setZero();
    for (const auto& [motor, c, ratio] : train.separate_gears) {
      ws.motor_rate(motor) += T(ratio) * out.omega(c);
      ws.load(motor) += T(ratio) * drives.inertia(motor) * out.alpha(c);
    }
    for (Eigen::Index m = 0; m < ws.load.size(); ++m)
      if (train.separate[static_cast<std::size_t>(m)])
        ws.load(m) += detail::motor_friction<T>(drives, static_cast<int>(m), ws.motor_rate(m));
    detail::add_geared<T>(train.separate_gears, ws.load, ws.tau);
    for (const int c : train.elastic) ws.tau(c) += drives.rotor(c) * out.alpha(c);
  }
  out.motor.setZero();
  for (const auto& [motor, c, share] : train.shares) out.motor(motor) += T(share) * ws.tau(c);
}

template <Scalar T>
bool drive_forward_dynamics(const Plant<T>& plant, const Kinematics<T>& at,
                            const DriveState<T>& drives, In<T> motor_tau, DriveWorkspace<T>& ws,
                            Out<T> a, Out<T> alpha, ExternalWrenches<T> wrenches) {
  const Model& model = plant.model();
  const DriveTrain& train = model.drives();
  detail::require_forward<T>(plant, at, motor_tau, a.size(), wrenches);
  detail::require_size("alpha", alpha.size(), model.nv(), model);

  // what motors exert on the joints, friction of the separate ones taken off
  ws.load = motor_tau;
  if (!train.plain()) {
    ws.motor_rate.setZero();
    for (const auto& [motor, c, ratio] : train.separate_gears)
      ws.motor_rate(motor) += T(ratio) * detail::drive_rate<T>(train, c, drives.omega, at.v());
    for (Eigen::Index m = 0; m < ws.load.size(); ++m)
      if (train.separate[static_cast<std::size_t>(m)])
        ws.load(m) -=
            detail::motor_friction<T>(plant.drives, static_cast<int>(m), ws.motor_rate(m));
  }
  ws.tau.setZero();
  detail::add_geared<T>(train.gears, ws.load, ws.tau);

  // of elastic joints the links meet the springs, the rotors what is left
  ws.load = ws.tau;
  spring_torque<T>(plant, at, drives, ws.tau);
  for (const int c : train.elastic) ws.load(c) -= ws.tau(c);

  if (!train.diagonal) {
    const auto e = static_cast<Eigen::Index>(train.elastic.size()),
               r = static_cast<Eigen::Index>(train.coupled.size());
    detail::set_rotor_inertia<T>(plant, ws.B);
    for (Eigen::Index i = 0; i < e; ++i) {
      ws.x(i, 0) = ws.load(train.elastic[static_cast<std::size_t>(i)]);
      for (Eigen::Index j = 0; j < r; ++j) ws.x(i, 1 + j) = ws.B(i, e + j);
    }
    if (!all(detail::solve_symmetric<T>(ws.B.topLeftCorner(e, e), ws.x))) return false;
    if (r > 0) {
      if (!detail::accelerate_coupled<T>(plant, at, ws, wrenches)) return false;
      a = ws.tau;
    } else if (!forward_dynamics<T>(plant, at, ws.tau, ws.links, a, wrenches)) {
      return false;
    }
    alpha = a;
    for (Eigen::Index i = 0; i < e; ++i) {
      T sum = ws.x(i, 0);
      for (Eigen::Index j = 0; j < r; ++j)
        sum -= ws.x(i, 1 + j) * a(train.coupled[static_cast<std::size_t>(j)]);
      alpha(train.elastic[static_cast<std::size_t>(i)]) = sum;
    }
    return true;
  }

  if (train.mounts.empty()) {
    if (!forward_dynamics<T>(plant, at, ws.tau, ws.links, a, wrenches)) return false;
  } else {
    detail::set_rigid_bodies(plant, at, ws.links, wrenches);
    detail::release_rotors<T>(plant, at, drives, ws.load, ws.links);
    if (!detail::release_and_accelerate(plant, at, ws.tau.data(), ws.links, a.data())) return false;
  }
  alpha = a;
  for (const DriveTrain::Entry& g : train.separate_gears)
    alpha(g.coordinate) = ws.load(g.coordinate) / detail::geared_inertia<T>(plant, g);
  if (!train.mounts.empty()) detail::accelerate_rotors<T>(plant, at, ws.links, alpha);
  return true;
}

template <Scalar T>
T spring_energy(const Plant<T>& plant, const Kinematics<T>& at, const DriveState<T>& drives) {
  const DriveTrain& train = plant.model().drives();
  T energy(0);
  for (const int c : train.elastic) {
    const T e = drives.theta(c) - at.q()(train.position(c));
    energy += detail::spring_energy<T>(plant.drives, c, e);
  }
  return energy;
}

template <Scalar T>
T rotor_energy(const Plant<T>& plant, const Kinematics<T>& at, const DriveState<T>& drives) {
  const DriveTrain& train = plant.model().drives();
  T energy(0);
  for (const int c : train.elastic)
    energy += T(0.5) * plant.drives.rotor(c) * drives.omega(c) * drives.omega(c);
  // gears of a motor stand side by side
  for (std::size_t i = 0; i < train.separate_gears.size();) {
    const int m = train.separate_gears[i].motor;
    T rate(0);
    for (; i < train.separate_gears.size() && train.separate_gears[i].motor == m; ++i) {
      const auto& [motor, c, ratio] = train.separate_gears[i];
      rate += T(ratio) * detail::drive_rate<T>(train, c, drives.omega, at.v());
    }
    energy += T(0.5) * plant.drives.inertia(m) * rate * rate;
  }
  // a rotor in a link that turns: J phi' (axis . w); J (axis . w)²/2 is the link's
  for (const auto& [motor, body, axis] : train.mounts) {
    if (body == 0) continue;
    const DriveTrain::Entry gear = train.gear_of(motor);
    const lanes::V3<T> s = at.R(body) * lanes::V3<T>(Vec3<T>(axis.template cast<T>()));
    energy += T(gear.ratio) * plant.drives.inertia(motor) * dot(s, at.w(body)) *
              drives.omega(gear.coordinate);
  }
  return energy;
}

}  // namespace ulna
