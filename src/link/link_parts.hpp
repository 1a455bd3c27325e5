#pragma once

#include <ctime>

#include "link/ulna_link.h"
#include "num/message.hpp"
#include "ulna/link/link.hpp"

namespace ulna::link {

/// s, of a clock that never goes back, the same for all processes of the machine.
inline double monotonic() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// What a side counted.
template <class Side>
Traffic traffic_of(const Side& side) {
  Traffic t;
  t.states = side.states, t.commands = side.commands;
  for (int f = 0; f < fault_count; ++f) t.faults[std::size_t(f)] = side.count[f];
  return t;
}

inline void require_single_coordinates(const Model& model) {
  messages::require(
      model.nq() == model.nv() && model.nv() >= 1 && model.nv() <= ULNA_LINK_MAX_JOINTS, "robot '",
      model.name(), "' cannot be linked: it needs 1 to ", ULNA_LINK_MAX_JOINTS,
      " joints of one coordinate each");
}

/// Why an address was refused, by errno.
inline LinkError address_error(const std::string& address, int error) {
  std::string why;
  if (error == EACCES && address.starts_with("udp:"))
    why =
        "is beyond this machine; packets are neither encrypted nor signed, use udp:127.0.0.1:PORT";
  else if (error == EADDRINUSE)
    why = address.starts_with("unix:")
              ? "there is another robot at this address, or a file that is no socket"
              : "there is another robot at this address";
  else if (error == EINVAL || error == ENAMETOOLONG)
    why = "is none of unix:PATH, shm:/NAME, udp:127.0.0.1:PORT";
  else
    why = std::strerror(error);
  return LinkError(address + ": " + why);
}

}  // namespace ulna::link
