#pragma once

#include "ulna/rig/reality.hpp"
#include "ulna/rig/rig.hpp"
#include "ulna/rig/test_plant.hpp"
#include "ulna/simulate/changes.hpp"
#include "ulna/simulate/sensors.hpp"

namespace ulna::rig {

struct TestRigOptions {
  PlantKind plant = PlantKind::ulna;
  SimulationOptions simulation = {};  ///< of PlantKind::ulna
  MujocoOptions mujoco = {};          ///< of PlantKind::mujoco
  SensorsOptions sensors = {};
  Reality reality = {};
};

/// A rig for trials: a simulated robot that is not what its model says, whose truth is known. It moves when it is
/// advanced:
///
///     TestRig rig(model, {.plant = PlantKind::mujoco, .reality = {.link_side_torque = true}});
///     rig.start(q0);
///     every period:
///       rig.read(reading);
///       rig.write(controller.act(rig.now(), reading.q, reading.v));
///       rig.advance(period);
///
/// The same options give the same bits.
class TestRig final : public Rig {
 public:
  using Vector = Eigen::VectorXd;

  /// Throws std::invalid_argument for senseless options, std::runtime_error for a plant that this build has not.
  explicit TestRig(const Model& model, const TestRigOptions& options = {});
  ~TestRig() override;
  TestRig(TestRig&&) noexcept;
  TestRig& operator=(TestRig&&) noexcept;

  const Model& model() const noexcept override;
  bool read(Reading& reading) noexcept override;
  bool write(const Eigen::Ref<const Vector>& tau) noexcept override;
  double now() const noexcept override;
  /// The same, where computing the torques has taken so many seconds.
  bool write(const Eigen::Ref<const Vector>& tau, double later) noexcept;

  /// At rest at a place, at time 0. Throws std::invalid_argument.
  void start(const Vector& q);
  /// Torques that the drives exert already, without lag or delay, such as those that hold it at rest.
  SimulationStatus preload(In<double> tau) noexcept;
  SimulationStatus advance(double seconds) noexcept;
  /// Makes those changes that are due.
  void apply(Schedule& changes);
  /// Changes the robot's true numbers.
  void change(const std::function<void(Plant<double>&)>& edit);

  // --- the truth ---

  const Vector& q() const noexcept;
  const Vector& v() const noexcept;
  /// That the drives exert.
  const Vector& tau() const noexcept;
  const Vector& acceleration() noexcept;
  /// Between gear and link; with springs, of those.
  const Vector& link_torque() noexcept;
  const Plant<double>& plant() const noexcept;
  TestPlant& mechanism() noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::rig
