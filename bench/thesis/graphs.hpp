#pragma once

#include "../bench.hpp"

namespace thesis {

/// What 001 measures: a robot's dynamics as a graph of expressions that is walked operation by operation,
/// the Jacobian taken on that graph; and the same compiled, for robots of up to so many joints as compile
/// in seconds. Forward dynamics also by articulated bodies, by the mass matrix, and by the mass matrix from
/// columns of inverse dynamics, as the thesis has it.
std::vector<bench::Contestant> graph_tasks(const bench::Robot& robot);

}  // namespace thesis
