#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ulna/constraints/loops.hpp"
#include "ulna/simulate/step.hpp"

/// The robot as it moves in time under torques: what a controller has in front of it.
namespace ulna {

/// Steps whose length follows the motion: explicit Runge-Kutta of SUNDIALS' ARKODE.
struct AdaptiveOptions {
  double relative = 1e-8;   ///< tolerances of a step's error in each number of q and v
  double absolute = 1e-10;  ///< rad or m, and per s
  int order = 5;            ///< 2 to 8
};
/// Whether this library was built with SUNDIALS.
bool has_adaptive();

struct SimulationOptions {
  Integrator integrator = Integrator::rk4;
  double substep = 1e-3;  ///< s at most: a longer step is made of several
  /// Instead of the integrator and its substeps.
  std::optional<AdaptiveOptions> adaptive{};
  bool torque_limits = true;  ///< torques are cut off at the model's effort limits
  bool stops = true;          ///< joints cannot leave the model's position limits
  bool loops = true;          ///< the model's loops are closed; otherwise its tree moves
};

enum class SimulationStatus {
  moved,
  bad_argument,        ///< a torque vector of the wrong size, or a duration that is none
  torque_not_finite,   ///< the controller returned NaN or infinity
  plant_not_physical,  ///< the plant's numbers are no robot's
  diverged,  ///< the motion leaves the finite numbers, loops open, or energy grows without input
  gave_up,   ///< adaptive steps became too many
  stopped,   ///< by the observer of run()
};
const char* to_string(SimulationStatus status);

/// Where energy came from and went to since the state was set, J. What the robot has,
/// kinetic and potential, grows by balance().
struct SimulationWork {
  double torques = 0.0;   ///< done by the drives
  double wrenches = 0.0;  ///< done by the surroundings
  double changes = 0.0;   ///< brought in when parameters were changed
  double damping = 0.0;   ///< lost in viscous
  double friction = 0.0;  ///< and in dry friction
  double stops = 0.0;     ///< lost when joints hit their stops
  /// Taken from the velocities because the method had produced it; no part of the balance.
  double corrections = 0.0;

  double balance() const { return torques + wrenches + changes - damping - friction - stops; }
  void add(const SimulationWork& more, double factor = 1.0) {
    torques += factor * more.torques, wrenches += factor * more.wrenches;
    changes += factor * more.changes, damping += factor * more.damping;
    friction += factor * more.friction, stops += factor * more.stops;
    corrections += factor * more.corrections;
  }
};

struct SimulationCounts {
  long steps = 0;
  long clamped = 0;  ///< torques cut off at their limits, joint by joint
  long events = 0;   ///< moments at which a joint came to rest or hit a stop
  long hits =
      0;  ///< impacts on stops, faster than 0.01 rad/s or m/s, after 4 ms or more away from them
  long crowds =
      0;  ///< pieces of up to a substep with so many events that they were stepped over at first order
  long divided = 0;  ///< substeps that were divided because energy would have grown without input
  long slowed = 0;   ///< pieces whose velocity was reduced for the same reason
};

/// A robot in motion. Fixed steps allocate nothing; all throw nothing and give the same bits:
///
///     Simulation robot(model);
///     robot.set_state(q, v);
///     if (robot.step(tau, 0.001) != SimulationStatus::moved) ...   // nothing has changed
///     robot.plant.damping *= 2.0;                                  // between steps, as you like
///
/// Dry friction holds a joint that rests: with v = 0, the joint stays exactly there as long as its
/// friction can hold it, whatever the others do; which joints hold is a linear complementarity problem, solved exactly. A step
/// in which a joint comes to rest is cut there. So is one in which a joint reaches its stop: the stop is
/// inelastic, takes the joint's velocity by an impulse on the whole robot, and then holds from one
/// side. A joint that begins beyond its stop can only return.
///
/// Substeps that are too long for the motion are divided where they would produce energy: what is in
/// the robot never exceeds what came in by more than 1 % of the energy exchanged, or of what lifts it by 0.1 m.
///
/// Elastic joints and coupled motors (docs/drives.md): tau is what motors exert, seen at the joints, and theta and omega is where those of
/// elastic joints are. In fixed steps, springs act in the middle of each substep, which is at most 1 ms, so that none is too stiff.
///
/// Loops stay closed: the integrators follow the acceleration that the closed robot has, and after each of their steps q
/// and v are moved to where loops are closed, by as little as can be. See docs/simulation.md.
class Simulation {
 public:
  /// Throws std::invalid_argument for senseless options and for loops that cannot be closed, std::runtime_error
  /// without SUNDIALS.
  explicit Simulation(const Model& model, SimulationOptions options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// The robot's true numbers. May be changed between steps; change() keeps account of the energy too.
  Plant<double> plant;

  /// Begins anew; a new simulation is at rest in the neutral configuration, or near it where loops are closed. Work and
  /// counts are set to zero, torque and wrenches too. Loops that are open by less than 1 mm or 1 mrad are closed, and the
  /// velocity is changed so that they stay so. Throws std::invalid_argument, also where they are open by more.
  /// Motors of elastic joints are where springs hold the links still, moving with them.
  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double time = 0.0);
  /// Moves motors of elastic joints; numbers of the others are not read. Throws std::invalid_argument.
  void set_motors(const Eigen::VectorXd& theta, const Eigen::VectorXd& omega);
  /// What the surroundings exert from now on. Throws std::invalid_argument; allocates beyond 16.
  void set_wrenches(ExternalWrenches<double> wrenches);

  /// Applies a torque from now on, within the limits.
  SimulationStatus hold(In<double> tau) noexcept;
  /// Goes on under the torque that is held, for h seconds. If it fails, all is as it was before.
  SimulationStatus step(double h) noexcept;
  SimulationStatus step(In<double> tau, double h) noexcept;

  /// Changes the plant and keeps account of the energy that comes with it.
  template <class Change>
  void change(Change&& edit) {
    const double before = energy();
    edit(plant);
    work_.changes += energy() - before;
    known_ = false;
  }

  /// Lets a controller drive the robot: controller(simulation, tau) computes torques every period,
  /// the torque is held and observe(simulation) is called, then the robot moves on. The last period
  /// is cut at the end. Ends at the first step that fails, or when an observer that returns bool returns
  /// false. Change parameters in the controller.
  template <class Controller, class Observe>
  SimulationStatus run(double duration, double period, Controller&& controller, Observe&& observe) {
    if (!std::isfinite(duration) || !(duration >= 0.0) || !(period > 0.0))
      return SimulationStatus::bad_argument;
    const double begin = time();
    for (double n = 0.0;; n += 1.0) {
      // by multiplication, so that the last period is no sliver of rounding
      const double from = n * period, to = std::min((n + 1.0) * period, duration);
      if (duration - from <= 1e-9 * period) return SimulationStatus::moved;
      controller(*this, asked_);
      SimulationStatus status = hold(asked_);
      if (status != SimulationStatus::moved) return status;
      if constexpr (std::is_same_v<std::invoke_result_t<Observe&, Simulation&>, bool>) {
        if (!observe(*this)) return SimulationStatus::stopped;
      } else {
        observe(*this);
      }
      status = step(to - from);
      if (status != SimulationStatus::moved) return status;
      time_ = begin + to;
    }
  }
  template <class Controller>
  SimulationStatus run(double duration, double period, Controller&& controller) {
    return run(duration, period, std::forward<Controller>(controller), [](Simulation&) {});
  }

  double time() const { return time_; }
  const Eigen::VectorXd& q() const { return q_; }
  const Eigen::VectorXd& v() const { return v_; }
  /// Positions and speeds of the motors as they are seen at the joints, nv each: of rigid joints, 0 and v.
  const Eigen::VectorXd& theta() const;
  const Eigen::VectorXd& omega() const;
  /// What springs exert on the links here and now, and of rigid joints the torque that acts; nv.
  const Eigen::VectorXd& link_torque();
  /// The torque that acts, within the limits.
  const Eigen::VectorXd& tau() const { return tau_; }
  /// Here and now, under the torque that is held. Computed on demand; zero if the plant is no
  /// robot. What changes `plant` itself does not reach it before the next hold or step.
  const Eigen::VectorXd& acceleration();
  /// Kinetic and potential, J; of rotors and springs, too.
  double energy();
  double kinetic_energy();
  /// In world axes, about the centre of mass.
  Wrench<double> momentum();

  const SimulationWork& work() const { return work_; }
  const SimulationCounts& counts() const { return counts_; }
  /// Whether dry friction or a stop holds joint coordinate i of v: it rests and is not free to go. As of
  /// the last call of acceleration().
  bool held(int i) const;
  /// Nm or N by which a stop holds joint coordinate i of v, here and now under the torque that is held, beyond what
  /// dry friction holds; 0 where none does.
  double stop_load(int i);

  const Model& model() const { return plant.model(); }
  const SimulationOptions& options() const { return options_; }
  /// The loops that are kept closed, wherever they were computed last; null if there are none.
  const Loops* loops() const;

 private:
  struct Parts;

  SimulationOptions options_;
  double time_ = 0.0;
  Eigen::VectorXd q_, v_, tau_ = v_, a_ = v_, asked_ = v_, link_torque_ = v_;
  bool known_ = false;  ///< whether a_ is of now
  SimulationWork work_;
  SimulationCounts counts_;
  std::vector<ExternalWrench<double>> wrenches_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna
