#include "dynamics/batch_kernel.hpp"

extern "C" ulna::detail::BatchKernel* ulna_batch_kernel_avx512(const ulna::Model& model) {
  return new ulna::detail::BatchKernelOf<8>(model);
}
