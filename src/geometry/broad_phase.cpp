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
  order_.resize(n);
  begin_.resize(n);
  active_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) order_[i] = static_cast<int>(i);
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
  pairs_.clear();
  sweep(axis);
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

/// Walks along the axis; every box meets those that have begun and not yet ended.
void BroadPhase::sweep(int axis) {
  for (std::size_t i = 0; i < boxes_.size(); ++i)
    begin_[i] = is_box(boxes_[i]) ? boxes_[i].lower(axis) : infinity;
  const auto lower = [&](int i) { return begin_[static_cast<std::size_t>(i)]; };
  // insertion sort: the order of the last time is nearly right
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const int moved = order_[i];
    std::size_t k = i;
    for (; k > 0 && lower(moved) < lower(order_[k - 1]); --k) order_[k] = order_[k - 1];
    order_[k] = moved;
  }
  active_.clear();
  for (const int i : order_) {
    const Aabb& box = boxes_[static_cast<std::size_t>(i)];
    if (!is_box(box)) continue;
    std::size_t kept = 0;
    for (const int other : active_) {
      if (boxes_[static_cast<std::size_t>(other)].upper(axis) < box.lower(axis)) continue;
      active_[kept++] = other;
      pair_up(i, other);
    }
    active_.resize(kept);
    active_.push_back(i);
  }
}

void BroadPhase::pair_up(int a, int b) {
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  if (groups_[i] == groups_[j] && groups_[i] != -1) return;
  if (!boxes_[i].overlaps(boxes_[j]) || excluded(a, b)) return;
  pairs_.push_back({std::min(a, b), std::max(a, b)});
}

}  // namespace ulna
