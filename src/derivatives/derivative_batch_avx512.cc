#include "derivative_kernel_impl.hpp"

// Eight numbers are aligned to 64 bytes here and nowhere else in ulna, and so is memory for them. What the
// kernel shares with the rest must not contain anything that is laid out otherwise for that.
static_assert(EIGEN_DEFAULT_ALIGN_BYTES >= alignof(ulna::Pack<double, 8>));
static_assert(alignof(ulna::Joint) <= 32 && alignof(ulna::Frame) <= 32 &&
              alignof(ulna::Plant<double>) <= 32);

extern "C" ulna::detail::DerivativeKernel* ulna_derivative_kernel_avx512(const ulna::Model& model) {
  return new ulna::detail::DerivativeKernelOf<8>(model);
}
