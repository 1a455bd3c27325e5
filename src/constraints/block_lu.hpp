#pragma once

#include <span>
#include <vector>

namespace ulna::detail {

/// A sparse matrix of dense blocks, as sparse as its transpose, and its factors A = L U. Blocks are eliminated in the order of
/// the least degree; rows are exchanged within the blocks of the diagonal only. Allocates only when it grows.
class BlockLu {
 public:
  /// The sizes of the blocks of the diagonal. No others are there yet.
  void clear(std::span<const int> sizes);
  /// Blocks (i, j) and (j, i) may differ from zero.
  void connect(int i, int j);
  /// The order, and which blocks fill up. Afterwards blocks may be written to.
  void analyse();

  void set_identity();
  /// Block (i, j), by columns, sizes i x j.
  double* block(int i, int j) { return data_.data() + at_[index(i, j)]; }
  int start(int i) const { return starts_[static_cast<std::size_t>(i)]; }
  int size(int i) const { return sizes_[static_cast<std::size_t>(i)]; }
  /// Multiplications of a factor, roughly.
  double cost() const { return cost_; }

  /// In place. False: a pivot vanishes.
  [[nodiscard]] bool factor();
  void solve(double* x) const;

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * sizes_.size() + static_cast<std::size_t>(j);
  }
  std::span<const int> after(std::size_t place) const {
    return {after_.data() + first_after_[place], after_.data() + first_after_[place + 1]};
  }
  void lower_solve(int k, double* x) const;  ///< of the diagonal block, rows exchanged first
  void upper_solve(int k, double* x) const;

  std::vector<int> sizes_, starts_, pivots_;
  std::vector<char> linked_;
  std::vector<std::size_t> at_;  ///< of each block, in data_
  std::vector<int> order_, degree_, after_, first_after_, place_;
  std::vector<double> data_;
  std::size_t used_ = 0;
  double cost_ = 0.0;
};

}  // namespace ulna::detail
