#include "simulate/step_kernel_impl.hpp"

extern "C" ulna::detail::StepKernel* ulna_step_kernel_avx2(const ulna::Model& model) {
  return new ulna::detail::StepKernelOf<4>(model);
}
