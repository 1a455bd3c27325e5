#pragma once

#include <algorithm>
#include <cmath>

#include "simulate/held_dynamics.hpp"
#include "ulna/dynamics/energy.hpp"

namespace ulna::detail {

/// Bounds the energy that steps of an explicit method produce out of nothing where they are too long for the motion:
/// for links too light for their damping, for speeds and pendulums too fast. The energy error,
///
///     e = E - E_0 - work of torques and wrenches + losses,
///
/// may grow to a share of the energy exchanged so far, or of what would lift the robot by 0.1 m, and a step may use
/// a quarter of what is left of four fifths of that. A step that would gain more is refused: the simulation divides it. Where the
/// excess is small, v is scaled so that the energy is right (projection onto the energy: [Hairer, Lubich,
/// Wanner 2006, sec. IV.4]), which keeps the order of the method. Errors by which energy is lost are not judged.
class EnergyGuard {
 public:
  explicit EnergyGuard(const Model& model) : at_(model), ws_(model) {}

  /// What a step may gain: nothing, its share of the budget, or more, which is taken from the velocity.
  enum class Gain { none, share, taken };

  /// A new motion begins.
  void reset() { error_ = least_ = exchanged_ = 0.0; }
  /// From here on, under what acts now.
  void begin(const HeldDynamics& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             const SimulationWork& work) {
    const Plant<double>& plant = robot.plant();
    least_ = std::max(least_, reach * (total_mass<double>(plant) * plant.gravity.norm() +
                                       robot.torque().lpNorm<1>()));
    before_ = energy(robot, q, v) - work.balance();
    exchanged_ = std::max(exchanged_, kinetic_);
  }

  /// Whether the robot may be at q and v a time h after the last state that was accepted. Reduces v where the
  /// excess is small, or is to be taken.
  [[nodiscard]] bool accept(const HeldDynamics& robot, const Eigen::VectorXd& q, Eigen::VectorXd& v,
                            double h, Gain gain, SimulationWork& work, long& slowed) {
    if (!q.allFinite() || !v.allFinite()) return false;
    double gained = energy(robot, q, v) - work.balance() - before_;
    if (!std::isfinite(gained)) return false;
    const double budget = share * std::max(least_, exchanged_);
    const double excess =
        gained - std::max(gain == Gain::none ? 0.0 : 0.25 * ((1.0 - spare) * budget - error_),
                          rounding * budget);
    if (excess > 0.0) {
      const bool small = excess <= correction_rate * h * kinetic_;
      if (gain == Gain::none || (gain == Gain::share && !small)) return false;
      // where it is potential energy, all that can be taken is
      const double taken = std::min(excess, kinetic_);
      if (taken < excess && error_ + gained - taken > budget) return false;
      if (taken > 0.0) v *= std::sqrt(1.0 - taken / kinetic_);
      kinetic_ -= taken, gained -= taken;
      work.corrections += taken;
      ++slowed;
    }
    before_ += gained;
    error_ = std::max(error_ + gained, -budget);
    exchanged_ = std::max({exchanged_, kinetic_, std::abs(work.torques), std::abs(work.wrenches),
                           work.damping + work.friction + work.stops});
    return true;
  }

 private:
  // of the energy exchanged; m or rad; of a budget: for the last resort, and what rounding is; of the kinetic energy a second
  static constexpr double share = 0.01, reach = 0.1, spare = 0.2, rounding = 1e-9,
                          correction_rate = 0.1;

  double energy(const HeldDynamics& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    at_.set(q, v);
    kinetic_ = kinetic_energy<double>(robot.plant(), at_, ws_) + robot.springs().kinetic_energy(v);
    return kinetic_ + potential_energy<double>(robot.plant(), at_, ws_) + robot.springs().energy(q);
  }

  Kinematics<double> at_;
  Workspace<double> ws_;
  double before_ = 0.0;  ///< energy without what was exchanged, at the last state that was accepted
  double kinetic_ = 0.0;  ///< of the last state that was looked at
  double error_ = 0.0, least_ = 0.0, exchanged_ = 0.0;
};

}  // namespace ulna::detail
