#pragma once

#include "ulna/constraints/loop_dynamics.hpp"

namespace ulna::detail {

/// There is no answer: the mass matrix is not positive definite, or a number is not finite.
inline constexpr ConstraintReport not_physical{ConstraintReport::Status::not_physical, infinity, 0};

}  // namespace ulna::detail
