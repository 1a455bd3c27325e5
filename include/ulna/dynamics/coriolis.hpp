#pragma once

#include "ulna/dynamics/workspace.hpp"

namespace ulna {

/// C(q, v) with C v the Coriolis and centrifugal torques and dM/dt - 2 C skew, hence passive
/// [Echeandia, Wensing 2021]: the C of the Christoffel symbols where coordinates allow them (the notes on wrenches).
/// Writes C (nv x nv). O(n depth).
template <Scalar T>
void coriolis_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                     OutMatrix<T> C);

/// dM/dt = C + C'.
template <Scalar T>
void mass_matrix_rate(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                      OutMatrix<T> M_rate);

}  // namespace ulna
