#pragma once

#include "simulate/rotor_bodies.hpp"

namespace ulna::detail {

/// What springs exert between coordinates of a robot with its rotors, and the inertias of its drives that no body has. Springs are
/// forces by where the coordinates are, or, for fixed steps, which they would be too stiff for, act in the middle of a step (begin).
class SpringForces {
 public:
  /// They must stay where they are.
  explicit SpringForces(const RotorBodies& rotors)
      : rotors_(&rotors), steps_(rotors.springs().size()) {}

  /// The numbers in use, of the robot and of the one with rotors. Those of the drives must stay where they are.
  void act(const DriveParameters<double>& drives, const Plant<double>& with_rotors) {
    drives_ = &drives, h_ = 0.0;
    massless_ = rotors_->massless(with_rotors);
  }

  /// Until end, springs act with their deflection e in the middle of a step of h that begins here: the
  /// implicit midpoint rule, which no spring makes unstable and which neither adds nor takes energy. With k the slope of
  /// the spring, D its damping and c = k h/2 + D,
  ///
  ///     s = s(e) + c (de + Δde/2),
  ///
  /// a constant force, and an inertia h c/2 between motor and link.
  void begin(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double h);
  /// What their damping took until the end of the step at v, J.
  double end(const Eigen::VectorXd& v);
  bool empty() const { return steps_.empty(); }
  /// Whether they act in the middle of a step.
  bool in_step() const { return h_ > 0.0 && !empty(); }
  /// By how much spring i is deflected further in a step that ends at v.
  double advance(std::size_t i, double h, const Eigen::VectorXd& v) const {
    return 0.5 * h * (steps_[i].rate + rotors_->springs()[i].deflection.rate(v));
  }

  /// What spring i exerts by where it is.
  double force(std::size_t i, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// Adds what they exert to f.
  void push(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& f) const;
  /// Adds inertias of rotors to a mass matrix; and those that stand in for springs in a step.
  void load_rotors(Eigen::MatrixXd& M) const;
  void load_springs(Eigen::MatrixXd& M) const;
  /// Whether inertias of rotors couple coordinates.
  bool couples() const;

  /// What springs hold, and what rotors have beyond the armature of coordinates, J. In a step: of the constant
  /// forces and the inertias that stand in for springs.
  double energy(const Eigen::VectorXd& q) const;
  double kinetic_energy(const Eigen::VectorXd& v) const;
  /// What their damping takes, W; in a step, end() has it.
  double damping_power(const Eigen::VectorXd& v) const;

 private:
  /// A spring in a step.
  struct Step {
    double rate = 0.0, force = 0.0, inertia = 0.0;  ///< de_0; s if no velocity changes; h c/2
  };
  double damping(const SpringBetween& s) const { return drives_->spring_damping(s.c); }

  const RotorBodies* rotors_;
  const DriveParameters<double>* drives_ = nullptr;
  std::vector<Step> steps_;
  double h_ = 0.0;  ///< s; 0: springs act as they are
  bool massless_ = false;
};

}  // namespace ulna::detail
