#include "constraints/block_lu.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "constraints/dense_factor.hpp"

namespace ulna::detail {

namespace {

using Map = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;
using Six = Eigen::Map<Eigen::Matrix<double, 6, 6>>;
using ConstSix = Eigen::Map<const Eigen::Matrix<double, 6, 6>>;

/// C -= A B
void subtract_product(double* C, const double* A, const double* B, int rows, int inner,
                      int columns) {
  if (rows == 6 && inner == 6 && columns == 6) {
    Six(C).noalias() -= ConstSix(A).lazyProduct(ConstSix(B));
    return;
  }
  for (int j = 0; j < columns; ++j)
    for (int k = 0; k < inner; ++k) {
      const double b = B[k + j * inner];
      if (b == 0.0) continue;
      const double* a = A + k * rows;
      double* c = C + j * rows;
      for (int i = 0; i < rows; ++i) c[i] -= b * a[i];
    }
}

}  // namespace

void BlockLu::clear(std::span<const int> sizes) {
  const std::size_t n = sizes.size();
  sizes_.assign(sizes.begin(), sizes.end());
  starts_.clear();
  int start = 0;
  for (const int size : sizes) starts_.push_back(start), start += size;
  pivots_.resize(static_cast<std::size_t>(start));
  linked_.assign(n * n, 0);
}

void BlockLu::connect(int i, int j) { linked_[index(i, j)] = linked_[index(j, i)] = 1; }

void BlockLu::analyse() {
  const int n = static_cast<int>(sizes_.size());
  order_.clear(), after_.clear();
  first_after_.assign(1, 0);
  place_.assign(sizes_.size(), -1);
  degree_.assign(sizes_.size(), 0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) degree_[i] += i != j && linked_[index(i, j)];
  cost_ = 0.0;
  for (int count = 0; count < n; ++count) {
    int k = -1;
    for (int i = 0; i < n; ++i)
      if (place_[i] < 0 && (k < 0 || degree_[i] < degree_[k])) k = i;
    place_[k] = count;
    order_.push_back(k);
    const std::size_t begin = after_.size();
    double width = 0.5 * sizes_[k];
    for (int i = 0; i < n; ++i)
      if (place_[i] < 0 && linked_[index(k, i)]) after_.push_back(i), width += sizes_[i];
    cost_ += sizes_[k] * width * width;
    first_after_.push_back(static_cast<int>(after_.size()));
    for (std::size_t a = begin; a < after_.size(); ++a) {
      --degree_[after_[a]];
      for (std::size_t b = begin; b < a; ++b) {
        const int i = after_[a], j = after_[b];
        if (linked_[index(i, j)]) continue;
        connect(i, j), ++degree_[i], ++degree_[j];
      }
    }
  }
  at_.resize(linked_.size());
  used_ = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i == j || linked_[index(i, j)]) {
        at_[index(i, j)] = used_;
        used_ += static_cast<std::size_t>(sizes_[i]) * static_cast<std::size_t>(sizes_[j]);
      }
  if (data_.size() < used_) data_.resize(used_ + used_ / 2);
}

void BlockLu::set_identity() {
  std::fill_n(data_.begin(), used_, 0.0);
  for (int i = 0; i < static_cast<int>(sizes_.size()); ++i)
    for (int k = 0; k < size(i); ++k) block(i, i)[k * (size(i) + 1)] = 1.0;
}

void BlockLu::lower_solve(int k, double* x) const {
  const int n = size(k);
  const double* A = data_.data() + at_[index(k, k)];
  const int* pivots = pivots_.data() + start(k);
  for (int i = 0; i < n; ++i) std::swap(x[i], x[pivots[i]]);
  for (int i = 0; i < n; ++i)
    if (x[i] != 0.0)
      for (int j = i + 1; j < n; ++j) x[j] -= x[i] * A[j + i * n];
}

void BlockLu::upper_solve(int k, double* x) const {
  const int n = size(k);
  const double* A = data_.data() + at_[index(k, k)];
  for (int i = n - 1; i >= 0; --i) {
    x[i] /= A[i + i * n];
    for (int j = 0; j < i; ++j) x[j] -= x[i] * A[j + i * n];
  }
}

bool BlockLu::factor() {
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const int k = order_[place], n = size(k);
    const double* const A = block(k, k);
    if (!factor_block(block(k, k), n, pivots_.data() + start(k))) return false;
    for (const int j : after(place)) {
      double* const right = block(k, j);
      for (int c = 0; c < size(j); ++c) lower_solve(k, right + c * n);
      // below: X U = B, column by column
      double* const below = block(j, k);
      const int rows = size(j);
      for (int c = 0; c < n; ++c) {
        Eigen::Map<Eigen::VectorXd> column(below + c * rows, rows);
        for (int i = 0; i < c; ++i)
          if (A[i + c * n] != 0.0)
            column -= A[i + c * n] * Eigen::Map<const Eigen::VectorXd>(below + i * rows, rows);
        column *= 1.0 / A[c + c * n];
      }
    }
    for (const int i : after(place))
      for (const int j : after(place))
        subtract_product(block(i, j), block(i, k), block(k, j), size(i), n, size(j));
  }
  return true;
}

void BlockLu::solve(double* x) const {
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const int k = order_[place], n = size(k);
    lower_solve(k, x + start(k));
    for (const int i : after(place))
      subtract_product(x + start(i), data_.data() + at_[index(i, k)], x + start(k), size(i), n, 1);
  }
  for (std::size_t place = order_.size(); place-- > 0;) {
    const int k = order_[place], n = size(k);
    for (const int j : after(place))
      subtract_product(x + start(k), data_.data() + at_[index(k, j)], x + start(j), n, size(j), 1);
    upper_solve(k, x + start(k));
  }
}

}  // namespace ulna::detail
