#pragma once

#include "num/message.hpp"
#include "ulna/codegen/traced.hpp"

namespace ulna::codegen {

/// Throws std::invalid_argument unless there is one span per vector, of its size for all states.
template <class Number>
void check_sizes(const char* what, const std::vector<Traced::Vector>& wanted,
                 std::span<const std::span<Number>> given, std::size_t states = 1) {
  using messages::message, messages::require;
  require(given.size() == wanted.size(), given.size(), " ", what, " given, the function has ",
          wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto size = std::size_t(wanted[i].size);
    // the product may be more than there are numbers
    if (size == 0 ? given[i].empty()
                  : given[i].size() % size == 0 && given[i].size() / size == states)
      continue;
    throw std::invalid_argument(
        message(wanted[i].name, " has ", given[i].size(), " numbers, the function needs ", size,
                states == 1 ? "" : message(" for each of ", states, " states")));
  }
}

}  // namespace ulna::codegen
