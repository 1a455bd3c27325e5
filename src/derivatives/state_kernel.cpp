#ifdef ULNA_KERNEL

#include "derivatives/state_kernel.hpp"

#include "ulna/derivatives/forward_derivatives_impl.hpp"
#include "ulna/derivatives/regressor_impl.hpp"
#include "ulna/dynamics/instantiate.hpp"

extern "C" const ulna::detail::DerivativeStateKernel& ULNA_KERNEL() {
  using namespace ulna;
  static constexpr detail::DerivativeStateKernel kernel{
      .inverse_dynamics_derivatives = &inverse_dynamics_derivatives<double>,
      .forward_dynamics_derivatives = &forward_dynamics_derivatives<double>,
      .torque_regressor = &torque_regressor<double>};
  return kernel;
}

#endif
