#pragma once

namespace ulna::identify::detail {

/// What a kernel is to do with a matrix A, stored by columns.
struct DenseTask {
  enum { factor, solve_rows, add_squares } what;
  double* A;
  int rows, columns;  ///< of A; of its factor, rows are filled up
  const double* B;    ///< L, or what is squared: columns begin `rows` apart
  int count;          ///< columns of B, or rows of L
  bool positive = true;
  const int* first = nullptr;  ///< of each row: the column before which it is zero
};

using DenseKernel = void(DenseTask& task);

}  // namespace ulna::identify::detail

extern "C" ulna::identify::detail::DenseKernel ulna_dense_kernel_baseline, ulna_dense_kernel_avx2,
    ulna_dense_kernel_avx512;
