#pragma once

#include "ulna/model/model.hpp"

namespace ulna::detail {

/// A robot to which joints were added: those from number `appended` of the description on, which carry no others, are numbered after all
/// the rest, so that bodies and coordinates keep their numbers. Not for inverse_mass_matrix, which takes numbers to be depth-first.
Model build_appended(Description description, std::size_t appended);

}  // namespace ulna::detail
