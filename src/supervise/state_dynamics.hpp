#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::supervise {

/// The equation of motion at one state, over one period: what torques do, and what accelerations need.
///
///   (M + h D) a = tau + disturbance - (C v + g) - D v - dry friction
///
/// Damping D acts implicitly, as on a light joint it settles within the period h.
class StateDynamics {
 public:
  using Vector = Eigen::VectorXd;

  StateDynamics(const Model& model, double period)
      : inertia(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
        bias(Vector::Zero(model.nv())),
        viscous(bias),
        period_(period),
        at_(model),
        ws_(model),
        factor_(model) {}

  /// False if the plant's numbers are no robot's. q and v are finite.
  bool set(const Plant<double>& plant, const Vector& q, const Vector& v) {
    at_.set(q, v);
    mass_matrix<double>(plant, at_, ws_, inertia);
    bias_torque<double>(plant, at_, ws_, bias);
    viscous = plant.damping.cwiseProduct(v);
    inertia.diagonal() += period_ * plant.damping.cwiseMax(0.0);
    return bias.allFinite() && viscous.allFinite() && plant.friction.allFinite() &&
           plant.friction_negative.allFinite() && inertia.allFinite() && factor_.factor(inertia);
  }

  /// x := (M + h D)^-1 x
  void solve(Vector& x) const { factor_.solve(x); }

  Eigen::MatrixXd inertia;  ///< M + h D
  Vector bias;              ///< C v + g
  Vector viscous;           ///< D v

 private:
  double period_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  MassFactor<double> factor_;
};

}  // namespace ulna::supervise
