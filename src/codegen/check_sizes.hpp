#pragma once

#include <stdexcept>

#include "ulna/codegen/traced.hpp"

namespace ulna::codegen {

/// Throws std::invalid_argument unless there is one span per vector, of its size for all states.
template <class Number>
void check_sizes(const char* what, const std::vector<Traced::Vector>& wanted,
                 std::span<const std::span<Number>> given, std::size_t states = 1) {
  if (given.size() != wanted.size())
    throw std::invalid_argument(std::to_string(given.size()) + " " + what +
                                " given, the function has " + std::to_string(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto size = static_cast<std::size_t>(wanted[i].size);
    // the product may be more than there are numbers
    if (size == 0 ? given[i].empty()
                  : given[i].size() % size == 0 && given[i].size() / size == states)
      continue;
    throw std::invalid_argument(
        wanted[i].name + " has " + std::to_string(given[i].size()) +
        " numbers, the function needs " + std::to_string(size) +
        (states == 1 ? "" : " for each of " + std::to_string(states) + " states"));
  }
}

}  // namespace ulna::codegen
