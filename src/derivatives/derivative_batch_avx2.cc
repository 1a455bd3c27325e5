#include "derivative_kernel_impl.hpp"

extern "C" ulna::detail::DerivativeKernel* ulna_derivative_kernel_avx2(const ulna::Model& model) {
  return new ulna::detail::DerivativeKernelOf<4>(model);
}
