#pragma once

#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/mass_matrix_impl.hpp"

namespace ulna {
namespace detail {

template <Scalar T, class Composite>
Inertia<T> inertia_of(const Composite& C) {
  const Mat3<T> S = C.second.mat();
  return Inertia<T>::about_origin(C.mass, C.first.vec(), S.trace() * Mat3<T>::Identity() - S);
}

/// Calls use(b, I) with each body's inertia in world axes about `origin`.
template <Scalar T, class F>
void each_body(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws, F use) {
  require_same_robot<T>(plant, at);
  for (int b = 1; b < plant.model().body_count(); ++b) {
    carry_to_world(plant.body(b), at.R(b), at.p(b), ws.composites[b]);
    use(b, inertia_of<T>(ws.composites[b]));
  }
}

/// Calls use(direction, momentum) with the momentum, about `origin`, that each direction gives to all
/// that it moves, per unit velocity.
template <Scalar T, class F>
void each_direction(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws, F use) {
  require_same_robot<T>(plant, at);
  compose_bodies(plant, at, ws);
  for (const auto& d : at.directions()) {
    V3<T> moment, force;
    momentum(ws.composites[d.body], d.w, d.v, moment, force);
    use(d, Wrench<T>{moment.vec(), force.vec()});
  }
}

/// The centre of mass, from `origin`.
template <Scalar T>
Vec3<T> com_from_origin(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  Vec3<T> moment = Vec3<T>::Zero();
  each_body(plant, at, ws, [&](int, const Inertia<T>& I) { moment += I.first_moment(); });
  return moment / total_mass(plant);
}

/// The momentum of all bodies about `origin`.
template <Scalar T>
Wrench<T> momentum_at_origin(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  Wrench<T> h;
  each_body(plant, at, ws, [&](int b, const Inertia<T>& I) { h += I * at.V(b); });
  return h;
}

}  // namespace detail

template <Scalar T>
T kinetic_energy(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  T energy(0);
  for (int i = 0; i < plant.model().nv(); ++i)
    energy += T(0.5) * plant.armature(i) * square(at.v()(i));
  detail::each_body(plant, at, ws,
                    [&](int b, const Inertia<T>& I) { energy += kinetic_energy(I, at.V(b)); });
  return energy;
}

template <Scalar T>
T potential_energy(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  T energy(0);
  detail::each_body(plant, at, ws, [&](int, const Inertia<T>& I) {
    energy -= plant.gravity.dot(I.first_moment() + I.mass() * at.origin());
  });
  return energy;
}

template <Scalar T>
T total_mass(const Plant<T>& plant) {
  T mass(0);
  for (int b = 1; b < plant.model().body_count(); ++b) mass += plant.body(b).mass;
  return mass;
}

template <Scalar T>
Vec3<T> center_of_mass(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  return at.origin() + detail::com_from_origin(plant, at, ws);
}

template <Scalar T>
void center_of_mass_jacobian(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                             OutMatrix<T> J) {
  detail::require_shape("J", J.rows(), J.cols(), 3, plant.model().nv(), plant.model());
  J.setZero();
  const T mass = total_mass(plant);
  detail::each_direction(
      plant, at, ws, [&](const auto& d, const Wrench<T>& h) { J.col(d.dof) += h.force / mass; });
}

template <Scalar T>
Wrench<T> momentum(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  return detail::momentum_at_origin(plant, at, ws).at(-at.origin());
}

template <Scalar T>
Wrench<T> centroidal_momentum(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  return detail::momentum_at_origin(plant, at, ws).at(detail::com_from_origin(plant, at, ws));
}

template <Scalar T>
Vec3<T> center_of_mass_velocity(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  return detail::momentum_at_origin(plant, at, ws).force / total_mass(plant);
}

template <Scalar T>
Vec3<T> center_of_mass_acceleration(const Plant<T>& plant, const Kinematics<T>& at,
                                    Workspace<T>& ws) {
  Vec3<T> force = Vec3<T>::Zero();
  detail::each_body(plant, at, ws, [&](int b, const Inertia<T>& I) {
    const Twist<T> V = at.V(b);
    force += (I * at.A(b) + cross(V, I * V)).force;
  });
  return force / total_mass(plant);
}

template <Scalar T>
void centroidal_momentum_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                                OutMatrix<T> A) {
  detail::require_shape("A", A.rows(), A.cols(), 6, plant.model().nv(), plant.model());
  A.setZero();
  const Vec3<T> com = detail::com_from_origin(plant, at, ws);
  detail::each_direction(plant, at, ws, [&](const auto& d, const Wrench<T>& h) {
    A.col(d.dof) += h.at(com).vector();
  });
}

}  // namespace ulna
