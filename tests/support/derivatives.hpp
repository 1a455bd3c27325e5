#pragma once

#include "support/dynamics.hpp"
#include "ulna/derivatives/second_derivatives.hpp"

/// Derivatives of a rig's dynamics, as functions that return their results.
namespace ulna::test {

template <class T>
InverseDynamicsDerivatives<T> inverse_derivatives(
    const Rig<T>& rig, std::type_identity_t<ExternalWrenches<T>> wrenches = {}) {
  DerivativeWorkspace<T> ws(rig.model());
  InverseDynamicsDerivatives<T> slope(rig.model());
  inverse_dynamics_derivatives<T>(rig.plant, rig.motion(), ws, slope, wrenches);
  return slope;
}

/// False if there is no acceleration.
template <class T>
[[nodiscard]] bool forward_derivatives(const Rig<T>& rig, std::type_identity_t<In<T>> tau,
                                       ForwardDynamicsDerivatives<T>& slope,
                                       std::type_identity_t<ExternalWrenches<T>> wrenches = {}) {
  DerivativeWorkspace<T> ws(rig.model());
  return forward_dynamics_derivatives<T>(rig.plant, rig.state(), tau, ws, slope, wrenches);
}

template <class T>
InverseDynamicsSecondDerivatives<T> inverse_second_derivatives(
    const Rig<T>& rig, std::type_identity_t<ExternalWrenches<T>> wrenches = {}) {
  SecondDerivativeWorkspace<T> ws(rig.model());
  InverseDynamicsSecondDerivatives<T> curve(rig.model());
  inverse_dynamics_second_derivatives<T>(rig.plant, rig.motion(), ws, curve, wrenches);
  return curve;
}

}  // namespace ulna::test
