#include "control/qp_kernel.hpp"

extern "C" void ulna_qp_kernel_avx512(ulna::control::detail::QpState* state,
                                      const ulna::control::detail::QpRun* run) {
  ulna::control::detail::solve_qp(*state, *run);
}
