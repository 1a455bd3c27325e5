#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::rig {

/// Holds a robot where it is, as its own electronics would: it is braked, and once it is slow, a damped spring keeps it
/// at that place. tau = g(q) + M (w² (q0 - q) - 2 w v), within the effort limits.
class HoldLaw {
 public:
  using Vector = Eigen::VectorXd;

  explicit HoldLaw(const Model& model)
      : at_(model),
        ws_(model),
        M_(model.nv(), model.nv()),
        q0_(Vector::Zero(model.nv())),
        tau_(q0_),
        a_(q0_) {}

  /// From here on.
  void begin() { begun_ = false; }

  const Vector& torque(const Plant<double>& plant, const Vector& q, const Vector& v) {
    constexpr double w = 25.0, slow = 0.02;  // 1/s; rad/s or m/s
    if (!q.allFinite() || !v.allFinite()) {
      // gravity where it was last seen; nothing where it never was
      if (seen_) gravity_torque<double>(plant, at_, ws_, tau_);
      return limited(plant);
    }
    at_.set(q), seen_ = true;
    if (!begun_) q0_ = q;
    begun_ = begun_ || v.lpNorm<Eigen::Infinity>() < slow;
    mass_matrix<double>(plant, at_, ws_, M_);
    gravity_torque<double>(plant, at_, ws_, tau_);
    a_ = w * w * (q0_ - q) - 2.0 * w * v;
    tau_.noalias() += M_ * a_;
    return limited(plant);
  }

 private:
  const Vector& limited(const Plant<double>& plant) {
    const Vector& limit = plant.model().effort_limit();
    tau_ = tau_.cwiseMin(limit).cwiseMax(-limit);
    return tau_;
  }

  Kinematics<double> at_;
  Workspace<double> ws_;
  Eigen::MatrixXd M_;
  Vector q0_, tau_, a_;
  bool begun_ = false, seen_ = false;
};

}  // namespace ulna::rig
