#include "ulna/spatial/solid.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace ulna {

void require_closed_mesh(std::span<const std::array<int, 3>> triangles, int vertices) {
  using Edge = std::pair<int, int>;
  std::vector<Edge> forward, backward;
  for (const auto& t : triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const int from = t[i], to = t[(i + 1) % 3];
      if (from < 0 || from >= vertices)
        throw std::invalid_argument("mesh: vertex index " + std::to_string(from) +
                                    " is outside 0.." + std::to_string(vertices - 1));
      forward.emplace_back(from, to);
      backward.emplace_back(to, from);
    }
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());

  const auto edge = [](Edge e) {
    return "(" + std::to_string(e.first) + ", " + std::to_string(e.second) + ")";
  };
  const auto twice = std::adjacent_find(forward.begin(), forward.end());
  if (twice != forward.end())
    throw std::invalid_argument("mesh: two triangles run along edge " + edge(*twice) +
                                " in the same direction; reverse one of them");
  const auto [a, b] = std::mismatch(forward.begin(), forward.end(), backward.begin());
  if (a != forward.end())
    throw std::invalid_argument("mesh: not closed, edge " + edge(std::min(*a, *b)) +
                                " belongs to one triangle only");
  if (triangles.empty()) throw std::invalid_argument("mesh: no triangles");
}

}  // namespace ulna
