#pragma once

#include "geometry/convex.hpp"
#include "ulna/geometry/contact_points.hpp"

namespace ulna::detail {

/// A number for a pair of features, spread over 32 bits.
inline std::uint32_t feature_of(std::uint32_t a, std::uint32_t b) {
  std::uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  return h ^ h >> 13;
}

/// Contact points of a pair as they are found, in a frame of the pair's own choice.
class Collector {
 public:
  explicit Collector(double margin) : margin_(margin) {}

  double margin() const { return margin_; }
  int size() const { return size_; }
  double least_gap() const { return least_; }

  void clear() {
    size_ = 0;
    least_ = infinity;
  }
  /// A point midway between the surfaces and the normal from the first to the second, unless it is too far away.
  void add(const Vector3& position, const Vector3& normal, double gap, std::uint32_t feature) {
    if (!(gap < margin_)) return;
    if (size_ == capacity) keep_best(capacity / 2);
    least_ = std::min(least_, gap);
    found_[static_cast<std::size_t>(size_++)] = {position, normal, gap, feature};
  }
  /// The same from the point on the first surface.
  void add_from(const Vector3& on_first, const Vector3& normal, double gap, std::uint32_t feature) {
    add(on_first + (0.5 * gap) * normal, normal, gap, feature);
  }
  /// Hands all points on to another, with features that belong to a part of it.
  void append_to(Collector& all, std::uint32_t part) const {
    for (int i = 0; i < size_; ++i) {
      const ContactPoint& c = found_[static_cast<std::size_t>(i)];
      all.add(c.position, c.normal, c.gap, feature_of(part, c.feature));
    }
  }
  /// Leaves out points that are within a distance of one that is as deep, and have its normal.
  void merge_closer_than(double distance);

  /// The best of what was found, moved into the world.
  int write(const Transform<double>& X_WF, std::span<ContactPoint> out);
  /// The same with the axes of the world.
  int write(const Vector3& p_WF, std::span<ContactPoint> out);

 private:
  static constexpr int capacity = 64;
  /// The deepest first, then always the one that is farthest from those that are kept.
  void keep_best(int count);
  int limit(std::span<ContactPoint> out) {
    const int most = std::min(static_cast<int>(out.size()), max_contact_points);
    if (size_ > most) keep_best(most);
    return size_;
  }

  double margin_, least_ = infinity;
  int size_ = 0;
  std::array<ContactPoint, capacity> found_;
};

}  // namespace ulna::detail
