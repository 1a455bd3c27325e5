#pragma once

#include "ulna/dynamics/workspace.hpp"

/// Energies, momentum and the centre of mass. The base, which stands still, does not count.
namespace ulna {

/// ½ v'M v, rotors included.
template <Scalar T>
T kinetic_energy(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws);

/// -Σ m g'c, zero where all centres of mass lie in the world's origin.
template <Scalar T>
T potential_energy(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws);

template <Scalar T>
T total_mass(const Plant<T>& plant);

/// In the world.
template <Scalar T>
Vec3<T> center_of_mass(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws);
/// J (3 x nv) with J v the velocity of the centre of mass.
template <Scalar T>
void center_of_mass_jacobian(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                             OutMatrix<T> J);
template <Scalar T>
Vec3<T> center_of_mass_velocity(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws);
template <Scalar T>
Vec3<T> center_of_mass_acceleration(const Plant<T>& plant, const Kinematics<T>& at,
                                    Workspace<T>& ws);

/// Spatial momentum in world axes about the world's origin.
template <Scalar T>
Wrench<T> momentum(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws);
/// The same about the centre of mass.
template <Scalar T>
Wrench<T> centroidal_momentum(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws);
/// A (6 x nv, angular rows first) with A v the centroidal momentum [Orin, Goswami, Lee 2013].
template <Scalar T>
void centroidal_momentum_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                                OutMatrix<T> A);

}  // namespace ulna
