#pragma once

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
