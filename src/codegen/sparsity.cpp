#include "ulna/codegen/sparsity.hpp"

#include <algorithm>

namespace ulna {

bool Sparsity::contains(int row, int column) const {
  const auto start = [&](int c) { return column_starts[static_cast<std::size_t>(c)]; };
  return std::binary_search(rows_of.begin() + start(column), rows_of.begin() + start(column + 1),
                            row);
}

}  // namespace ulna
