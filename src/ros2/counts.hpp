#pragma once

#include <atomic>

#include "ulna/ros2/dds.hpp"

namespace ulna::ros2 {

/// Traffic as several threads count it.
struct Counts {
  std::atomic<std::uint64_t> states = 0, commands = 0, superseded = 0;
  std::array<std::atomic<std::uint64_t>, fault_count> faults = {};

  void add(Fault fault, std::uint64_t n = 1) {
    faults[std::size_t(fault)].fetch_add(n, std::memory_order_relaxed);
  }
  Traffic traffic() const {
    Traffic t;
    t.states = states, t.commands = commands, t.superseded = superseded;
    for (std::size_t i = 0; i < t.faults.size(); ++i) t.faults[i] = faults[i];
    return t;
  }
};

}  // namespace ulna::ros2
