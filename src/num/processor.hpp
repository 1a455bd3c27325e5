#pragma once

/// The widest version of a kernel that the processor can run. It is one text, compiled for several sets of
/// instructions (cmake/WideKernels.cmake), each with a name of its own, so that the linker can distinguish them.
#if ULNA_WIDE_KERNELS
#define ULNA_WIDEST(kernel)                     \
  (ulna::detail::has_avx512() ? kernel##_avx512 \
   : ulna::detail::has_avx2() ? kernel##_avx2   \
                              : kernel##_baseline)
#else
#define ULNA_WIDEST(kernel) kernel##_baseline
#endif

namespace ulna::detail {

/// Whether the kernels for AVX2 are there and can run here.
inline bool has_avx2() {
#if ULNA_WIDE_KERNELS
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

inline bool has_avx512() {
#if ULNA_WIDE_KERNELS
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

}  // namespace ulna::detail
