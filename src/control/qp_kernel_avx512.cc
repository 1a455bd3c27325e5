#include "control/qp_kernel.hpp"

extern "C" void ulna_qp_kernel_avx512(ulna::detail::QpState* state,
                                      const ulna::detail::QpQuestion* question) {
  ulna::detail::solve_qp(*state, *question);
}
