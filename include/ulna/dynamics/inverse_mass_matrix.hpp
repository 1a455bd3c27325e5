#pragma once

#include "ulna/dynamics/workspace.hpp"

namespace ulna {

/// M(q)^-1, full and symmetric: by sweeps over the mass matrix, or on larger robots by articulated
/// bodies. False, and M_inverse untouched, if M is not positive definite.
template <Scalar T>
[[nodiscard]] bool inverse_mass_matrix(const Plant<T>& plant, const Kinematics<T>& at,
                                       Workspace<T>& ws, OutMatrix<T> M_inverse);

}  // namespace ulna
