#pragma once

#include "ulna/model/plant.hpp"

namespace ulna::mpc {

/// rad/s at which the compensation of dry friction is three quarters of it: it must not chatter.
inline constexpr double friction_speed = 0.02;

void remove_dry_friction(Plant<double>& plant);
Plant<double> without_dry_friction(Plant<double> plant);

/// Adds to planned torques what a plan without dry friction leaves out, and pushes joints that are stuck.
class FrictionCompensator {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  /// `noise`: standard deviation of torques, nv; pushes grow by it.
  FrictionCompensator(const Model& model, double rate_hz, const Vector& noise);

  /// Once a period, for the velocity that is planned and the one that is measured.
  void compensate(const Plant<double>& plant, In planned, In v, Vector& tau);

 private:
  double friction(const Plant<double>& plant, Eigen::Index i, double planned, double v) const;
  double push(Eigen::Index i, double planned, double v);

  double period_;
  Vector noise_, near_;
  Vector stuck_for_, push_;  ///< s, Nm
};

}  // namespace ulna::mpc
