#pragma once

#include "../bench.hpp"

namespace thesis {

/// What Cărămizaru 2023 measures: a robot's dynamics as a graph of expressions that is walked operation by operation,
/// the Jacobian taken on that graph; and the same compiled, for robots of up to so many joints as compile
/// in seconds. M also by columns of inverse dynamics, as the thesis has it; forward dynamics by these, by
/// the mass matrix of composites, and by articulated bodies.
std::vector<bench::Contestant> graph_tasks(const bench::Robot& robot);

}  // namespace thesis
