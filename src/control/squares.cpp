#include "squares.hpp"

#include "num/processor.hpp"

using SquaresKernel = void(const double* A, int rows, int depth, double* C);
extern "C" SquaresKernel ulna_squares_kernel_baseline, ulna_squares_kernel_avx2,
    ulna_squares_kernel_avx512;

void ulna::control::detail::set_squares(const double* A, int rows, int depth, double* C) {
  ULNA_WIDEST(ulna_squares_kernel)(A, rows, depth, C);
}
