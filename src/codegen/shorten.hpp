#pragma once

#include <utility>
#include <vector>

#include "ulna/codegen/graph.hpp"

namespace ulna::codegen {

/// Which nodes some of them depend on, these included.
std::vector<bool> needed_by(const std::vector<Node>& nodes, const std::vector<std::int32_t>& some);

/// The nodes that results need, constants first, with fewer operations where the uses of a node, which
/// a growing graph does not have yet, allow it; and the results among them.
std::pair<std::vector<Node>, std::vector<std::int32_t>> shorten(
    const Graph& graph, const std::vector<std::int32_t>& results);

}  // namespace ulna::codegen
