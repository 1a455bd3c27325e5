#pragma once

#include "ulna/control/stages.hpp"

namespace ulna::detail {

/// What was done to a program to make it convex.
struct Bent {
  std::vector<Eigen::MatrixXd> states;  ///< M: ½ x' M x of a state went to the stage before
  std::vector<Eigen::VectorXd> rows;    ///< w: ½ w (row - bound)² was added to rows that hold

  explicit Bent(const std::vector<StageSize>& sizes);
};

/// Makes a quadratic program convex stage by stage without moving its minimum
/// [Verschueren, Zanon, Quirynen, Diehl 2017]. What bends a state's cost down is told by the stage before,
/// whose (u, x) lead to that state. Rows that hold, which is told by their multipliers, are bent up: along
/// them there is nothing to choose. Only where the cost of inputs is not convex even so, it is bent up too,
/// and the minimum is another. f and bounds are set, and the first state does not move.
void convexify(std::vector<QpStage>& stages, const std::vector<Eigen::VectorXd>& multipliers,
               Bent& bent);

/// From the multipliers of the convex program, whose solution is z, to those of the program that it was.
void unbend(const std::vector<QpStage>& stages, const Bent& bent,
            const std::vector<Eigen::VectorXd>& z, std::vector<Eigen::VectorXd>& next,
            std::vector<Eigen::VectorXd>& rows);

}  // namespace ulna::detail
