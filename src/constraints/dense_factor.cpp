#include "constraints/dense_factor.hpp"

#include <cmath>
#include <utility>

namespace ulna::detail {

double* DenseFactor::matrix(int n) {
  n_ = n;
  const std::size_t area = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (A_.size() < area) A_.resize(area + area / 2), pivots_.resize(2 * static_cast<std::size_t>(n));
  return A_.data();
}

/// Two columns at a time, so that each number of the rest is read and written half as often.
bool DenseFactor::factor_symmetric() {
  symmetric_ = true;
  const int n = n_;
  double* const A = A_.data();
  int k = 0;
  for (; k + 1 < n; k += 2) {
    double* const __restrict a = A + k * n, * const __restrict b = a + n;
    if (!(a[k] > 0.0)) return false;
    const double inverse_a = 1.0 / a[k], ratio = a[k + 1] * inverse_a;
    const double d = b[k + 1] - ratio * a[k + 1];
    if (!(d > 0.0)) return false;
    b[k + 1] = d;
    const double inverse_b = 1.0 / d;
    for (int i = k + 2; i < n; ++i) b[i] -= ratio * a[i];
    for (int j = k + 2; j < n; ++j) {
      double* const __restrict c = A + j * n;
      const double x = a[j] * inverse_a, y = b[j] * inverse_b;
      for (int i = j; i < n; ++i) c[i] -= x * a[i] + y * b[i];
    }
    for (int i = k + 1; i < n; ++i) a[i] *= inverse_a;
    for (int i = k + 2; i < n; ++i) b[i] *= inverse_b;
  }
  return k == n || A[k * (n + 1)] > 0.0;
}

bool DenseFactor::factor() {
  symmetric_ = false;
  return factor_block(A_.data(), n_, pivots_.data());
}

void DenseFactor::solve(double* x) const {
  const int n = n_;
  const double* const A = A_.data();
  if (!symmetric_)
    for (int i = 0; i < n; ++i) std::swap(x[i], x[pivots_[static_cast<std::size_t>(i)]]);
  for (int k = 0; k < n; ++k) {
    const double factor = x[k];
    if (factor == 0.0) continue;
    for (int i = k + 1; i < n; ++i) x[i] -= factor * A[i + k * n];
  }
  if (symmetric_) {
    for (int k = 0; k < n; ++k) x[k] /= A[k * (n + 1)];
    for (int k = n - 1; k >= 0; --k) {
      double sum = x[k];
      for (int i = k + 1; i < n; ++i) sum -= A[i + k * n] * x[i];
      x[k] = sum;
    }
    return;
  }
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= A[k * (n + 1)];
    for (int i = 0; i < k; ++i) x[i] -= x[k] * A[i + k * n];
  }
}

namespace {

/// Exchanges rows so that the diagonal of a column is its largest number from there on, and divides those below by it.
bool divide_by_pivot(double* A, int n, int k, int* pivots) {
  double* const column = A + k * n;
  int p = k;
  double most = std::abs(column[k]);
  for (int i = k + 1; i < n; ++i)
    if (const double x = std::abs(column[i]); x > most) most = x, p = i;
  pivots[k] = p;
  if (!(most > 0.0)) return false;
  if (p != k)
    for (int j = 0; j < n; ++j) std::swap(A[k + j * n], A[p + j * n]);
  const double inverse = 1.0 / column[k];
  for (int i = k + 1; i < n; ++i) column[i] *= inverse;
  return true;
}

}  // namespace

/// Two columns at a time, as above.
bool factor_block(double* A, int n, int* pivots) {
  for (int k = 0; k < n; k += 2) {
    if (!divide_by_pivot(A, n, k, pivots)) return false;
    if (k + 1 == n) break;
    const double *const a = A + k * n, *const b = a + n;
    double* const next = A + (k + 1) * n;
    for (int i = k + 1; i < n; ++i) next[i] -= next[k] * a[i];
    if (!divide_by_pivot(A, n, k + 1, pivots)) return false;
    for (int j = k + 2; j < n; ++j) {
      double* const __restrict c = A + j * n;
      const double x = c[k], y = c[k + 1] -= x * a[k + 1];
      if (x == 0.0 && y == 0.0) continue;
      for (int i = k + 2; i < n; ++i) c[i] -= x * a[i] + y * b[i];
    }
  }
  return true;
}

}  // namespace ulna::detail
