#pragma once

#include <Eigen/Core>
#include <algorithm>
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

/// Weights of four even samples in the cubic through them, and in its slope per sample: u = 0 is the
/// second of them, u = 1 the third.
struct CubicWeights {
  double value[4], slope[4];

  explicit CubicWeights(double u)
      : value{-u * (u - 1.0) * (u - 2.0) / 6.0, (u * u - 1.0) * (u - 2.0) / 2.0,
              -u * (u + 1.0) * (u - 2.0) / 2.0, u * (u * u - 1.0) / 6.0},
        slope{-(3.0 * u * u - 6.0 * u + 2.0) / 6.0, (3.0 * u * u - 4.0 * u - 1.0) / 2.0,
              -(3.0 * u * u - 2.0 * u - 2.0) / 2.0, (3.0 * u * u - 1.0) / 6.0} {}
};

}  // namespace ulna::identify
