#include "batch_kernel.hpp"

extern "C" ulna::detail::BatchKernel* ulna_batch_kernel_baseline(const ulna::Model& model) {
  return new ulna::detail::BatchKernelOf<4>(model);
}
