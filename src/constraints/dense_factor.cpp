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

bool factor_block(double* A, int n, int* pivots) {
  for (int k = 0; k < n; ++k) {
    double* const a_k = A + k * n;
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a_k[i]) > std::abs(a_k[p])) p = i;
    pivots[k] = p;
    if (!(std::abs(a_k[p]) > 0.0)) return false;
    if (p != k)
      for (int j = 0; j < n; ++j) std::swap(A[k + j * n], A[p + j * n]);
    const double inverse = 1.0 / a_k[k];
    for (int i = k + 1; i < n; ++i) a_k[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      double* const __restrict a_j = A + j * n;
      const double factor = a_j[k];
      if (factor == 0.0) continue;
      for (int i = k + 1; i < n; ++i) a_j[i] -= factor * a_k[i];
    }
  }
  return true;
}

}  // namespace ulna::detail
