#pragma once

#include "dynamics/state_kernel.hpp"
#include "num/processor.hpp"
#include "ulna/derivatives/derivatives.hpp"
#include "ulna/derivatives/regressor.hpp"

/// The derivatives of one state in doubles, as dynamics/state_kernel.hpp.
namespace ulna::detail {

struct DerivativeStateKernel {
  void (*inverse_dynamics_derivatives)(StatePlant, StateAt, DerivativeWorkspace<double>&,
                                       InverseDynamicsDerivatives<double>&,
                                       ExternalWrenches<double>);
  bool (*forward_dynamics_derivatives)(StatePlant, StateAt, In<double>,
                                       DerivativeWorkspace<double>&,
                                       ForwardDynamicsDerivatives<double>&,
                                       ExternalWrenches<double>);
  void (*torque_regressor)(StateAt, RegressorWorkspace<double>&, OutRows<double>);
};

}  // namespace ulna::detail

extern "C" {
const ulna::detail::DerivativeStateKernel& ulna_derivative_state_kernel_baseline();
const ulna::detail::DerivativeStateKernel& ulna_derivative_state_kernel_avx2();
}

#if ULNA_STATE_KERNELS && !defined(ULNA_KERNEL)
namespace ulna {

namespace detail {
inline const DerivativeStateKernel& widest_derivatives() {
  static const DerivativeStateKernel& kernel =
      has_avx2() ? ulna_derivative_state_kernel_avx2() : ulna_derivative_state_kernel_baseline();
  return kernel;
}
}  // namespace detail

template <>
void inverse_dynamics_derivatives(const Plant<double>&, const Kinematics<double>&,
                                  DerivativeWorkspace<double>&, InverseDynamicsDerivatives<double>&,
                                  ExternalWrenches<double>);
template <>
bool forward_dynamics_derivatives(const Plant<double>&, const Kinematics<double>&, In<double>,
                                  DerivativeWorkspace<double>&, ForwardDynamicsDerivatives<double>&,
                                  ExternalWrenches<double>);
template <>
void torque_regressor(const Kinematics<double>&, RegressorWorkspace<double>&, OutRows<double>);

}  // namespace ulna
#endif
