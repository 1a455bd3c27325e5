#include "identify/dense_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "num/panels.hpp"

namespace ulna::identify::detail {

using namespace ulna::detail::panels;

/// Left-looking, four columns at a time.
inline void factor_by_panels(DenseTask& task) {
  double* const L = task.A;
  const int ld = task.rows;
  in_fours(task.columns, [&]<int C>(int j) {
    const int from = j / width * width, k = *std::min_element(task.first + j, task.first + j + C);
    panel<C>(L + j * ld, ld, {}, {L + k * ld, L + k * ld + j, ld, 1, ld, j - k}, from, ld,
             L + j * ld, ld);
    for (int c = 0; c < C; ++c) {
      take_from_group(L, ld, j, c, from, ld);
      const double left = L[(j + c) * ld + j + c];
      task.positive = task.positive && left > 0.0 && std::isfinite(left);
      scale_column(L, ld, j, c, from, ld, left > 0.0 ? 1.0 / std::sqrt(left) : 1.0);
    }
  });
}

/// The same recursion, for rows below L: A holds eight.
inline void solve_by_panels(DenseTask& task) {
  constexpr int ld = 8;
  const double* const L = task.B;
  double* const X = task.A;
  in_fours(task.columns, [&]<int C>(int j) {
    panel<C>(X + j * ld, ld, {}, {X, L + j, ld, 1, task.count, j}, 0, ld, X + j * ld, ld);
    for (int c = 0; c < C; ++c) {
      double* const column = X + (j + c) * ld;
      for (int b = 0; b < c; ++b)
        for (int row = 0; row < ld; ++row)
          column[row] -= X[(j + b) * ld + row] * L[(j + b) * task.count + j + c];
      for (int row = 0; row < ld; ++row) column[row] /= L[(j + c) * task.count + j + c];
    }
  });
}

inline void add_squares_by_panels(DenseTask& task) {
  double* const A = task.A;
  const double* const Z = task.B;
  const int n = task.rows;
  in_fours(n, [&]<int C>(int j) {
    // packs end with the column; what is left stands at the diagonal
    const int from = j + (n - j) % width;
    for (int c = 0; c < C; ++c)
      for (int row = j + c; row < from; ++row)
        for (int k = 0; k < task.count; ++k)
          A[(j + c) * n + row] += Z[k * n + row] * Z[k * n + j + c];
    panel<C>(A + j * n, n, {Z, Z + j, n, 1, n, task.count}, {}, from, n, A + j * n, n);
  });
}

}  // namespace ulna::identify::detail

#ifndef ULNA_KERNEL
#define ULNA_KERNEL ulna_dense_kernel_baseline
#endif

extern "C" void ULNA_KERNEL(ulna::identify::detail::DenseTask& task) {
  using namespace ulna::identify::detail;
  switch (task.what) {
    case DenseTask::factor:
      return factor_by_panels(task);
    case DenseTask::solve_rows:
      return solve_by_panels(task);
    case DenseTask::add_squares:
      return add_squares_by_panels(task);
  }
}
