#pragma once

#include <array>
#include <atomic>
#include <utility>

namespace ulna::ros2 {

/// Hands the newest of some values from one thread to another. Neither waits, and nothing is allocated: there are three
/// places, one that is written, one that is read, and one between.
template <class T>
class Latest {
 public:
  explicit Latest(const T& like) : places_{like, like, like} {}

  /// Where the writer prepares a value, and hands it over. True: it replaces one that was not taken.
  T& next() { return places_[written_]; }
  bool publish() {
    const unsigned before = between_.exchange(written_ | fresh, std::memory_order_acq_rel);
    written_ = before & ~fresh;
    return before & fresh;
  }

  /// The reader's: whether there is a new value, which is in now().
  bool take() {
    if (!(between_.load(std::memory_order_relaxed) & fresh)) return false;
    read_ = between_.exchange(read_, std::memory_order_acq_rel) & ~fresh;
    return true;
  }
  const T& now() const { return places_[read_]; }

 private:
  static constexpr unsigned fresh = 4;
  std::array<T, 3> places_;
  unsigned written_ = 0, read_ = 1;  ///< of the writer's thread, and of the reader's
  std::atomic<unsigned> between_ = 2;
};

}  // namespace ulna::ros2
