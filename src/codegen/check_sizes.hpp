#pragma once

#include <stdexcept>

#include "ulna/codegen/traced.hpp"

namespace ulna::detail {

/// Throws std::invalid_argument unless there is one span per vector, of its size.
template <class Number>
void check_sizes(const char* what, const std::vector<Traced::Vector>& wanted,
                 std::span<const std::span<Number>> given) {
  if (given.size() != wanted.size())
    throw std::invalid_argument(std::to_string(given.size()) + " " + what +
                                " given, the function has " + std::to_string(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (given[i].size() != static_cast<std::size_t>(wanted[i].size))
      throw std::invalid_argument(wanted[i].name + " has " + std::to_string(given[i].size()) +
                                  " numbers, the function needs " + std::to_string(wanted[i].size));
}

}  // namespace ulna::detail
