#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

/// A robot and its controller in two processes: docs/protocol.md.
namespace ulna::link {

/// What is wrong with a packet, or with the other side.
enum class Fault {
  none,
  truncated,  ///< shorter or longer than it says
  garbage,    ///< none of this protocol
  other_version,
  checksum,    ///< a bit is wrong
  foreign,     ///< of another session
  replayed,    ///< seen before
  reordered,   ///< a newer one was there first
  late,        ///< too old
  malformed,   ///< sizes or numbers that cannot be
  not_finite,  ///< a torque that is no number
  unready,     ///< torques after a silence that was not acknowledged
  busy,        ///< there is another controller
  lost,        ///< packets that never came
  silent,      ///< the other side was gone: how many times
  unsent,      ///< the system took no packet
};
inline constexpr int fault_count = static_cast<int>(Fault::unsent) + 1;
const char* to_string(Fault fault);

/// What came and went, since the beginning.
struct Traffic {
  std::uint64_t states = 0;      ///< that were used, or sent by a robot
  std::uint64_t commands = 0;    ///< that were sent, or acted on by a robot
  std::uint64_t superseded = 0;  ///< states that a newer one had followed before they were read
  std::uint64_t sessions = 0;
  std::array<std::uint64_t, fault_count> faults = {};

  std::uint64_t count(Fault fault) const { return faults[std::size_t(fault)]; }
  /// The faults there were, "3 lost, 1 late"; "none".
  std::string report() const;
};

/// Where a robot's torques are measured.
enum class TorqueSensors { none, motor_side, link_side };
const char* to_string(TorqueSensors sensors);

/// How a robot is.
struct Health {
  bool connected = false;  ///< there is a session, and it is not silent
  bool holds = true;       ///< it holds itself: no torques of a controller are in force
  bool silenced = false;   ///< because the controller was silent, until it asks for a hold
  bool fault = false, braked = false, overrun = false;  ///< as the robot says
};

/// What a robot says of itself.
struct About {
  double period = 0.0;    ///< s between its states
  double watchdog = 0.0;  ///< s without torques after which it holds itself
  TorqueSensors sensors = TorqueSensors::none;
  std::vector<std::string> joints = {};
  std::vector<bool> slides = {};  ///< m and N, not rad and Nm
};

/// An address cannot be used, or a robot is not the one that was expected.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ulna::link
