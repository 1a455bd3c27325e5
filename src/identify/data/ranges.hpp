#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

namespace ulna::identify {

/// Samples [begin, end).
struct Range {
  Eigen::Index begin, end;

  Eigen::Index size() const { return end - begin; }
};

/// A share of `size` samples, from `begin` to `end`.
inline Range share_of(Eigen::Index size, double begin, double end) {
  const auto at = [&](double share) { return Eigen::Index(std::llround(share * double(size))); };
  return {at(begin), std::max(at(begin), at(end))};
}

/// The pieces of `size` samples: one begins at 0, the others at the breaks.
inline std::vector<Range> pieces_of(const std::vector<Eigen::Index>& breaks, Eigen::Index size) {
  std::vector<Range> pieces{{0, size}};
  for (const Eigen::Index at : breaks) {
    if (at == 0) continue;
    pieces.back().end = at;
    pieces.push_back({at, size});
  }
  return pieces;
}

}  // namespace ulna::identify
