#pragma once

#include <vector>

#include "ulna/rig/rig.hpp"

namespace ulna::rig {

/// How the numbers that a robot sends and takes belong to the joints of a model: which of them is whose, and in which
/// unit and direction it counts. What is 1 and in order is as it should be.
struct Wiring {
  using Vector = Eigen::VectorXd;

  explicit Wiring(int joints);
  /// Whether all is as it should be.
  bool is_plain() const;
  /// The wiring that undoes this one. Scales must not be 0.
  Wiring inverse() const;

  std::vector<int> reading;  ///< joint i is read from the robot's number reading[i]
  std::vector<int> command;  ///< joint i is driven by the robot's number command[i]
  /// A joint's number is so many times the robot's: of positions, velocities, measured torques.
  Vector position, velocity, torque;
  Vector drive;  ///< the robot's number of a commanded torque is so many times the joint's
};

/// The wiring of a rig that is behind `outer`, whose rig is behind `inner`.
Wiring combined(const Wiring& inner, const Wiring& outer);

/// A rig behind a wiring. It makes a robot that is wired wrongly, and rights one that is. Joints have one coordinate.
class WiredRig final : public Rig {
 public:
  using Vector = Eigen::VectorXd;

  /// Throws std::invalid_argument for a wiring that does not lead every number to one joint, or has a scale that is 0 or not
  /// finite.
  WiredRig(Rig& rig, Wiring wiring);

  const Model& model() const noexcept override { return rig_.model(); }
  bool read(Reading& reading) noexcept override;
  bool write(const Eigen::Ref<const Vector>& tau) noexcept override;
  bool hold() noexcept override { return rig_.hold(); }
  bool holds() const noexcept override { return rig_.holds(); }
  double now() const noexcept override { return rig_.now(); }
  const Wiring& wiring() const { return wiring_; }

 private:
  Rig& rig_;
  Wiring wiring_;
  Reading inner_;
  Vector tau_;
};

}  // namespace ulna::rig
