#pragma once

#include "ulna/rig/test_rig.hpp"

namespace ulna::rig {

/// A simulated robot with the electronics of a real one: it holds itself, by what is true of it, until torques are
/// written, and again after hold().
///
///     SimulatedRobot robot(model, options);
///     robot.start(q0);
///     every period:  robot.read(reading);  robot.write(tau);  robot.advance(period);
class SimulatedRobot final : public Rig {
 public:
  using Vector = Eigen::VectorXd;

  /// Throws std::invalid_argument for senseless options and for robots with joints of several coordinates, std::runtime_error
  /// for a plant that this build has not.
  explicit SimulatedRobot(const Model& model, const TestRigOptions& options = {});
  ~SimulatedRobot() override;

  /// At rest at a place, at time 0; it holds itself.
  void start(const Vector& q);
  /// Goes on for so many seconds. The electronics acts every millisecond.
  SimulationStatus advance(double seconds) noexcept;

  const Model& model() const noexcept override;
  bool read(Reading& reading) noexcept override;
  bool write(const Eigen::Ref<const Vector>& tau) noexcept override;
  bool hold() noexcept override;
  double now() const noexcept override;

  bool holds() const noexcept override;
  /// The mechanism, whose truth is known.
  TestRig& truth() noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::rig
