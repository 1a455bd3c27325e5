#pragma once

#include <functional>
#include <memory>

#include "ulna/simulate/simulation.hpp"

namespace ulna::rig {

/// The robot as a mechanism, without sensors: something that moves under torques, whose true numbers are known and can be
/// changed. Steps allocate nothing and throw nothing.
class TestPlant {
 public:
  using Vector = Eigen::VectorXd;

  virtual ~TestPlant() = default;

  /// Begins anew at time 0. Throws std::invalid_argument.
  virtual void set_state(const Vector& q, const Vector& v) = 0;
  /// The drives' torques from now on; cut off at the model's effort limits if the options say so.
  virtual SimulationStatus hold(In<double> tau) noexcept = 0;
  /// Torques at the joints from now on that are not the drives': those of the surroundings.
  virtual void load(const Vector& tau) noexcept = 0;
  /// Dry friction from now on, of motions in the positive and in the negative direction, in place of plant()'s, until
  /// plant() is changed.
  virtual void set_dry_friction(const Vector& positive, const Vector& negative) noexcept = 0;
  /// Goes on under all that for h seconds.
  virtual SimulationStatus step(double h) noexcept = 0;
  /// Changes the robot's true numbers.
  virtual void change(const std::function<void(Plant<double>&)>& edit) = 0;

  virtual double time() const noexcept = 0;
  virtual const Vector& q() const noexcept = 0;
  virtual const Vector& v() const noexcept = 0;
  /// Of the drives.
  virtual const Vector& tau() const noexcept = 0;
  /// Here and now.
  virtual const Vector& acceleration() noexcept = 0;
  /// The torque of dry friction on the joints, here and now.
  virtual const Vector& friction_torque() noexcept = 0;
  virtual const Plant<double>& plant() const noexcept = 0;

  // --- of robots with springs between motors and links; empty where there are none ---

  /// Where the motors are, seen at the joints, and how fast they turn.
  virtual const Vector& theta() const noexcept { return none_; }
  virtual const Vector& omega() const noexcept { return none_; }
  /// What springs exert on the links here and now; of rigid joints, the drives' torques.
  virtual const Vector& spring_torque() noexcept { return none_; }

 private:
  Vector none_;
};

/// How MuJoCo integrates.
enum class MujocoIntegrator {
  /// Semi-implicit in velocities: stable for any damping, of order 1. MuJoCo's solver of dry friction and stops is made for it.
  implicit,
  rk4,  ///< of order 4 where no joint is at rest
};

struct MujocoOptions {
  MujocoIntegrator integrator = MujocoIntegrator::implicit;
  double step = 2.5e-4;  ///< s at most: a longer step is made of several
  /// Dry friction lets a joint creep as MuJoCo does by default: it holds by a velocity that decays in some 20 ms,
  /// and a tenth of the force is missing. False: as stiff as MuJoCo can.
  bool creeping_friction = false;
  bool torque_limits = true;  ///< torques are cut off at the model's effort limits
  bool stops = true;          ///< joints are held within the model's position limits
};
/// Whether this library was built with MuJoCo.
bool has_mujoco() noexcept;

enum class PlantKind {
  ulna,    ///< ulna::Simulation
  mujoco,  ///< MuJoCo
};
const char* to_string(PlantKind kind);

/// Throws std::invalid_argument for senseless options and robots it cannot simulate, std::runtime_error without MuJoCo.
std::unique_ptr<TestPlant> make_simulated_plant(const Model& model,
                                                const SimulationOptions& options = {});
std::unique_ptr<TestPlant> make_mujoco_plant(const Model& model, const MujocoOptions& options = {});

}  // namespace ulna::rig
