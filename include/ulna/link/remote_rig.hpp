#pragma once

#include <memory>

#include "ulna/link/link.hpp"
#include "ulna/rig/rig.hpp"

namespace ulna::link {

struct RemoteOptions {
  double late_after = 0.02;   ///< s: an older state is not used
  double silent_after = 0.1;  ///< s without a state after which the robot counts as gone
};

/// A robot in another process, at "unix:PATH", "shm:/NAME" or "udp:127.0.0.1:PORT".
///
///     RemoteRig rig(model, "unix:/tmp/arm");
///     rig.connect(5.0);                       // what the robot says must fit the model
///     every period:
///       if (rig.read(reading)) rig.write(law(reading));
///
/// Joints are known by their names, so that the order of the robot's need not be the model's. If the robot is gone, `read`
/// has nothing fresh; if it was started again, the session begins anew by itself, and the robot holds itself until torques
/// are written.
class RemoteRig final : public rig::Rig {
 public:
  /// Throws LinkError for what is no address on this machine, std::invalid_argument for joints of several coordinates.
  RemoteRig(const Model& model, const std::string& address, const RemoteOptions& options = {});
  ~RemoteRig() override;

  /// Waits until there is a state. Throws LinkError: nobody answers, there is another controller, or the robot is not the
  /// model's.
  void connect(double seconds);

  const Model& model() const noexcept override;
  bool read(rig::Reading& reading) noexcept override;
  bool write(const Eigen::Ref<const Eigen::VectorXd>& tau) noexcept override;
  /// Sends a packet, which may be lost.
  bool hold() noexcept override;
  /// As its last state says; false where there is no session.
  bool holds() const noexcept override;
  /// The robot's clock, as its quickest packets show it.
  double now() const noexcept override;

  const About& about() const;
  Health health() const noexcept;
  Traffic traffic() const noexcept;
  /// From a command to the state that acknowledges it, s; negative: unknown.
  double round_trip() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::link
