#pragma once

#include <cmath>

#include "ulna/identify/estimate.hpp"

namespace ulna::detail {

/// Samples [begin, end) of one piece of motion.
struct Range {
  Eigen::Index begin, end;
};

/// A share of a piece of motion.
inline Range share_of(const Piece& piece, double begin, double end) {
  const auto at = [&](double share) {
    return static_cast<Eigen::Index>(std::llround(share * static_cast<double>(piece.size())));
  };
  return {at(begin), std::max(at(begin), at(end))};
}

/// The pieces of `size` samples, each beginning at a break.
inline std::vector<Range> pieces_of(const std::vector<Eigen::Index>& breaks, Eigen::Index size) {
  std::vector<Range> pieces;
  for (std::size_t p = 0; p < breaks.size(); ++p)
    pieces.push_back({breaks[p], p + 1 < breaks.size() ? breaks[p + 1] : size});
  return pieces;
}

/// The beginnings of all pieces, not more than `most` samples in all.
inline std::vector<Range> beginnings(const TorqueData& data, Eigen::Index most) {
  const double share = std::min(1.0, static_cast<double>(most) / static_cast<double>(data.size()));
  std::vector<Range> pieces = pieces_of(data.breaks, data.size());
  for (auto& [begin, end] : pieces)
    end = begin + static_cast<Eigen::Index>(share * static_cast<double>(end - begin));
  return pieces;
}

/// Those samples, each range a piece of its own.
inline TorqueData taken(const TorqueData& data, const std::vector<Range>& ranges) {
  TorqueData result;
  result.correlated = data.correlated;
  Eigen::Index total = 0;
  for (const auto& [begin, end] : ranges) total += end - begin;
  const std::pair<Eigen::MatrixXd*, const Eigen::MatrixXd*> all[] = {{&result.q, &data.q},
                                                                     {&result.v, &data.v},
                                                                     {&result.a, &data.a},
                                                                     {&result.tau, &data.tau},
                                                                     {&result.x, &data.x}};
  for (const auto& [part, whole] : all) part->resize(whole->rows(), total);
  Eigen::Index to = 0;
  for (const auto& [begin, end] : ranges) {
    if (end <= begin) continue;
    result.breaks.push_back(to);
    for (const auto& [part, whole] : all)
      part->middleCols(to, end - begin) = whole->middleCols(begin, end - begin);
    to += end - begin;
  }
  return result;
}

}  // namespace ulna::detail
