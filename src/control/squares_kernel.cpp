#include "riccati.hpp"

#ifndef ULNA_KERNEL
#define ULNA_KERNEL ulna_squares_kernel_baseline
#endif

extern "C" void ULNA_KERNEL(const double* A, int rows, int depth, double* C) {
  using namespace ulna::control::detail;
  const int ld = filled_up(rows);
  in_fours(rows, [&]<int Columns>(int j) {
    panel<Columns>(nullptr, 0, {A, A + j, ld, 1, ld, depth}, {}, pack_of(j), ld, C + j * ld, ld);
  });
}
