#pragma once

#include "ulna/dynamics/workspace.hpp"

namespace ulna {

/// M(q), full and symmetric, rotor inertias included. Composite rigid bodies [Walker, Orin 1982;
/// Featherstone 2008, ch. 6], in world axes: then composing bodies is addition. Writes M (nv x nv).
template <Scalar T>
void mass_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws, OutMatrix<T> M);

}  // namespace ulna
