#pragma once

#include "drive_rig.hpp"

/// A robot in another process by its address: of ulna's own protocol, or "dds:KEY=VALUE,..." of ROS 2.
namespace ulna::cli {

/// As its controller sees it.
class RemoteRobot {
 public:
  virtual ~RemoteRobot() = default;
  virtual rig::Rig& rig() = 0;
  /// If it says where its torques are measured.
  virtual std::optional<link::TorqueSensors> sensors() const = 0;
  virtual Json traffic() const = 0;
  /// "3 lost, 1 late"
  virtual std::string faults() const = 0;

  /// Whether its protocol has a place for what was identified, and for what the supervisor does.
  virtual bool publishes() const { return false; }
  virtual void publish(std::span<const std::string> /*names*/, const Eigen::VectorXd& /*values*/,
                       supervise::State /*state*/, supervise::Cause /*cause*/) {}
};
/// Waits until it is there. Throws Failure, and UsageError for what is no address.
std::unique_ptr<RemoteRobot> connect_robot(const Model& model, const std::string& address,
                                           double seconds);

/// As it offers itself.
class OfferedRobot {
 public:
  virtual ~OfferedRobot() = default;
  virtual void take() = 0;
  virtual void send() = 0;
  virtual void set_overrun(bool overrun) = 0;
  /// What came and went, in a sentence.
  virtual std::string report() const = 0;
};
std::unique_ptr<OfferedRobot> offer_robot(rig::Rig& rig, const std::string& address,
                                          const link::ServerOptions& options);

}  // namespace ulna::cli
