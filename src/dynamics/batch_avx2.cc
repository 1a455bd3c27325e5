#include "batch_kernel.hpp"

extern "C" ulna::detail::BatchKernel* ulna_batch_kernel_avx2(const ulna::Model& model) {
  return new ulna::detail::BatchKernelOf<4>(model);
}
