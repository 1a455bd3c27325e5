#pragma once

#include <algorithm>
#include <vector>

namespace ulna::codegen {

/// The elements of a matrix that may differ from zero, column by column: the rows of column c are
/// rows_of[column_starts[c]] up to rows_of[column_starts[c + 1]], in order.
struct Sparsity {
  int rows = 0, columns = 0;
  std::vector<int> column_starts{0};
  std::vector<int> rows_of = {};

  int nonzeros() const { return static_cast<int>(rows_of.size()); }
  bool contains(int row, int column) const {
    const auto begin = rows_of.begin();
    return std::binary_search(begin + column_starts[column], begin + column_starts[column + 1],
                              row);
  }

  bool operator==(const Sparsity&) const = default;
};

/// Calls f(row, column) with the elements, column by column.
template <class F>
void for_each(const Sparsity& sparsity, F f) {
  for (int c = 0; c < sparsity.columns; ++c)
    for (int k = sparsity.column_starts[c]; k < sparsity.column_starts[c + 1]; ++k)
      f(sparsity.rows_of[k], c);
}

}  // namespace ulna::codegen
