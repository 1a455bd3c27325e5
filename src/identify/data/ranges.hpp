#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ulna/identify/types.hpp"

namespace ulna::identify {

/// Samples [begin, end).
struct Range {
  Index begin, end;

  Index size() const { return end - begin; }
};

/// A share of `size` samples, from `begin` to `end`.
inline Range share_of(Index size, double begin, double end) {
  const auto at = [&](double share) { return Index(std::llround(share * double(size))); };
  return {at(begin), std::max(at(begin), at(end))};
}

/// The pieces of `size` samples: one begins at 0, the others at the breaks.
inline std::vector<Range> pieces_of(const std::vector<Index>& breaks, Index size) {
  std::vector<Range> pieces{{0, size}};
  for (const Index at : breaks) {
    if (at == 0) continue;
    pieces.back().end = at;
    pieces.push_back({at, size});
  }
  return pieces;
}

/// Weights of four even samples in the cubic through them, and in its slope per sample: u = 0 is the
/// second of them, u = 1 the third.
struct CubicWeights {
  Eigen::Vector4d value, slope;

  explicit CubicWeights(double u)
      : value(-u * (u - 1.0) * (u - 2.0) / 6.0, (u * u - 1.0) * (u - 2.0) / 2.0,
              -u * (u + 1.0) * (u - 2.0) / 2.0, u * (u * u - 1.0) / 6.0),
        slope(-(3.0 * u * u - 6.0 * u + 2.0) / 6.0, (3.0 * u * u - 4.0 * u - 1.0) / 2.0,
              -(3.0 * u * u - 2.0 * u - 2.0) / 2.0, (3.0 * u * u - 1.0) / 6.0) {}
};

}  // namespace ulna::identify
