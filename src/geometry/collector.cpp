#include "geometry/collector.hpp"

#include <algorithm>

namespace ulna::detail {

void Collector::keep_best(int count) {
  const auto begin = found_.begin(), end = begin + size_;
  if (count < 1) {
    size_ = 0;
    return;
  }
  const auto deeper = [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; };
  std::iter_swap(begin, std::min_element(begin, end, deeper));
  std::array<double, capacity> far;  // of each to the nearest that is kept, squared
  far.fill(infinity);
  for (int kept = 1; kept < count; ++kept) {
    int best = kept;
    for (int i = kept; i < size_; ++i) {
      const auto k = static_cast<std::size_t>(i), last = static_cast<std::size_t>(kept - 1);
      far[k] = std::min(far[k], (found_[k].position - found_[last].position).squaredNorm());
      if (far[k] > far[static_cast<std::size_t>(best)]) best = i;
    }
    std::iter_swap(begin + kept, begin + best);
    std::swap(far[static_cast<std::size_t>(kept)], far[static_cast<std::size_t>(best)]);
  }
  size_ = count;
}

void Collector::merge_closer_than(double distance) {
  std::sort(found_.begin(), found_.begin() + size_,
            [](const ContactPoint& a, const ContactPoint& b) {
              return a.gap != b.gap ? a.gap < b.gap : a.feature < b.feature;
            });
  const auto same = [&](const ContactPoint& a, const ContactPoint& b) {
    return (a.position - b.position).squaredNorm() < distance * distance &&
           a.normal.dot(b.normal) > 0.99;
  };
  int kept = 0;
  for (int i = 0; i < size_; ++i) {
    const ContactPoint& point = found_[static_cast<std::size_t>(i)];
    const auto end = found_.begin() + kept;
    if (std::none_of(found_.begin(), end, [&](const ContactPoint& c) { return same(c, point); }))
      found_[static_cast<std::size_t>(kept++)] = point;
  }
  size_ = kept;
}

int Collector::write(const Transform<double>& X_WF, std::span<ContactPoint> out) {
  const int count = limit(out);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const ContactPoint& c = found_[i];
    out[i] = {X_WF * c.position, X_WF.rotation() * c.normal, c.gap, c.feature};
  }
  return count;
}

int Collector::write(const Vector3& p_WF, std::span<ContactPoint> out) {
  const int count = limit(out);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    out[i] = found_[i];
    out[i].position += p_WF;
  }
  return count;
}

}  // namespace ulna::detail
