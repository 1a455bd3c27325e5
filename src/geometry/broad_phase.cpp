#include "ulna/geometry/broad_phase.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// Whether a box is one: not empty, and its bounds are numbers.
bool is_box(const Aabb& box) { return (box.lower.array() <= box.upper.array()).all(); }

}  // namespace

void BroadPhase::resize(int objects) {
  const auto n = static_cast<std::size_t>(objects);
  boxes_.resize(n);
  groups_.resize(n, -1);
  excluded_.resize(n);
  first_.resize(n + 1);
  entries_.resize(n);
  for (std::size_t i = 0; i < n; ++i) entries_[i].object = static_cast<int>(i);
}

void BroadPhase::exclude(int a, int b) {
  auto& list = excluded_[static_cast<std::size_t>(std::min(a, b))];
  const int other = std::max(a, b);
  const auto at = std::lower_bound(list.begin(), list.end(), other);
  if (at == list.end() || *at != other) list.insert(at, other);
}

void BroadPhase::include(int a, int b) {
  auto& list = excluded_[static_cast<std::size_t>(std::min(a, b))];
  const int other = std::max(a, b);
  const auto at = std::lower_bound(list.begin(), list.end(), other);
  if (at != list.end() && *at == other) list.erase(at);
}

bool BroadPhase::excluded(int a, int b) const {
  const auto& list = excluded_[static_cast<std::size_t>(std::min(a, b))];
  return std::binary_search(list.begin(), list.end(), std::max(a, b));
}

std::span<const BroadPhase::Pair> BroadPhase::pairs() {
  // along the axis on which finite boxes are spread most
  Vec3<double> sum = Vec3<double>::Zero(), squares = Vec3<double>::Zero();
  int finite = 0;
  for (const Aabb& box : boxes_) {
    if (!is_box(box) || !std::isfinite((box.upper - box.lower).sum())) continue;
    const Vec3<double> middle = 0.5 * (box.lower + box.upper);
    sum += middle;
    squares += middle.cwiseProduct(middle);
    ++finite;
  }
  int axis = 0;
  if (finite > 0) (squares - sum.cwiseProduct(sum) / finite).maxCoeff(&axis);
  sort_along(axis);
  sweep();
  sort_pairs();
  return pairs_;
}

/// Insertion sort: the order of the last time is nearly right.
void BroadPhase::sort_along(int axis) {
  const int axis1 = (axis + 1) % 3, axis2 = (axis + 2) % 3;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry entry = entries_[i];
    const Aabb& box = boxes_[static_cast<std::size_t>(entry.object)];
    entry = {box.lower(axis),  box.upper(axis),  box.lower(axis1), box.upper(axis1),
             box.lower(axis2), box.upper(axis2), entry.object};
    // what is no box goes to the end and meets nothing
    if (!is_box(box)) entry.begin = infinity, entry.end = -infinity;
    std::size_t k = i;
    for (; k > 0 && entry.begin < entries_[k - 1].begin; --k) entries_[k] = entries_[k - 1];
    entries_[k] = entry;
  }
}

/// Every box meets those that begin before it ends.
void BroadPhase::sweep() {
  found_.clear();
  const Entry* const end = entries_.data() + entries_.size();
  for (const Entry* p = entries_.data(); p < end; ++p) {
    const Entry a = *p;
    for (const Entry* b = p + 1; b < end && b->begin <= a.end; ++b) {
      if ((b->lower1 > a.upper1) | (a.lower1 > b->upper1)) continue;
      if ((b->lower2 > a.upper2) | (a.lower2 > b->upper2) | (b->end < b->begin)) continue;
      const int group = groups_[static_cast<std::size_t>(a.object)];
      if (group != -1 && group == groups_[static_cast<std::size_t>(b->object)]) continue;
      if (excluded(a.object, b->object)) continue;
      found_.push_back({std::min(a.object, b->object), std::max(a.object, b->object)});
    }
  }
}

/// By counting those of each object; the few of one object by insertion.
void BroadPhase::sort_pairs() {
  std::fill(first_.begin(), first_.end(), 0);
  for (const Pair& pair : found_) ++first_[static_cast<std::size_t>(pair.first) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  pairs_.resize(found_.size());
  for (const Pair& pair : found_) {
    int& next = first_[static_cast<std::size_t>(pair.first)];
    pairs_[static_cast<std::size_t>(next++)] = pair;
  }
  for (std::size_t i = 1; i < pairs_.size(); ++i) {
    const Pair moved = pairs_[i];
    std::size_t k = i;
    for (; k > 0 && moved < pairs_[k - 1]; --k) pairs_[k] = pairs_[k - 1];
    pairs_[k] = moved;
  }
}

}  // namespace ulna
