#pragma once

#include <vector>

namespace ulna::detail {

/// Factors of a small full matrix, by columns: L D L' where it is symmetric and positive definite, else P L U. Allocates only
/// when it grows.
class DenseFactor {
 public:
  /// To be filled: n x n; of a symmetric one, the lower triangle.
  double* matrix(int n);
  [[nodiscard]] bool factor_symmetric();
  [[nodiscard]] bool factor();
  void solve(double* x) const;

 private:
  int n_ = 0;
  bool symmetric_ = false;
  std::vector<double> A_;
  std::vector<int> pivots_;
};

/// A = P L U in place, by rows exchanged. False: a pivot vanishes.
bool factor_block(double* A, int n, int* pivots);

}  // namespace ulna::detail
