#pragma once

#include <experimental/simd>

/// Products of dense matrices, a few columns at a time, for kernels that are compiled for several sets of instructions
/// (cmake/WideKernels.cmake). Matrices are stored by columns; rows are taken by whole packs.
namespace ulna::detail::panels {

using Lanes = std::experimental::native_simd<double>;
constexpr int width = int(Lanes::size());

[[gnu::always_inline]] inline Lanes load(const double* from) {
  return Lanes(from, std::experimental::element_aligned);
}
[[gnu::always_inline]] inline void store(const Lanes& x, double* to) {
  x.copy_to(to, std::experimental::element_aligned);
}

/// A (rows x depth) B(columns x depth)', where B's element (c, k) stands at B[c B_row + k B_column].
struct Product {
  const double *A, *B;
  int ld_A, B_row, B_column, depth;
};

/// C (R packs of rows x Columns) = base + first - second, each a product; base may be null.
template <int R, int Columns>
[[gnu::always_inline]] inline void block(const double* base, int ld_base, const Product& plus,
                                         const Product& minus, int row, double* C, int ld) {
  Lanes sum[R][Columns];
  for (int c = 0; c < Columns; ++c)
    for (int r = 0; r < R; ++r)
      sum[r][c] = base ? load(base + row + r * width + c * ld_base) : Lanes(0.0);
  const auto add = [&]<int Sign>(const Product& p) {
    for (int k = 0; k < p.depth; ++k) {
      Lanes a[R];
      for (int r = 0; r < R; ++r) a[r] = load(p.A + row + r * width + k * p.ld_A);
      for (int c = 0; c < Columns; ++c) {
        const Lanes b(p.B[c * p.B_row + k * p.B_column]);
        for (int r = 0; r < R; ++r) Sign > 0 ? sum[r][c] += a[r] * b : sum[r][c] -= a[r] * b;
      }
    }
  };
  add.template operator()<1>(plus), add.template operator()<-1>(minus);
  for (int c = 0; c < Columns; ++c)
    for (int r = 0; r < R; ++r) store(sum[r][c], C + row + r * width + c * ld);
}

/// The same for rows from a multiple of the pack's width up to ld.
template <int Columns>
inline void panel(const double* base, int ld_base, const Product& plus, const Product& minus,
                  int from, int to, double* C, int ld) {
  int row = from;
  for (; row + 3 * width <= to; row += 3 * width)
    block<3, Columns>(base, ld_base, plus, minus, row, C, ld);
  for (; row + width <= to; row += width) block<1, Columns>(base, ld_base, plus, minus, row, C, ld);
}

/// Calls f.template operator()<Columns>(j) for groups of up to four columns.
template <class F>
[[gnu::always_inline]] inline void in_fours(int columns, F f) {
  int j = 0;
  for (; j + 4 <= columns; j += 4) f.template operator()<4>(j);
  if (columns - j == 3) f.template operator()<3>(j);
  if (columns - j == 2) f.template operator()<2>(j);
  if (columns - j == 1) f.template operator()<1>(j);
}

/// Takes from column j + c of L, in rows from..to, what the columns of its group, from j on, have left to take away.
[[gnu::always_inline]] inline void take_from_group(double* L, int ld, int j, int c, int from,
                                                   int to) {
  double* const column = L + (j + c) * ld;
  for (int b = 0; b < c; ++b) {
    const double* const before = L + (j + b) * ld;
    const Lanes factor_b(before[j + c]);
    for (int row = from; row < to; row += width)
      store(load(column + row) - load(before + row) * factor_b, column + row);
  }
}
/// A finished column of L, zero above its diagonal.
[[gnu::always_inline]] inline void scale_column(double* L, int ld, int j, int c, int from, int to,
                                                double by) {
  double* const column = L + (j + c) * ld;
  for (int row = from; row < to; row += width) store(load(column + row) * Lanes(by), column + row);
  for (int row = from; row < j + c; ++row) column[row] = 0.0;
}

}  // namespace ulna::detail::panels
