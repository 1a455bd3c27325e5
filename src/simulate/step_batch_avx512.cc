#include "simulate/step_kernel_impl.hpp"

// See src/derivatives/derivative_batch_avx512.cc.
static_assert(EIGEN_DEFAULT_ALIGN_BYTES >= alignof(ulna::Pack<double, 8>));

extern "C" ulna::detail::StepKernel* ulna_step_kernel_avx512(const ulna::Model& model) {
  return new ulna::detail::StepKernelOf<8>(model);
}
