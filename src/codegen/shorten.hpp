#pragma once

#include <utility>
#include <vector>

#include "ulna/codegen/graph.hpp"

namespace ulna::detail {

/// The nodes that results need, in order, with fewer operations where the uses of a node, which a
/// graph that still grows cannot know, allow it; and the results among them.
std::pair<std::vector<Node>, std::vector<std::int32_t>> shorten(
    const Graph& graph, const std::vector<std::int32_t>& results);

}  // namespace ulna::detail
