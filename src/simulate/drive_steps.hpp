#pragma once

#include <cmath>

#include "ulna/dynamics/spring_force.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::detail {

/// Springs between motors and links in steps of a simulation. Springs are stiff: they act with the deflection in the middle of a
/// step, and so does what damps them (the implicit midpoint rule, which no spring makes unstable and which neither adds
/// nor takes energy). With e = theta - q, k the slope of the spring, D its damping, t the torque of the motor,
///
///     s = s(e) + (k h/2 + D) de,   de = de_0 + (dw - dv)/2        in the middle of the step
///     B dw = h (t - friction - s)
///
/// and without the change dw of the motor's speed the link meets a constant torque and an inertia more,
///
///     s = torque - (inertia/h) dv:
///
/// a rigid robot for the step, which is simulated as any other, with stops, dry friction and loops. The motor's change
/// follows from the link's.
class DriveSteps {
 public:
  /// Throws std::invalid_argument where motors are coupled or carried by links.
  explicit DriveSteps(const Model& model)
      : state(model), during_(model), joints_(joints_of(model)) {
    torque_ = v_ = q_ = Eigen::VectorXd::Zero(model.nv());
    settled_ = torque_;
  }

  DriveState<double> state;

  bool empty() const { return joints_.empty(); }

  /// Motors where springs hold the links still, moving with them.
  void settle(const Plant<double>& plant, const Kinematics<double>& at, Workspace<double>& ws) {
    gravity_torque<double>(plant, at, ws, settled_);
    state.omega = at.v();
    for (const Joint& j : joints_)
      state.theta(j.c) = at.q()(j.q) + spring_deflection<double>(plant.drives, j.c, settled_(j.c));
  }

  /// Writes the springs' torques here and now.
  void springs(const Plant<double>& plant, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               Eigen::VectorXd& s) const {
    for (const Joint& j : joints_)
      s(j.c) = spring_force<double>(plant.drives, j.c, state.theta(j.c) - q(j.q)) +
               plant.drives.spring_damping(j.c) * (state.omega(j.c) - v(j.c));
  }

  /// What stands in for the springs during a step of h.
  void begin(const Plant<double>& plant, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             const Eigen::VectorXd& tau, double h) {
    during_ = plant;
    torque_ = tau;
    for (Joint& j : joints_) {
      const int c = j.c;
      const DriveParameters<double>& d = plant.drives;
      const double ratio = std::abs(j.ratio), e = state.theta(c) - q(j.q);
      j.rate = state.omega(c) - v(c);
      j.stiffness = 0.5 * h * spring_slope<double>(d, c, e) + d.spring_damping(c);
      j.s = spring_force<double>(d, c, e) + j.stiffness * j.rate;
      j.kappa = 0.5 * h * j.stiffness;
      j.damping = ratio * ratio * d.damping(j.motor);
      j.inertia = d.rotor(c) + ratio * ratio * d.inertia(j.motor) + 0.5 * h * j.damping;
      const bool backward = j.ratio < 0.0;
      j.forward = ratio * (backward ? d.friction_negative : d.friction)(j.motor);
      j.back = ratio * (backward ? d.friction : d.friction_negative)(j.motor);
      j.load = tau(c) - j.damping * state.omega(c);
      q_(c) = q(j.q), v_(c) = v(c);
      // a motor that its friction holds is fixed for the step
      const double holding = j.load - j.s;
      j.held = state.omega(c) == 0.0 && -j.back <= holding && holding <= j.forward;
      const double way = state.omega(c) != 0.0 ? state.omega(c) : holding,
                   friction = way > 0.0   ? j.forward
                              : way < 0.0 ? -j.back
                                          : 0.0,
                   share = j.held ? 0.0 : j.kappa / (j.inertia + j.kappa);
      torque_(c) = j.s + share * (j.load - friction - j.s);
      during_.armature(c) += j.kappa * (1.0 - share);
    }
  }
  const Plant<double>& plant() const { return during_; }
  const Eigen::VectorXd& torque() const { return torque_; }

  /// The motors after the step that led the links to q and v.
  void end(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau, double h,
           SimulationWork& work) {
    for (const Joint& j : joints_) {
      const double w = state.omega(j.c), dv = v(j.c) - v_(j.c),
                   free = h * (j.load - j.s) + j.kappa * dv, mass = j.inertia + j.kappa;
      // the friction that would bring the motor to rest, within what there is
      const double resting = (free + mass * w) / h,
                   friction = std::clamp(resting, -j.back, j.forward);
      const double dw = friction == resting ? -w : (free - h * friction) / mass,
                   mean = w + 0.5 * dw;
      const double rate = j.rate + 0.5 * (dw - dv);
      work.torques += h * tau(j.c) * mean - torque_(j.c) * (q(j.q) - q_(j.c));
      work.damping += h * (j.damping * mean * mean + spring_damping(j) * rate * rate);
      work.friction += h * friction * mean;
      state.theta(j.c) += h * mean;
      state.omega(j.c) = w + dw;
    }
  }

 private:
  /// An elastic joint, with the numbers of a step.
  struct Joint {
    int c, q, motor;
    double ratio;
    double rate = 0.0;       ///< de_0
    double stiffness = 0.0;  ///< k h/2 + D
    double s = 0.0;          ///< what the spring exerts if neither speed changes
    double kappa = 0.0;      ///< h/2 of the stiffness
    double damping = 0.0, inertia = 0.0, forward = 0.0, back = 0.0;  ///< of the motor, at the joint
    double load = 0.0;                                               ///< of the motor, less damping
    bool held = false;
  };

  double spring_damping(const Joint& j) const { return during_.drives.spring_damping(j.c); }

  static std::vector<Joint> joints_of(const Model& model) {
    const DriveTrain& train = model.drives();
    if (!train.diagonal || !train.mounts.empty())
      throw std::invalid_argument("simulation: motors of robot '" + model.name() +
                                  "' are coupled or carried by links, which is not supported here; "
                                  "with_plain_drives(model) leaves drives out");
    std::vector<Joint> joints;
    for (const int c : train.elastic) {
      // motors have the numbers of coordinates that they move
      const DriveTrain::Entry& gear = train.gear_of(c);
      joints.push_back({c, train.position(c), gear.motor, gear.ratio});
    }
    return joints;
  }

  Plant<double> during_;
  std::vector<Joint> joints_;
  Eigen::VectorXd torque_, q_, v_, settled_;  ///< by coordinate; q_ and v_ where the step began
};

}  // namespace ulna::detail
