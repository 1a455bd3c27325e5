#pragma once

#include "ulna/control/sqp.hpp"

namespace ulna::control::detail {

/// Makes a quadratic program convex stage by stage without moving its minimum
/// [Verschueren, Zanon, Quirynen, Diehl 2017]. Negative curvature of a state's cost is moved to the stage
/// before, whose (u, x) lead to that state. Active rows, by their multipliers, are penalised: along them
/// there is nothing to choose. Only where the cost of inputs is not convex even so, it is made convex too,
/// and the minimum is another. f and bounds are set, and the first state does not move.
void convexify(std::vector<QpStage>& stages, const std::vector<Eigen::VectorXd>& multipliers,
               Convexification& added);

/// From the multipliers of the convex program, whose solution is z, to those of the program that it was.
void restore_multipliers(const std::vector<QpStage>& stages, const Convexification& added,
                         const std::vector<Eigen::VectorXd>& z, std::vector<Eigen::VectorXd>& next,
                         std::vector<Eigen::VectorXd>& rows);

}  // namespace ulna::control::detail
