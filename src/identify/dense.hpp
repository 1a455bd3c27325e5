#pragma once

#include "ulna/identify/estimate/physical_prior.hpp"

/// Dense linear algebra that allocates nothing, however many unknowns there are: Eigen's own products and factors of
/// blocks do beyond a size. Compiled for several sets of instructions.
namespace ulna::identify::detail {

/// Rows are filled up with zeros to a whole number of the widest packs.
inline Index filled_up(Index rows) { return (rows + 7) / 8 * 8; }

/// The Cholesky factor in place of the lower half of a matrix whose rows are filled up; false if that is not positive
/// definite. `first`: of each row, the column before which it is zero, as it is in the factor too.
[[nodiscard]] bool factor(Matrix& A, const Eigen::VectorXi& first);

/// X' = L^-1 X', X eight rows of as many columns as L has.
void solve_rows(const Matrix& L, Eigen::Matrix<double, 8, Eigen::Dynamic>& X);

/// The lower half of sum += Z Z'.
void add_squares(const Matrix& Z, Matrix& sum);

}  // namespace ulna::identify::detail
