#pragma once

#include <memory>

#include "ulna/link/link.hpp"
#include "ulna/rig/rig.hpp"

namespace ulna::link {

struct ServerOptions {
  double period = 1e-3;    ///< s between states
  double watchdog = 0.05;  ///< s without torques after which the robot holds itself
  double late_after =
      0.0;  ///< s: torques that answer an older state are not acted on; 0: 20 ms, or 3 periods
  TorqueSensors sensors = TorqueSensors::motor_side;
};

/// The robot's side: offers any rig to a controller in another process.
///
///     RigServer server(rig, "unix:/tmp/arm");
///     every period:
///       server.take();   // torques, or the robot holds itself
///       server.send();   // the state
///
/// While there is no controller, or it is silent, the rig holds itself; one that cannot is held by gravity torques,
/// damping and a spring, computed with its model.
class RigServer {
 public:
  /// Throws LinkError for an address that cannot be used, std::invalid_argument for senseless options and joints of several
  /// coordinates.
  RigServer(rig::Rig& rig, const std::string& address, const ServerOptions& options = {});
  ~RigServer();

  void take() noexcept;
  void send() noexcept;
  /// From now on the states say that it missed periods, or that something is wrong.
  void set_health(bool overrun, bool fault) noexcept;

  /// Whether there is a session, and whether a controller's torques are in force.
  bool connected() const noexcept;
  bool driven() const noexcept;
  Traffic traffic() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::link
