#pragma once

#include "console.hpp"
#include "ulna/ulna.hpp"

namespace ulna::cli {

/// A number for each coordinate of the velocity: as JSON under `field`, or as a table.
void print_per_joint(Console& console, const Model& model, const char* field, const char* unit,
                     const Eigen::VectorXd& values);

}  // namespace ulna::cli
