#pragma once

#include "ulna/model/configuration.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// The joint torques that hold the robot still at q against gravity, nv numbers: the gradient of the
/// potential energy (004, sec. 3).
template <Scalar T>
VecX<T> gravity_torque(const Model& model, const VecX<T>& q);

/// -Σ m g'c over the bodies, zero where all centres of mass lie in the world's origin.
template <Scalar T>
T potential_energy(const Model& model, const VecX<T>& q);

extern template VecX<double> gravity_torque(const Model&, const VecX<double>&);
extern template double potential_energy(const Model&, const VecX<double>&);

}  // namespace ulna
