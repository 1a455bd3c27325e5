#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ulna/geometry/shape.hpp"

namespace ulna {

/// Which of many boxes overlap: sweep and prune along the axis of the widest spread (Baraff 1992; Cohen et al. 1995,
/// I-COLLIDE). Deterministic; allocates only when it grows.
class BroadPhase {
 public:
  struct Pair {
    int first, second;  ///< first < second
    bool operator==(const Pair&) const = default;
    auto operator<=>(const Pair&) const = default;
  };

  BroadPhase() = default;
  explicit BroadPhase(int objects) { resize(objects); }

  /// New objects have empty boxes and group -1.
  void resize(int objects);
  int size() const { return static_cast<int>(boxes_.size()); }

  void set_box(int object, const Aabb& box) { boxes_[static_cast<std::size_t>(object)] = box; }
  /// Objects of one group never make a pair: shapes of one body, or all that is fixed to the world. -1: none.
  void set_group(int object, int group) { groups_[static_cast<std::size_t>(object)] = group; }
  /// This pair is never returned.
  void exclude(int a, int b);
  void include(int a, int b);  ///< undoes exclude
  bool excluded(int a, int b) const;

  /// Overlapping pairs, in ascending order; valid until the next call of a member that is not const. Boxes that
  /// are empty or not finite numbers make no pair; infinite ones are allowed.
  std::span<const Pair> pairs();

 private:
  /// A box as the sweep sees it: first the axis of the sweep, then the two others.
  struct Entry {
    double begin, end, lower1, upper1, lower2, upper2;
    int object;
  };
  void sort_along(int axis);
  void sweep();
  void sort_pairs();

  std::vector<Aabb> boxes_;
  std::vector<int> groups_;
  std::vector<std::vector<int>> excluded_;  ///< of each object, with which larger ones; sorted
  std::vector<Entry>
      entries_;  ///< in the order of the last sweep, so that the next sort is nearly done
  std::vector<Pair> pairs_, found_;
  std::vector<int> first_;  ///< of each object, where its pairs begin
};

}  // namespace ulna
