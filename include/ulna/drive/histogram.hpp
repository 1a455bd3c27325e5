#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace ulna::drive {

/// How often durations were how long, in microseconds: exact to 1 us up to 64 us, to an eighth beyond, up to 17 s.
class Histogram {
 public:
  void add(double us) {
    ++buckets_[bucket(us)];
    ++count_;
    sum_ += us;
    largest_ = std::max(largest_, us);
  }
  std::int64_t count() const { return count_; }
  double largest() const { return largest_; }
  double mean() const { return count_ > 0 ? sum_ / double(count_) : 0.0; }
  /// Such a share of all is not above this; 0 where there are none.
  double quantile(double share) const {
    const double rank = share * double(count_);
    std::int64_t below = 0;
    for (std::size_t i = 0; i < size; ++i) {
      below += buckets_[i];
      if (below > 0 && double(below) >= rank) return std::min(upper_edge(i), largest_);
    }
    return largest_;
  }

  static constexpr std::size_t linear = 64, per_octave = 8, octaves = 18;
  static constexpr std::size_t size = linear + per_octave * octaves;
  std::int64_t in_bucket(std::size_t i) const { return buckets_[i]; }
  static double upper_edge(std::size_t i) {
    if (i < linear) return double(i + 1);
    const std::size_t above = i - linear;
    const double octave = std::ldexp(double(linear), int(above / per_octave));
    return octave * (1.0 + double(above % per_octave + 1) / double(per_octave));
  }

 private:
  static std::size_t bucket(double us) {
    if (!(us >= 1.0)) return 0;
    if (us < double(linear)) return std::size_t(us);
    int octave = 0;
    const double part = 2.0 * std::frexp(us / double(linear), &octave) - 1.0;  // [0, 1)
    const std::size_t i =
        linear + per_octave * std::size_t(octave - 1) + std::size_t(part * double(per_octave));
    return std::min(i, size - 1);
  }

  std::array<std::int64_t, size> buckets_{};
  std::int64_t count_ = 0;
  double sum_ = 0.0, largest_ = 0.0;
};

}  // namespace ulna::drive
