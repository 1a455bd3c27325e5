#pragma once

namespace ulna::control::detail {

/// Columns of matrices that the kernels work on are filled up with zeros to a whole number of the widest packs.
inline int filled_up(int rows) { return (rows + 7) / 8 * 8; }

/// The lower half of C (rows x rows) = A A', A rows x depth; columns of both begin filled_up(rows) apart.
void set_squares(const double* A, int rows, int depth, double* C);

}  // namespace ulna::control::detail
